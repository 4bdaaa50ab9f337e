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

// wholeName returns the length of a User-agent value up to the first white space, slash
// or star. Crawlers with names that are no product tokens, such as MJ12bot, compare it whole
// (ROB-UA-11). It returns 0 if that is no name.
func wholeName(value string) int {
	n := 0
	for n < len(value) && !isSpace(value[n]) && value[n] != '/' && value[n] != '*' {
		n++
	}
	if !isName(value[:n]) {
		return 0
	}
	return n
}

// isName reports whether s can be the name of a crawler: letters, digits, dots, - and _, but
// not only digits and dots (ROB-UA-15).
func isName(s string) bool {
	named := false
	for i := 0; i < len(s); i++ {
		switch b := s[i]; {
		case class[b]&tokenOctet != 0:
			named = true
		case b != '.' && (b < '0' || b > '9'):
			return false
		}
	}
	return named
}
