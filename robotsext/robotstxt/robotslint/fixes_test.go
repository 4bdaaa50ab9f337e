package robotslint

import (
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

var (
	rewriteFix = regexp.MustCompile(`^write (?:"([^"]*)"|'([^']*)')`)
	removeFix  = regexp.MustCompile(`\bremove (it|the line|line \d+|the group, lines \d+ to \d+)($|[ ,;])`)
)

// edits returns the lines that a fix replaces, with "" for those that it removes.
func edits(f Finding) map[int]string {
	if m := rewriteFix.FindStringSubmatch(f.Fix); m != nil {
		line := m[1] + m[2]
		if raw, err := strconv.Unquote(`"` + line + `"`); err == nil && quoteAll(raw) == `"`+line+`"` {
			line = raw
		}
		return map[int]string{f.Line: line}
	}
	lines := map[int]string{}
	if removeFix.MatchString(f.Fix) {
		first, last := lineRange(f)
		for n := first; n <= last; n++ {
			lines[n] = ""
		}
	}
	return lines
}

// fixChecker applies the fixes of files and counts them.
type fixChecker struct {
	fixes   int
	harmful []string
}

// check applies each fix of a file alone, and then all of them.
func (c *fixChecker) check(body string) {
	all := map[int]string{}
	for _, f := range Lint([]byte(body), &Options{MaxPerKind: -1}) {
		lines := edits(f)
		if len(lines) == 0 {
			continue
		}
		c.fixes++
		c.compare(body, lines, f)
		for n, line := range lines {
			if old, ok := all[n]; !ok || old != "" {
				all[n] = line
			}
		}
	}
	if len(all) > 1 {
		c.compare(body, all, Finding{Fix: "all fixes"})
	}
}

// compare holds that replacing lines disallows nothing that was allowed, as lenient parsers
// read the file and as all others do.
func (c *fixChecker) compare(body string, lines map[int]string, f Finding) {
	after := replaceLines(body, lines)
	for _, opts := range []robotstxt.Options{{Lenient: true}, {}} {
		was, is := robotstxt.Parse([]byte(body), &opts), robotstxt.Parse([]byte(after), &opts)
		paths := probes(was, is, f)
		for _, agent := range slices.Compact(slices.Sorted(slices.Values(append(append(was.Agents(), is.Agents()...), "unknownbot")))) {
			for _, path := range paths {
				if was.Group(agent).Match(path).Allowed && !is.Group(agent).Match(path).Allowed {
					c.harmful = append(c.harmful, fmt.Sprintf("line %d: %s %q: lenient %t, %s may not fetch %s any more\n%s", f.Line, f.Kind, f.Fix, opts.Lenient, agent, path, body))
					return
				}
			}
		}
	}
}

// probes returns paths that the rules of two files match, and some that they almost match.
func probes(was, is *robotstxt.File, f Finding) []string {
	paths := []string{"/", "/unknown", "/?q=1"}
	add := func(pattern string) {
		pattern = strings.TrimSuffix(pattern, "$")
		if !strings.HasPrefix(pattern, "/") {
			pattern = "/" + pattern
		}
		path := strings.ReplaceAll(pattern, "*", "")
		paths = append(paths, path, path+"x", strings.ReplaceAll(pattern, "*", "x/")+"/y")
	}
	add(f.Text)
	for _, file := range []*robotstxt.File{was, is} {
		for _, agent := range file.Agents() {
			rules := file.Group(agent).Rules()
			for i := 0; i < len(rules); i += 1 + len(rules)/200 { // a sample of long lists
				add(rules[i].Pattern)
			}
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// mutator breaks files in ways in which people break them.
type mutator struct{ *rand.Rand }

func (m mutator) pick(from ...string) string { return from[m.IntN(len(from))] }

// excerpt returns up to 40 lines of a file.
func (m mutator) excerpt(body string) []string {
	lines := strings.FieldsFunc(body, func(c rune) bool { return c == '\n' || c == '\r' })
	if len(lines) > 40 {
		start := m.IntN(len(lines) - 39)
		lines = append([]string{lines[0]}, lines[start:start+39]...)
	}
	return lines
}

func (m mutator) mutate(lines []string) string {
	for range 1 + m.IntN(4) {
		i := m.IntN(len(lines))
		name, value, ok := strings.Cut(lines[i], ":")
		if !ok {
			name, value = m.pick("Disallow", "Allow", "User-agent"), m.pick("", "/", "/a", "*", "bot")
		}
		value = strings.TrimSpace(value)
		switch m.IntN(12) {
		case 0: // no colon
			lines[i] = name + m.pick(" ", "\t", "  ", "=", " = ", "：", " -> ", ";", "-", "") + m.pick(value, value+":b", "/wiki/Special:Search", "https://example.com/s.xml")
		case 1, 2: // two fields on one line
			if i+1 < len(lines) {
				lines[i] += m.pick("", " ", "\t") + lines[i+1]
				lines = slices.Delete(lines, i+1, i+2)
			}
		case 3, 4: // a longer name
			lines[i] = name + m.pick("AITraining", "-AI", "_images", "-Robots", " Robots", "s", "2", "ed") + m.pick(": ", " ", "\t") + value
		case 5: // a misspelled name
			if n := len(name); n > 3 {
				at := m.IntN(n - 1)
				lines[i] = m.pick(name[:at]+name[at+1:], name[:at]+name[at+1:at+2]+name[at:at+1]+name[at+2:], name[:at]+"q"+name[at:]) + ": " + value
			}
		case 6:
			lines[i] = m.pick("Useragent", "User agent", "Dissallow", "Disalow", "Diasllow", "Alow", "Site-map", "Crawldelay") + m.pick(": ", " ") + value
		case 7: // a broken path
			lines[i] = name + ": " + m.pick(strings.TrimPrefix(value, "/"), "https://example.com"+value, value+" // all", value+" (old)", value+" "+value, value+"#a", `/\`+value, "/a/.."+value, "/./"+value, `"`+value+`"`, value+"\x01", "\u200b"+value, "\ufeff"+value, "/a|b"+value, value+"$x", "none", "no", "all", "yes")
		case 8: // a rule without effect, alone in its group or not
			lines[i] = m.pick("Allow:", "Disallow:", "Disallow: /robots.txt", "Allow", "Noindex: /")
		case 9: // a group without a valid name, or for another crawler
			lines[i] = "User-agent: " + m.pick("all", `"Googlebot"`, "Googlebot/2.1", "Mozilla/5.0 (compatible; ExampleBot/1.0)", "a, b", "*bot", "", "Example Bot", "*", "bot")
		case 10: // the same line again
			lines = slices.Insert(lines, m.IntN(len(lines)+1), lines[i])
		case 11:
			lines = slices.Insert(lines, i, m.pick("User-agent: *", "User-agent: bot", "Disallow: /", "Allow: /", "Disallow: /a", "Allow: /a/b", "Request-rate: 1/10m", "Crawl-delay: 1"))
		}
	}
	return strings.Join(lines, "\n") + "\n"
}

// TestFixesDisallowNothing applies the fixes of real files, and of files made of them by
// mutation.
func TestFixesDisallowNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("it lints all real robots.txt files")
	}
	var bodies []string
	var c fixChecker
	for _, name := range realFiles(t) {
		body, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		bodies = append(bodies, string(body))
		c.check(string(body))
	}
	ofReal, harmful := c.fixes, len(c.harmful)
	t.Logf("real files: %d fixes, %d harmful", ofReal, harmful)
	for seed := range uint64(2000) {
		m := mutator{rand.New(rand.NewPCG(seed, 2))}
		lines := m.excerpt(bodies[m.IntN(len(bodies))])
		if seed%2 == 0 || len(lines) == 0 {
			lines = m.excerpt("User-agent: a\n" + strings.TrimPrefix(newGenerator(seed).file(), bom))
		}
		c.check(m.mutate(lines))
	}
	t.Logf("mutations: %d fixes, %d harmful", c.fixes-ofReal, len(c.harmful)-harmful)
	for _, what := range c.harmful[:min(len(c.harmful), 20)] {
		t.Error(what)
	}
	if ofReal < 1000 || c.fixes-ofReal < 2000 {
		t.Errorf("only %d and %d fixes were put to the test", ofReal, c.fixes-ofReal)
	}
}
