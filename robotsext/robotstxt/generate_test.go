package robotstxt

import (
	"math/rand/v2"
	"strings"
)

// generator makes up files and URLs out of what parsers stumble over. The same
// seed gives the same ones.
type generator struct{ *rand.Rand }

func newGenerator(seed uint64) generator {
	return generator{rand.New(rand.NewPCG(seed, seed))}
}

func (g generator) pick(from ...string) string { return from[g.IntN(len(from))] }

// some joins up to n picks.
func (g generator) some(n int, from ...string) string {
	var b strings.Builder
	for range g.IntN(n + 1) {
		b.WriteString(g.pick(from...))
	}
	return b.String()
}

// path makes up what a rule or a URL may be made of; stars and dollars mean
// something in rules alone.
func (g generator) path() string {
	return g.pick("/", "/", "/", "/", "/", "*", "", "a", "//", "/?", "/a?", "/a?b=") + g.some(4,
		"a", "b", "ab", "/", "/", "?", "=", "&", ".", "..", "/.", "/../", "*", "*", "$", "%", "%2", "%61", "%2f", "%2F",
		"%2e", "%2E/", "%3a", ":", "@", "[", "]", "F", "A", "2", "0", "%zz", "%%34%31", "%25", "é", "\xe9", "%C3%A9", " ",
		"%20", "\t", "+", ";", "~", "%7e", "\x01", "\x7f", "%2A", "%24", "%3F", "%40", "{", "|", "%7C", "%5b", "'", "%27", "index.html", "a?b", "http://")
}

// variant makes up another way to write a path, or a path close to it.
func (g generator) variant(path string) string {
	path = strings.TrimSuffix(path, "$")
	path = strings.ReplaceAll(path, "*", g.pick("", "a", "/", "?", "2F", "b/a", "*"))
	for range g.IntN(3) {
		from := g.pick("/", "?", "a", "b", ":", "@", "%2F", "%3A", "%61", "%", "é", "[", " ", "{", "|", "'", "%27")
		to := g.pick("/", "?", "a", "%2F", "%2f", "%3A", ":", "%3F", "%61", "%62", "%C3%A9", "%40", "/./", "/x/../", "%20", "%5B", "%7b", "%7C", "|", "'", "%27")
		path = strings.Replace(path, from, to, 1+g.IntN(2))
	}
	return path + g.pick("", "", "a", "/", "?a=b", "/../", "$")
}

func (g generator) eol() string { return g.pick("\n", "\n", "\n", "\r\n", "\r", "\n\n", "") }

func (g generator) agent() string {
	return g.pick("*", "*", "a", "A", "b", "a-b", "A-B", "c_d", "", "a1", "a-b.c", "a/2")
}

// file makes up a robots.txt file.
func (g generator) file() string {
	var b strings.Builder
	b.WriteString(g.pick("", "", "", "\xEF\xBB\xBF", "\xEF\xBB", "\xEF"))
	if g.IntN(4) > 0 {
		b.WriteString("User-agent: " + g.agent() + "\n")
	}
	for range g.IntN(10) {
		field, value := g.pick("Allow", "Disallow", "Disallow"), g.path()
		switch g.IntN(8) {
		case 0, 1:
			field = g.pick("User-agent", "user-AGENT")
			value = g.agent() + g.pick("", "", "", "", "/1.0", "*", " x", "\x01", "1", "#c")
		case 2:
			field = g.pick("Sitemap", "Crawl-delay", "useragent", "disalow", "Disallowed", "Noindex", "", "Foo", "\xEF\xBB\xBFAllow")
		}
		if g.IntN(4) > 0 {
			b.WriteString(field + ": " + value + g.eol())
			continue
		}
		space := g.pick("", " ", "\t", "\v", "\f", "  ", "\u00a0", "\x00")
		b.WriteString(g.pick("", "", "", space) + field + g.pick("", space) + g.pick(":", ":", ":", ":", " ", "::", "") +
			space + value + g.pick("", "", "", space) + g.pick("", "", "# c", " #") + g.eol())
	}
	return b.String()
}

// url makes up a URL, most often out of a line of the file.
func (g generator) url(file string) string {
	path := g.path()
	if lines := strings.FieldsFunc(file, func(r rune) bool { return r == '\n' || r == '\r' }); len(lines) > 0 && g.IntN(4) > 0 {
		_, value, _ := strings.Cut(lines[g.IntN(len(lines))], ":")
		path = g.variant(strings.Trim(value, " \t\v\f"))
	}
	return g.pick("http://h", "http://h", "http://h", "https://u:p;w@h:1", "//h", "", "h", "http://[::1]") + path + g.pick("", "", "", "#f")
}
