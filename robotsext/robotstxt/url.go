package robotstxt

import "strings"

// pathAndQuery cuts scheme, authority and fragment off a URL. Like Google's
// parser it takes what comes before the first of "/?;" for an authority also
// where there is no scheme: "example.com/a" is "/a". The result may lack the
// leading slash of an empty path.
func pathAndQuery(rawURL string, d decision) string {
	s, _, _ := strings.Cut(rawURL, "#")
	s, authority := strings.CutPrefix(s, "//")
	if i := strings.Index(s, "://"); i >= 0 && !strings.ContainsAny(s[:i], "/?;") {
		s, authority = s[i+len("://"):], true
	}
	if authority && !d.has(googleURL) {
		s = trimUserinfo(s)
	}
	if i := strings.IndexAny(s, "/?;"); i >= 0 {
		return s[i:]
	}
	return "/"
}

// trimUserinfo drops a user name and password, which may hold semicolons.
func trimUserinfo(s string) string {
	end := strings.IndexAny(s, "/?")
	if end < 0 {
		end = len(s)
	}
	return s[strings.LastIndexByte(s[:end], '@')+1:]
}
