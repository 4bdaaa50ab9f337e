package robotslint

import (
	"math/rand/v2"
	"strings"
)

// generator makes up files in which rules get into each other's way. The same
// seed gives the same ones.
type generator struct{ *rand.Rand }

func newGenerator(seed uint64) generator {
	return generator{rand.New(rand.NewPCG(seed, 1))}
}

func (g generator) pick(from ...string) string { return from[g.IntN(len(from))] }

func (g generator) some(n int, from ...string) string {
	var b strings.Builder
	for range g.IntN(n + 1) {
		b.WriteString(g.pick(from...))
	}
	return b.String()
}

// path makes up a path of few different parts, so that one often covers another.
func (g generator) path() string {
	return g.pick("/", "/", "/", "/", "/a", "*", "/a?", "/%2", "a", "") + g.some(4, "a", "a", "b", "/", "/", "*", "?", "=",
		"$", ":", "%3A", "%24", "%2F", "%61", "24", "..", "./") + g.pick("", "", "", "*", "**", "$", "*$", "/")
}

func (g generator) file() string {
	var b strings.Builder
	b.WriteString(g.pick("", "", "", bom, "Crawl-delay: 1\n", "Disallow: /\n"))
	agents := []string{"*", "*", "a", "A", "b", "b1", "b/2", "c d", "*c", ""}
	for range 1 + g.IntN(3) {
		for range 1 + g.IntN(2) {
			b.WriteString("User-agent: " + g.pick(agents...) + g.pick("\n", "\n", "\n\n", "\r\n", "\r", "\nCrawl-delay: 2\n"))
		}
		for range g.IntN(7) {
			field := g.pick("Allow: ", "Disallow: ", "Disallow: ", "Disalow: ", "disallow:")
			b.WriteString(field + g.path() + g.pick("", "", "", "", " # c", "#c") + g.pick("\n", "\n", "\n", "\r\n", "\nSitemap: /s\n"))
		}
	}
	return b.String()
}

// url makes up a URL of the parts of a rule, or of nothing in particular.
func (g generator) url(paths []string) string {
	path := g.path()
	if len(paths) > 0 && g.IntN(4) > 0 {
		path = strings.TrimSuffix(paths[g.IntN(len(paths))], "$")
		for strings.Contains(path, "*") {
			path = strings.Replace(path, "*", g.pick("", "", "a", "b", "/", "?", "a/b", "$", "%3A", "2F"), 1)
		}
		for range g.IntN(2) {
			path = strings.Replace(path, g.pick("/", "?", ":", "=", "a", "%3A"), g.pick("/", "?", "%2F", "%3A", ":", "b", "%3F", "//"), 1)
		}
	}
	return "http://h/" + strings.TrimPrefix(path, "/") + g.pick("", "", "", "a", "b", "/", "?", "?a", "?a=b/", "24")
}
