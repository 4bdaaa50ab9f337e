package robotstxt

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/robotsext/internal/rulepath"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt/robotstxttest"
)

// awkward are files that have once been hard to read for one parser or another.
var awkward = []string{
	"",
	"User-agent: *\nDisallow: /a*b$\nAllow: /a%62?u=http://h/\n",
	"\xEF\xBB\xBFuser-agent: a\r\rdisallow:/%%34%31\r\nuser-agent:\ndisallow: /\n",
	"\xEF\xBBUser-agent: * x\nDisallow: /$$\nDisallow: /**$\nAllow: /?a=%2F*F$\n",
	"disallow: /\nuser agent\ndisallow /x\nsitemap: http://müller.eu/ü\n: x\n\x00",
	"User-agent: a\nCrawl-delay: 1e9\nRequest-rate: 1/0h 0000-2400\nContent-Usage: /a train-ai=(\"\\\nClean-param: a&&b *\n",
	"User-agent: a\nUser-agent: b\nDisallow: /../%2e%2E/./..\nAllow: /.%2e\nUser-agent: c\n#\nUser-agent: a\nDisallow: /a\x01\nAllow: /b\n",
	"Sitemap: http://h\nSitemap: http://H:80/\nSitemap: :\nSitemap: //\nSitemap: http://[::1]:/\nSitemap: ftp://u:p@h?x\n",
	"<html>\nUser-agent: *\nDisallow: /x y\tz\n</html>",
	"User-agent: *\nDisallow: /{a|b}\nAllow: /\"<>\\^`?[']:%5b%27\nDisallow: /*[]*'\n",
}

var awkwardURLs = []string{
	"", "/", "//", "://", "http://", "http://h", "http://h/a%2Fb?u=http%3A%2F%2Fh/", "h?a#b", "http://u:p;w@h/../%2e./a/..",
	"/%%34%31", "/a?b?c/:@[]", "/é\xe9\x00%", "#", "/.", "/..", "/?/../", "http://[::1/x", "//http://h;p?q", "/robots.txt",
	"/%7ba|b}?[%27]:",
}

func small(parts ...int) bool {
	n := 0
	for _, p := range parts {
		n += p
	}
	return n < 4000
}

// FuzzParse reads anything, under all options, asks everything, and prints it.
func FuzzParse(f *testing.F) {
	f.Add([]byte("sitemAp:http://\xb4"), uint16(0), "")
	f.Add([]byte("\uf1c70:"), uint16(0), "")
	f.Add([]byte("\n\uff21: x\nUser-agent: a\nDisallow: /\n"), uint16(0), "") // the first octet of a name is that of a mark
	for i, body := range awkward {
		f.Add([]byte(body), uint16(1<<i), awkwardURLs[i])
	}
	f.Fuzz(func(t *testing.T, body []byte, flags uint16, url string) {
		on := func(bit int) bool { return flags>>bit&1 == 1 }
		file := Parse(body, &Options{
			GoogleParser: on(0), Lenient: on(1), AssumeSlash: on(3), RequestRateDelay: on(4),
			MaxBytes: map[bool]int{true: 50}[on(5)], MaxCrawlDelay: map[bool]time.Duration{true: -1}[on(6)],
		})
		lines := 1 + strings.Count(string(body), "\n") + strings.Count(string(body), "\r")
		for _, x := range file.Findings {
			if x.Line < 0 || x.Line > lines || x.Kind.SpecID() == "" || x.String() == "" {
				t.Errorf("finding %+v", x)
			}
		}
		for _, s := range file.Sitemaps {
			if s.Line < 1 || s.Line > lines || !strings.Contains(s.URL, "://") {
				t.Errorf("sitemap %+v", s)
			}
		}
		for _, agent := range append(file.Agents(), "", "*", url) {
			g := file.Group(agent)
			if d := g.CrawlDelay(); d < 0 {
				t.Errorf("delay %v", d)
			}
			for _, r := range g.Rules() {
				if r.Line < 1 || r.Line > lines {
					t.Errorf("rule %+v", r)
				}
			}
			g.ContentUsage(url)
			g.ContentSignals(url)
			g.VisitTimes()
			if v := file.Check(url, agent, "x"); !v.Allowed && v.Rule == nil && v.Err == nil || v.Group == nil {
				t.Errorf("verdict %+v", v)
			}
		}
		file.CleanURL(url)
		checkPrint(t, body, &Options{Lenient: on(1), AssumeSlash: on(3)})
		checkCanonical(t, url)
		if small(len(body)) {
			checkOrder(t, body, url)
		}
	})
}

// FuzzCheck holds the matcher and the parser against the naive judge.
func FuzzCheck(f *testing.F) {
	for i, body := range awkward {
		f.Add([]byte(body), "a", awkwardURLs[i])
		f.Add([]byte(body), "", awkwardURLs[len(awkwardURLs)-1-i])
		f.Add([]byte("User-agent: h3.bot\n"+body), "h3.bot/2", awkwardURLs[i])
	}
	f.Fuzz(func(t *testing.T, body []byte, token, url string) {
		if small(len(body), len(url)) {
			judge(t, body, token, url)
		}
	})
}

func judge(t *testing.T, body []byte, token, url string) {
	t.Helper()
	v := checkBothWays(t, Parse(body, nil), url, token)
	if token != "*" {
		var err error
		if token, err = ProductToken(token); err != nil {
			wantNoName(t, v)
			return
		}
	}
	if want := robotstxttest.Allowed(body, []string{token}, url); v.Allowed != want || v.Err != nil {
		t.Errorf("%q\n%q for %q: got %v by %v, want %v", body, url, token, v.Allowed, v.Rule, want)
	}
}

// FuzzManyRules holds the matcher against the naive judge where there is nothing but
// rules, as many as there are lines.
func FuzzManyRules(f *testing.F) {
	for i, url := range awkwardURLs {
		f.Add("/\n/a\n/ab\n/a*b\n/ab$\n/a*b*c$\n*\n/*a\n/a?b=/\n/a?*%2F\n/%61b", url)
		f.Add(awkward[i%len(awkward)], url)
	}
	f.Fuzz(func(t *testing.T, rules, url string) {
		if !small(len(rules), len(url)) {
			return
		}
		body := "User-agent: *\n"
		for i, rule := range strings.Split(rules, "\n") {
			body += []string{"Allow: ", "Disallow: "}[i%2] + rule + "\n"
		}
		judge(t, []byte(body), "a", url)
	})
}

// FuzzGenerated holds everything against each other on files and URLs that are
// made up, which come to the point sooner than what the fuzzer finds.
func FuzzGenerated(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(seed)
	}
	f.Fuzz(generated)
}

// TestGenerated is a short round of FuzzGenerated.
func TestGenerated(t *testing.T) {
	for seed := range uint64(1500) {
		if generated(t, seed); t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func generated(t *testing.T, seed uint64) {
	g := newGenerator(seed)
	body := g.file()
	for range 4 {
		url := g.url(body)
		judge(t, []byte(body), g.agent(), url)
		checkBothWays(t, Parse([]byte(body), &Options{GoogleParser: true}), url, []string{g.agent(), g.agent()}[:1+g.IntN(2)]...)
		checkOrder(t, []byte(body), url)
		checkCanonical(t, url)
	}
	checkPrint(t, []byte(body), nil)
	explained(t, g, body)
}

// checkPrint holds that a file means the same after it was printed and parsed.
func checkPrint(t *testing.T, body []byte, opts *Options) {
	t.Helper()
	before := Parse(body, opts)
	printed := before.String()
	after := Parse([]byte(printed), opts)
	if diff := cmp.Diff(meaning(before), meaning(after)); diff != "" {
		t.Errorf("%q printed as\n%s\n%s", body, printed, diff)
	}
	if again := after.String(); again != printed {
		t.Errorf("printed again:\n%q\n%q", printed, again)
	}
}

// meaning is all that a file says, without line numbers.
func meaning(f *File) string {
	var w strings.Builder
	for _, agent := range f.Agents() {
		g := f.Group(agent)
		fmt.Fprintf(&w, "%q %v\n", g.Name(), g.CrawlDelay())
		for _, r := range g.Rules() {
			fmt.Fprintf(&w, "\t%v %q\n", r.Allow, r.Pattern)
		}
	}
	for _, e := range f.Extensions {
		fmt.Fprintf(&w, "%q %q %q\n", e.Field, e.Value, e.Agents)
	}
	for _, s := range f.Sitemaps {
		fmt.Fprintf(&w, "%q\n", s.URL)
	}
	return w.String()
}

// checkOrder holds that neither the order of groups nor that of rules changes a verdict.
func checkOrder(t *testing.T, body []byte, url string) {
	t.Helper()
	f := Parse(body, nil)
	var w strings.Builder
	for _, b := range slices.Backward(f.blocks) {
		slices.Reverse(f.rules[b.rules.lo:b.rules.hi]) // no group has been asked for yet
		f.writeBlock(&w, &b)
	}
	reversed := Parse([]byte(w.String()), nil)
	f = Parse(body, nil)
	for _, agent := range append(f.Agents(), "x") {
		if got, want := reversed.Check(url, agent).Allowed, f.Check(url, agent).Allowed; got != want {
			t.Errorf("%q for %q is %v, in reverse order %v:\n%s\n%s", url, agent, want, got, body, w.String())
		}
	}
}

// checkCanonical holds that a canonical form is its own canonical form, and that it
// looks like one.
func checkCanonical(t *testing.T, s string) {
	isASCII := func(s string) bool { return !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) }
	path := canonicalPath(s, 0)
	if again := canonicalPath(path, 0); again != path {
		t.Errorf("path %q: %q, then %q", s, path, again)
	}
	if !strings.HasPrefix(path, "/") || strings.ContainsAny(path, "*$#\t\x00"+neverRaw) || !isASCII(path) {
		t.Errorf("path %q: %q", s, path)
	}
	rule, length := canonicalRule(s, 0)
	again, _ := canonicalRule(rule, 0)
	if again != rule || !isASCII(rule) || strings.ContainsAny(rule, neverRaw) || length > len(rule) || strings.Contains(strings.TrimSuffix(rule, "$"), "$") {
		t.Errorf("rule %q: %q of length %d, then %q", s, rule, length, again)
	}
	escaped := rulepath.EscapeQuery(path)
	if rulepath.EscapeQuery(escaped) != escaped {
		t.Errorf("query %q: %q", path, escaped)
	}
}

// FuzzProductToken shows that what ProductToken returns is a product token.
func FuzzProductToken(f *testing.F) {
	f.Add("Mozilla/5.0 (compatible; ExampleBot/0.1; https://www.example.com/bot.html)")
	f.Add("İcompatible;")
	f.Add("h3bot/2")
	f.Add("360.Spider")
	f.Add("((a) b")
	f.Fuzz(func(t *testing.T, userAgent string) {
		token, err := ProductToken(userAgent)
		if (err == nil) != isName(token) || err == nil && !strings.Contains(userAgent, token) {
			t.Errorf("%q: %q, %v", userAgent, token, err)
		}
		for _, parent := range WithParents(token) {
			if !strings.HasPrefix(token, parent) {
				t.Errorf("%q is no parent of %q", parent, token)
			}
		}
	})
}
