package robotstxt

// agentToken returns the length of the token at the start of a User-agent value. Only
// the leading token characters count; version, star and words after them are dropped
// (ROB-UA-03). A star alone, or before white space, is the global agent (ROB-UA-12).
// An empty token names no crawler (ROB-GRP-11).
func agentToken(value string) (length int, global bool) {
	if len(value) > 0 && value[0] == '*' {
		return 0, len(value) == 1 || isSpace(value[1])
	}
	for length < len(value) && class[value[length]]&tokenOctet != 0 {
		length++
	}
	return length, false
}

// wideToken returns the length of a User-agent value up to the first white space,
// slash or star, for crawlers whose name is not a valid product token (ROB-UA-11).
func wideToken(value string) int {
	for i := 0; i < len(value); i++ {
		if b := value[i]; isSpace(b) || b == '/' || b == '*' {
			return i
		}
	}
	return len(value)
}
