package robotstxt

import "strings"

// pathAndQuery removes scheme, authority and fragment from a URL. Everything before
// the first of "/?;" counts as authority even without a scheme, as in Google's parser:
// "example.com/a" is "/a". The result may lack the leading slash of an empty path.
func pathAndQuery(rawURL string, d decision) string {
	s, _, _ := strings.Cut(rawURL, "#")
	s, authority := strings.CutPrefix(s, "//")
	if i := strings.Index(s, "://"); i >= 0 && !strings.ContainsAny(s[:i], "/?;") {
		s, authority = s[i+len("://"):], true
	}
	return s[authorityLen(s, authority && !d.has(googleURL)):]
}

// authorityLen returns the length of the authority that s begins with. A
// semicolon ends it, unless it is part of a user name or password.
func authorityLen(s string, userinfo bool) int {
	end := len(s)
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '/', '?':
			return min(i, end)
		case ';':
			end = min(i, end)
		case '@':
			if userinfo {
				end = len(s)
			}
		}
	}
	return end
}
