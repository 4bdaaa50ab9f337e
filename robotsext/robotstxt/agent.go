package robotstxt

// agentToken reads the value of a User-agent line. Only the leading run of
// token characters counts; version, star and words after it are dropped
// (ROB-UA-03). A star alone, or followed by white space, is the global agent
// (ROB-UA-12). An empty token names nobody (ROB-GRP-11).
func agentToken(value string) (token string, global bool) {
	if len(value) > 0 && value[0] == '*' {
		return "", len(value) == 1 || isSpace(value[1])
	}
	n := 0
	for n < len(value) && isTokenByte(value[n]) {
		n++
	}
	return value[:n], false
}

// wideToken reads the value of a User-agent line up to the first white space,
// slash or star, for crawlers whose name is no product token (ROB-UA-11).
func wideToken(value string) string {
	for i := 0; i < len(value); i++ {
		if b := value[i]; isSpace(b) || b == '/' || b == '*' {
			return value[:i]
		}
	}
	return value
}

func isTokenByte(b byte) bool {
	return 'a' <= lower(b) && lower(b) <= 'z' || b == '-' || b == '_'
}
