package robotsdiff

import (
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/politecrawl/politecrawl/robotsext/internal/rulepath"
)

// A generator makes up files and what becomes of them when they are edited. The
// same seed gives the same ones.
type generator struct {
	*rand.Rand
	alphabet []string // of paths
}

// plainText and query are what paths are made of, without and with what makes
// queries hard.
var (
	plainText = []string{"a", "b", "/", "/", "a", "b"}
	query     = []string{"a", "b", "/", "/", "?", "=", "&"}
	forms2    = []string{"a", "b", "/", "?", "?", ":", "%2F", "%3F", "/", "%3A"}
	awkward   = []string{"a", "/", "?", "%61", ".", "..", "/../", "/./", "é", "[", "{", "%7b", "|", "'", "%27", "$", " ", "%25", "%2A", "%24"}
)

func newGenerator(seed uint64, alphabet []string) generator {
	return generator{rand.New(rand.NewPCG(seed, seed)), alphabet}
}

func (g generator) pick(from ...string) string { return from[g.IntN(len(from))] }

func (g generator) text(n int) string {
	var b strings.Builder
	for range g.IntN(n + 1) {
		b.WriteString(g.pick(g.alphabet...))
	}
	return b.String()
}

// pattern makes up the pattern of a rule.
func (g generator) pattern() string {
	p := g.pick("/", "/", "/", "*") + g.text(3)
	for range g.IntN(3) {
		p += "*" + g.text(3)
	}
	return p + g.pick("", "", "", "$")
}

func (g generator) rule() string {
	return g.pick("Allow: ", "Disallow: ", "Disallow: ") + g.pattern()
}

// rules makes up some rules.
func (g generator) rules(n int) []string {
	list := make([]string, g.IntN(n+1))
	for i := range list {
		list[i] = g.rule()
	}
	return list
}

// edited makes up what becomes of rules.
func (g generator) edited(rules []string) []string {
	list := slices.Clone(rules)
	for range g.IntN(4) {
		i := g.IntN(len(list) + 1)
		if i == len(list) {
			list = append(list, g.rule())
			continue
		}
		switch g.IntN(4) {
		case 0:
			list = slices.Delete(list, i, i+1)
		case 1:
			list[i] = g.rule()
		case 2:
			field, pattern, _ := strings.Cut(list[i], ": ")
			list[i] = map[string]string{"Allow": "Disallow: ", "Disallow": "Allow: "}[field] + pattern
		case 3:
			list[i] += g.pick("a", "*", "/", "$")
		}
	}
	g.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

// groups makes up a file of several groups.
func (g generator) groups() string {
	var b strings.Builder
	for range 1 + g.IntN(4) {
		for range 1 + g.IntN(2) {
			b.WriteString("User-agent: " + g.pick("*", "a", "b", "B", "c") + "\n")
		}
		for _, r := range g.rules(3) {
			b.WriteString(r + "\n")
		}
	}
	return b.String()
}

// path makes up a path that is often matched by rules.
func (g generator) path(rules []string) string {
	if len(rules) == 0 || g.IntN(5) == 0 {
		return "/" + g.text(6)
	}
	_, p, _ := strings.Cut(g.pick(rules...), ": ")
	_, other, _ := strings.Cut(g.pick(rules...), ": ")
	p, open := strings.CutSuffix(p, "$")
	if !open || g.IntN(2) == 0 {
		p += g.pick("", "z", g.text(3), strings.TrimSuffix(other, "$"))
	}
	for strings.Contains(p, "*") {
		p = strings.Replace(p, "*", g.pick("", "", "z", g.text(3), g.text(3), strings.ReplaceAll(strings.TrimSuffix(other, "$"), "*", "")), 1)
	}
	if !strings.HasPrefix(p, "/") {
		p = "/" + p
	}
	// A query is escaped or not, not half of it.
	if before, query, ok := strings.Cut(p, "?"); ok && g.IntN(2) == 0 {
		return rulepath.EscapeQuery(p)
	} else if ok {
		return before + "?" + queryUnescapes.Replace(query)
	}
	return p
}
