package usage

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

var now = time.Date(2026, 8, 31, 12, 0, 0, 0, time.UTC)

// site is what a site says about one page.
type site struct {
	robots string   // robots.txt
	tdmrep string   // tdmrep.json
	rsl    string   // license file
	header []string // "Name: value"
	meta   []string // "name=content"
	path   string   // "" means "/"
	agent  string   // "" means "examplebot"
}

// statements reads all signals of the page.
func (s site) statements(t testing.TB) []Statement {
	t.Helper()
	if s.path == "" {
		s.path = "/"
	}
	if s.agent == "" {
		s.agent = "examplebot"
	}
	f := robotstxt.Parse([]byte(s.robots), nil)
	all := FromRobots(f, f.Group(s.agent), Hash([]byte(s.robots)), s.path)
	if s.tdmrep != "" {
		file, err := ParseTDMRep([]byte(s.tdmrep))
		if err != nil {
			t.Fatal(err)
		}
		if statement, ok := file.Match(s.path); ok {
			all = append(all, statement)
		}
	}
	if s.rsl != "" {
		file, err := ParseRSL([]byte(s.rsl), "https://example.com/license.xml")
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, file.Match("example.com", s.path)...)
	}
	all = append(all, FromHeader(headers(s.header...), []string{s.agent}, now)...)
	return append(all, FromMeta(metas(s.meta...), []string{s.agent}, now)...)
}

func headers(lines ...string) http.Header {
	h := http.Header{}
	for _, line := range lines {
		name, value, _ := strings.Cut(line, ": ")
		h.Add(name, value)
	}
	return h
}

type meta struct{ Name, Content string }

func metas(elements ...string) []meta {
	var all []meta
	for _, element := range elements {
		name, content, _ := strings.Cut(element, "=")
		all = append(all, meta{name, content})
	}
	return all
}

// values returns the decided purposes as "search=allowed, tdm=disallowed".
func values(v Verdicts) string {
	var out []string
	for _, p := range Purposes {
		if verdict, ok := v[p]; ok {
			out = append(out, fmt.Sprintf("%s=%s", p, verdict.Value))
		}
	}
	return strings.Join(out, ", ")
}

type valueTest struct {
	name string
	site site
	want string
}

func runValues(t *testing.T, tests []valueTest) {
	t.Helper()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			statements := tt.site.statements(t)
			if got := values(Merge(statements)); got != tt.want {
				t.Errorf("got %q, want %q of %+v", got, tt.want, statements)
			}
		})
	}
}

// TestAttachDraft holds FromRobots and FromHeader to the examples of
// draft-ietf-aipref-attach.
func TestAttachDraft(t *testing.T) {
	const example = "User-Agent: *\nAllow: /\nDisallow: /never/\nContent-Usage: / train-ai=n\nContent-Usage: /ai-ok/ train-ai=y\n\n" +
		"User-Agent: ExampleBot\nAllow: /\nContent-Usage: / train-ai=y\n"
	robots := func(lines ...string) string { return "User-Agent: *\nAllow: /\n" + strings.Join(lines, "\n") + "\n" }
	runValues(t, []valueTest{
		{"1.2 header", site{header: []string{"Content-Usage: train-ai=n"}}, "train-ai=disallowed"},
		{"1.2 robots.txt", site{robots: robots("Content-Usage: / train-ai=n"), path: "/x"}, "train-ai=disallowed"},
		{"2 a dictionary in several lines", site{header: []string{"Content-Usage: train-ai=n", "Content-Usage: search=y"}}, "search=allowed, train-ai=disallowed"},
		{"3 without a path, as in version 05", site{robots: robots("Content-Usage: train-ai=n"), path: "/x"}, "train-ai=disallowed"},
		{"3.1 the longest path", site{robots: robots("Content-Usage: /a train-ai=n", "Content-Usage: /a/b search=y"), path: "/a/b/c"}, "search=allowed"},
		{"3.1 the length counts bytes of the encoded path", site{robots: robots("Content-Usage: /ü train-ai=n", "Content-Usage: /%C3* train-ai=y"), path: "/%C3%BC"}, "train-ai=disallowed"},
		{"3.1 a space is escaped", site{robots: robots("Content-Usage: /a%20b train-ai=n"), path: "/a b"}, "train-ai=disallowed"},
		{"3.1 a tab is escaped", site{robots: robots("Content-Usage: /a%09b train-ai=n"), path: "/a%09b"}, "train-ai=disallowed"},
		{"3.1 rules in any order", site{robots: "User-agent: *\nContent-Usage: /a/b train-ai=y\nDisallow: /c\nContent-Usage: /a train-ai=n\nAllow: /a\n", path: "/a/b"}, "train-ai=allowed"},
		{"3.1 identical paths", site{robots: robots("Content-Usage: /a train-ai=y, search=y", "Content-Usage: /a train-ai=n"), path: "/a"}, "search=allowed, train-ai=disallowed"},
		{"3.1 none for disallowed paths", site{robots: robots("Disallow: /a", "Content-Usage: / train-ai=n"), path: "/a"}, ""},
		{"3.2 space and tab around label and colon", site{robots: robots(" \tContent-Usage \t:\t /\ttrain-ai=n"), path: "/x"}, "train-ai=disallowed"},
		{"3.2 a comment", site{robots: robots("Content-Usage: / train-ai=n # search=y"), path: "/x"}, "train-ai=disallowed"},
		{"3.4 table, /test", site{robots: example, path: "/test", agent: "OtherBot"}, "train-ai=disallowed"},
		{"3.4 table, /never/test", site{robots: example, path: "/never/test", agent: "OtherBot"}, ""},
		{"3.4 table, /ai-ok/test", site{robots: example, path: "/ai-ok/test", agent: "OtherBot"}, "train-ai=allowed"},
		{"3.4 ExampleBot, /test", site{robots: example, path: "/test", agent: "ExampleBot"}, "train-ai=allowed"},
		{"3.4 ExampleBot, /never/test", site{robots: example, path: "/never/test", agent: "ExampleBot"}, "train-ai=allowed"},
	})
}

// TestVocabularyDraft holds Content-Usage to the examples of draft-ietf-aipref-vocab.
func TestVocabularyDraft(t *testing.T) {
	usage := func(value string) site { return site{header: []string{"Content-Usage: " + value}} }
	runValues(t, []valueTest{
		{"3 no statement", site{}, ""},
		{"5.1 any disallow", site{header: []string{"Content-Usage: search=n"}, robots: "User-agent: *\nContent-Usage: search=y\n"}, "search=disallowed"},
		{"5.1 otherwise any allow", site{header: []string{"Content-Usage: train-ai=n"}, robots: "User-agent: *\nContent-Usage: search=y\n"}, "search=allowed, train-ai=disallowed"},
		{"5.1 a disallow of another signal", site{header: []string{"TDM-Reservation: 0", "Content-Usage: train-ai=n"}}, "train-ai=disallowed, tdm=allowed"},
		{"5.1 an allow of another signal", site{rsl: `<rsl><content url="/"><license><permits>ai-train</permits></license></content></rsl>`, meta: []string{"robots=noai"}}, "ai-input=disallowed, train-ai=disallowed"},
		{"5.1 an allow of robots.txt and a disallow of the page", site{robots: "User-agent: *\nContent-Signal: ai-train=yes\n", meta: []string{"tdm-reservation=1"}}, "train-ai=disallowed, tdm=disallowed"},
		{"6", usage("train-ai=y, search=n"), "search=disallowed, train-ai=allowed"},
		{"6.1 AI training", usage("train-ai=n"), "train-ai=disallowed"},
		{"6.1 AI use", usage("ai-use=n"), "ai-input=disallowed"},
		{"6.1 search", usage("search=n"), "search=disallowed"},
		{"6.1 labels are case-sensitive", usage("Train-AI=n"), ""},
		{"6.2 values are case-sensitive", usage("train-ai=N"), ""},
		{"6.4 unknown labels", usage("future=n, train-ai=n"), "train-ai=disallowed"},
		{"6.4 unknown parameters", usage("train-ai=n;future=1"), "train-ai=disallowed"},
		{"6.5 a string", usage(`train-ai="n"`), ""},
		{"6.5 another token", usage("train-ai=no"), ""},
		{"6.5.1 other types", usage(`train-ai=y, train-ai, search=n, search="n"`), ""},
		{"6.5.1 parsing fails", usage("train-ai=n, SEARCH=n"), ""},
		{"6.5.2 parameters of another value", usage("train-ai;allow=n, train-ai=y"), "train-ai=allowed"},
		{"6.5.2 parameters of an unknown preference", usage(`train-ai;has;parameters="?";`), ""},
		{"6.5.2 the same without the last semicolon", usage(`train-ai;has;parameters="?"`), ""},
	})
}

// TestTDMRep checks the readers with the examples of the TDMRep specification. The examples of the
// section "Expressing a TDM Policy" are policies, which no reader parses.
func TestTDMRep(t *testing.T) {
	const all = `[ { "location": "/", "tdm-reservation": 1 } ]`
	const groups = `[
		{ "location": "/directory-a/", "tdm-reservation": 1 },
		{ "location": "/directory-b/html/", "tdm-reservation": 1, "tdm-policy":"https://provider.com/policies/policy.json" },
		{ "location": "/directory-b/images/*.jpg", "tdm-reservation": 0 }
	]`
	const reserved, open = "train-ai=disallowed, tdm=disallowed", "train-ai=allowed, tdm=allowed"
	at := func(location, path string) site {
		return site{tdmrep: `[{"location": "` + location + `", "tdm-reservation": 1}]`, path: path}
	}
	runValues(t, []valueTest{
		{"sec-tdm-reservation 1", site{header: []string{"tdm-reservation: 1"}}, reserved},
		{"sec-tdm-reservation 0", site{header: []string{"tdm-reservation: 0"}}, open},
		{"sec-tdm-reservation other values", site{header: []string{"tdm-reservation: 2"}}, ""},
		{"sec-tdm-header without a policy", site{header: []string{"Content-Type: image/jpg", "tdm-reservation: 1"}}, reserved},
		{"sec-tdm-header with a policy", site{header: []string{"tdm-reservation: 1", "tdm-policy: https://provider.com/policies/policy.json"}}, reserved},
		{"sec-tdm-file no match", site{tdmrep: groups, path: "/directory-c/"}, ""},
		{"sec-tdm-file the first in sequence", site{tdmrep: `[{"location":"/a","tdm-reservation":0},{"location":"/a/b","tdm-reservation":1}]`, path: "/a/b"}, open},
		{"sec-tdm-file case", at("/A", "/a"), ""},
		{"sec-tdm-file unreserved characters are decoded", at("/%61b", "/a%62c"), reserved},
		{"sec-tdm-file the end of the rule", at("/abc", "/ab"), ""},
		{"sec-tdm-file-regexp $", at("/this/path/exactly$", "/this/path/exactly"), reserved},
		{"sec-tdm-file-regexp $ and more", at("/this/path/exactly$", "/this/path/exactly/not"), ""},
		{"sec-tdm-file-regexp *", at("/this/*/then", "/this/and/that/then"), reserved},
		{"sec-tdm-file-regexp %24", at("/path/foo-%24", "/path/foo-$"), reserved},
		{"sec-tdm-file-example every file", site{tdmrep: all, path: "/x/y?z"}, reserved},
		{"sec-tdm-file-example directory-a", site{tdmrep: groups, path: "/directory-a/x.pdf"}, reserved},
		{"sec-tdm-file-example html", site{tdmrep: groups, path: "/directory-b/html/x"}, reserved},
		{"sec-tdm-file-example images", site{tdmrep: groups, path: "/directory-b/images/x.jpg"}, open},
		{"sec-tdm-file-example other images", site{tdmrep: groups, path: "/directory-b/images/x.png"}, ""},
		{"sec-tdm-html-meta", site{meta: []string{"tdm-reservation=1", "tdm-policy=https://provider.com/policies/policy.json"}}, reserved},
		{"sec-processing-priority file and header", site{tdmrep: all, header: []string{"tdm-reservation: 0"}}, open},
		{"sec-processing-priority header and meta", site{header: []string{"tdm-reservation: 1"}, meta: []string{"tdm-reservation=0"}}, open},
		{"sec-processing-priority all", site{tdmrep: all, header: []string{"tdm-reservation: 0"}, meta: []string{"tdm-reservation=1"}}, reserved},
		{"sec-processing-priority an error in the header", site{tdmrep: all, header: []string{"tdm-reservation: yes"}}, reserved},
		{"a header sent twice", site{header: []string{"tdm-reservation: 0", "tdm-reservation: 1"}}, reserved},
		{"a quoted number", site{tdmrep: `[{"location":"/","tdm-reservation":"1"}]`}, reserved},
		{"a rule with an error is a match", site{tdmrep: `[{"location":"/","tdm-reservation":true},{"location":"/","tdm-reservation":1}]`}, ""},
		{"a rule without a location", site{tdmrep: `[{"tdm-reservation":0},7,{"location":"/","tdm-reservation":1}]`}, reserved},
		{"a byte order mark", site{tdmrep: "\ufeff" + all}, reserved},
	})

	const policy = "https://provider.com/policies/policy.json"
	for name, tt := range map[string]struct {
		site site
		want string
	}{
		"header":                         {site{header: []string{"tdm-reservation: 1", "tdm-policy: " + policy}}, policy},
		"file":                           {site{tdmrep: groups, path: "/directory-b/html/"}, policy},
		"meta":                           {site{meta: []string{"TDM-Policy=" + policy, "TDM-Reservation=1"}}, policy},
		"none":                           {site{tdmrep: groups, path: "/directory-a/"}, ""},
		"sec-tdm-policy with value 0":    {site{header: []string{"tdm-reservation: 0", "tdm-policy: " + policy}}, ""},
		"a policy that is no string":     {site{tdmrep: `[{"location":"/","tdm-reservation":1,"tdm-policy":{}}]`}, ""},
		"a policy with spaces around it": {site{meta: []string{"tdm-reservation=1", "tdm-policy= " + policy + " "}}, policy},
	} {
		t.Run("policy/"+name, func(t *testing.T) {
			statements := tt.site.statements(t)
			if len(statements) != 1 || statements[0].URL != tt.want {
				t.Errorf("got %+v, want %q", statements, tt.want)
			}
		})
	}

	for name, body := range map[string]string{
		"sec-tdm-file-example without brackets": `{"location": "/", "tdm-reservation": 1}`,
		"sec-policy-examples a policy":          `{"@context": ["http://www.w3.org/ns/odrl.jsonld", {"tdm": "http://www.w3.org/ns/tdmrep#"}], "@type": "Offer", "permission": [{"action": "tdm:mine"}]}`,
		"empty":                                 "",
		"HTML":                                  "<!DOCTYPE html>",
		"too large":                             `["` + strings.Repeat("x", MaxTDMRepBytes) + `"]`,
		"too many rules":                        "[" + strings.Repeat("0,", MaxTDMRepRules) + "0]",
		"nested":                                strings.Repeat("[", 20_000),
	} {
		t.Run("refused/"+name, func(t *testing.T) {
			if _, err := ParseTDMRep([]byte(body)); err == nil {
				t.Error("no error")
			}
		})
	}
}

// TestContentSignal covers the signals of Cloudflare.
func TestContentSignal(t *testing.T) {
	robots := func(lines ...string) site {
		return site{robots: "User-Agent: *\nAllow: /\n" + strings.Join(lines, "\n") + "\n", path: "/private/x"}
	}
	runValues(t, []valueTest{
		{"the example of contentsignals.org", robots("Content-Signal: ai-train=no, search=yes, ai-input=yes"), "search=allowed, ai-input=allowed, train-ai=disallowed"},
		{"absent", robots("Content-Signal: search=yes"), "search=allowed"},
		{"other values", robots("Content-Signal: search=maybe, ai-train=n"), ""},
		{"any case", robots("content-signal: Search=No"), "search=disallowed"},
		{"twice in a line", robots("Content-Signal: search=no, search=yes"), "search=disallowed"},
		{"several lines", robots("Content-Signal: search=yes", "Content-Signal: search=no"), "search=disallowed"},
		{"a path that matches", robots("Content-Signal: ai-train=yes", "Content-Signal: /private/ ai-train=no"), "train-ai=disallowed"},
		{"a path that does not match", robots("Content-Signal: ai-train=yes", "Content-Signal: /other/ ai-train=no"), "train-ai=allowed"},
		{"of another group", site{robots: "User-agent: otherbot\nContent-Signal: ai-train=no\n"}, ""},
	})
}

// TestRobotsRules covers X-Robots-Tag, Robots-Tag and robots meta elements.
func TestRobotsRules(t *testing.T) {
	x := func(value string) site { return site{header: []string{"X-Robots-Tag: " + value}} }
	runValues(t, []valueTest{
		{"noai", x("noai"), "ai-input=disallowed, train-ai=disallowed"},
		{"noimageai", x("noimageai"), "ai-input=disallowed, train-ai=disallowed"},
		{"noarchive", x("noarchive"), "archive=disallowed"},
		{"nocache", x("nocache"), "archive=disallowed"},
		{"nosnippet", x("nosnippet"), "ai-input=disallowed"},
		{"max-snippet of none", x("max-snippet: 0"), "ai-input=disallowed"},
		{"max-snippet", x("max-snippet: 50"), ""},
		{"noindex", x("noindex"), "search=disallowed"},
		{"none", x("none"), "search=disallowed"},
		{"unavailable_after in the past", x("unavailable_after: 2025-01-01"), "search=disallowed"},
		{"unavailable_after in the future", x("unavailable_after: 2030-01-01"), ""},
		{"a date and noai in one line", x("unavailable_after: Wed, 03 Dec 2025 13:00:00 GMT, noai"), "search=disallowed, ai-input=disallowed, train-ai=disallowed"},
		{"a date and noai without a comma", x("unavailable_after: 25 Jun 2010 15:00:00 PST noai"), "search=disallowed, ai-input=disallowed, train-ai=disallowed"},
		{"noai and a date in one line", x("noai, unavailable_after: Wed, 03 Dec 2025 13:00:00 GMT"), "search=disallowed, ai-input=disallowed, train-ai=disallowed"},
		{"rules that grant", x("all, index, follow"), ""},
		{"for this crawler", x("examplebot: noai"), "ai-input=disallowed, train-ai=disallowed"},
		{"for another crawler", x("otherbot: noai"), ""},
		{"Robots-Tag", site{header: []string{"Robots-Tag: *;noarchive, ExampleBot;noai"}}, "ai-input=disallowed, train-ai=disallowed, archive=disallowed"},
		{"meta robots", site{meta: []string{"viewport=noai", "robots=noimageai", "robots=noai"}}, "ai-input=disallowed, train-ai=disallowed"},
		{"meta for this crawler", site{meta: []string{"ExampleBot=noarchive"}}, "archive=disallowed"},
		{"meta for another crawler", site{meta: []string{"otherbot=noarchive"}}, ""},
	})
}

// TestRSL covers license files.
func TestRSL(t *testing.T) {
	rsl := func(content string) string { return `<rsl xmlns="https://rslstandard.org/rsl">` + content + `</rsl>` }
	license := func(terms string) site {
		return site{rsl: rsl(`<content url="/"><license>` + terms + `</license></content>`), path: "/a/b"}
	}
	at := func(url string) site {
		return site{rsl: rsl(`<content url="` + url + `"><license><prohibits>search</prohibits></license></content>`), path: "/a/b?c"}
	}
	nested := rsl(`<content url="/"><license><prohibits>search</prohibits></license></content>` +
		`<content url="/a/"><license><permits>search</permits></license><license><permits>ai-train</permits></license></content>`)
	runValues(t, []valueTest{
		{"prohibits", license(`<prohibits type="usage">ai-all</prohibits>`), "ai-input=disallowed, train-ai=disallowed"},
		{"permits", license(`<permits type="usage">search ai-input</permits>`), "search=allowed, ai-input=allowed"},
		{"separated by commas", license(`<permits>search,ai-train</permits>`), "search=allowed, train-ai=allowed"},
		{"all", license(`<prohibits type="usage">all</prohibits>`), "search=disallowed, ai-input=disallowed, train-ai=disallowed, tdm=disallowed, archive=disallowed"},
		{"prohibits wins", license(`<permits type="usage">all</permits><prohibits type="usage">ai-train</prohibits>`), "search=allowed, ai-input=allowed, train-ai=disallowed, tdm=allowed, archive=allowed"},
		{"a payment is a condition", license(`<permits type="usage">search</permits><prohibits>ai-train</prohibits><payment type="crawl"><amount currency="USD">1</amount></payment>`), "train-ai=disallowed"},
		{"free is none", license(`<permits type="usage">search</permits><payment type="free"/>`), "search=allowed"},
		{"a kind of user is a condition", license(`<permits type="usage">search</permits><permits type="user">education</permits>`), ""},
		{"a prohibition for a country", license(`<prohibits type="geo">DE</prohibits>`), ""},
		{"a license server is a condition", site{rsl: rsl(`<content url="/" server="https://example.com/rsl"><license><permits>search</permits></license></content>`)}, ""},
		{"unknown usages", license(`<permits type="usage">ai-index</permits>`), ""},
		{"no license", site{rsl: rsl(`<content url="/"/>`)}, ""},
		{"the longest URL", site{rsl: nested, path: "/a/b"}, "search=allowed, train-ai=allowed"},
		{"a shorter URL", site{rsl: nested, path: "/b"}, "search=disallowed"},
		{"patterns", at("/*/b?c$"), "search=disallowed"},
		{"another path", at("/x"), ""},
		{"an absolute URL", at("https://example.com/a/*"), "search=disallowed"},
		{"a host alone", at("https://EXAMPLE.com"), "search=disallowed"},
		{"another host", at("https://example.org/"), ""},
	})
	for name, body := range map[string]string{
		"not well-formed": rsl("<content>"),
		"another format":  `<rss><rsl/></rss>`,
		"an entity":       `<!DOCTYPE rsl [<!ENTITY a "b">]>` + rsl(`<content url="/"><license><permits>&a;</permits></license></content>`),
		"too large":       rsl(strings.Repeat(" ", MaxRSLBytes)),
		"too deep":        rsl(strings.Repeat("<content><license><permits>", 5000)),
		"empty":           "",
	} {
		t.Run("refused/"+name, func(t *testing.T) {
			if _, err := ParseRSL([]byte(body), ""); err == nil {
				t.Error("no error")
			}
		})
	}
}

// TestLicenseLinks covers the links to license files.
func TestLicenseLinks(t *testing.T) {
	for _, tt := range []struct {
		name string
		site site
		want []string
	}{
		{"robots.txt", site{robots: "License: https://example.com/license.xml\n\nUser-agent: other\nLicense: /b.xml\n"}, []string{"https://example.com/license.xml", "/b.xml"}},
		{"Link", site{header: []string{`Link: <https://example.com/l.xml>; rel="license"; type="application/rsl+xml"`}}, []string{"https://example.com/l.xml"}},
		{"several links", site{header: []string{`Link: <a>; rel=next, </l>; type="application/RSL+xml; charset=utf-8"; rel="x License"`}}, []string{"/l"}},
		{"another relation", site{header: []string{`Link: </l>; rel="alternate"; type="application/rsl+xml"`}}, nil},
		{"another type", site{header: []string{`Link: </rsl>; rel="license"; type="text/html"`}}, nil},
		{"about another document", site{header: []string{`Link: </l>; rel="license"; type="application/rsl+xml"; anchor="/x"`}}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			statements := tt.site.statements(t)
			for _, s := range statements {
				if s.Kind == KindRSL && s.Values == nil {
					got = append(got, s.URL)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" || Merge(statements) != nil {
				t.Errorf("%s%v", diff, Merge(statements))
			}
		})
	}
}

// TestStatements shows every part of the statements of one page, in JSON.
func TestStatements(t *testing.T) {
	s := site{
		robots: "License: https://example.com/license.xml\nUser-agent: *\nContent-Usage: / train-ai=n, future=y\nContent-Signal: search=yes, use=full\n",
		tdmrep: `[{"location": "/", "tdm-reservation": 1, "tdm-policy": "/policy"}]`,
		rsl:    `<rsl><content url="/"><license> <permits type="usage">search ai-index</permits> </license></content></rsl>`,
		header: []string{"Content-Usage: search=y", "Content-Usage: ai-use", "X-Robots-Tag: nofollow", "X-Robots-Tag: noarchive, max-snippet:5, noarchive", "Robots-Tag: *;noai", "TDM-Reservation: 0"},
		meta:   []string{"robots=index", "ROBOTS=max-snippet:9", "tdm-reservation=1"},
	}
	robots, tdmrep, rsl := Hash([]byte(s.robots)), Hash([]byte(s.tdmrep)), Hash([]byte(s.rsl))
	want := []string{
		`{"kind":"content-usage","source":{"kind":"robots.txt","name":"Content-Usage","line":3,"hash":"` + robots + `"},"raw":"/ train-ai=n, future=y","values":{"train-ai":"disallowed"},"labels":{"future":"y"}}`,
		`{"kind":"content-signal","source":{"kind":"robots.txt","name":"Content-Signal","line":4,"hash":"` + robots + `"},"raw":"search=yes, use=full","values":{"search":"allowed"},"labels":{"use":"full"}}`,
		`{"kind":"rsl","source":{"kind":"robots.txt","name":"License","line":1,"hash":"` + robots + `"},"raw":"https://example.com/license.xml","url":"https://example.com/license.xml"}`,
		`{"kind":"tdmrep","source":{"kind":"file","name":"/.well-known/tdmrep.json","line":1,"hash":"` + tdmrep + `"},"raw":"{\"location\":\"/\",\"tdm-reservation\":1,\"tdm-policy\":\"/policy\"}","url":"/policy","values":{"tdm":"disallowed","train-ai":"disallowed"}}`,
		`{"kind":"rsl","source":{"kind":"file","name":"https://example.com/license.xml","hash":"` + rsl + `"},"raw":"\u003cpermits type=\"usage\"\u003esearch ai-index\u003c/permits\u003e","url":"https://example.com/license.xml","values":{"search":"allowed"},"labels":{"ai-index":"permits"}}`,
		`{"kind":"content-usage","source":{"kind":"header","name":"Content-Usage"},"raw":"search=y, ai-use","values":{"search":"allowed"}}`,
		`{"kind":"x-robots-tag","source":{"kind":"header","name":"X-Robots-Tag","line":2},"raw":"noarchive, max-snippet:5, noarchive","values":{"archive":"disallowed"}}`,
		`{"kind":"robots-tag","source":{"kind":"header","name":"Robots-Tag","line":1},"raw":"*;noai","values":{"ai-input":"disallowed","train-ai":"disallowed"}}`,
		`{"kind":"tdmrep","source":{"kind":"header","name":"TDM-Reservation","line":1},"raw":"0","values":{"tdm":"allowed","train-ai":"allowed"}}`,
		`{"kind":"robots-meta","source":{"kind":"meta","name":"ROBOTS","line":2},"raw":"max-snippet:9"}`,
		`{"kind":"tdmrep","source":{"kind":"meta","name":"tdm-reservation","line":1},"raw":"1","values":{"tdm":"disallowed","train-ai":"disallowed"}}`,
	}
	statements := s.statements(t)
	var got []string
	for _, statement := range statements {
		line, err := json.Marshal(statement)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(line))
		var back Statement
		if err := json.Unmarshal(line, &back); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(statement, back); diff != "" {
			t.Error(diff)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	wantVerdicts := Verdicts{Search: {Allowed, 2}, AIInput: {Disallowed, 8}, TrainAI: {Disallowed, 1}, TDM: {Disallowed, 11}, Archive: {Disallowed, 7}}
	if diff := cmp.Diff(wantVerdicts, Merge(statements)); diff != "" {
		t.Error(diff)
	}
	line, err := json.Marshal(Merge(statements[:2]))
	if want := `{"search":{"value":"allowed","statement":2},"train-ai":{"value":"disallowed","statement":1}}`; string(line) != want || err != nil {
		t.Errorf("got %s, %v", line, err)
	}
}

// TestTwoSignals merges every combination of two signals and compares the result with a
// table of its own.
func TestTwoSignals(t *testing.T) {
	signals := map[string][3]site{ // allow, disallow, absent for train-ai
		"robots.txt Content-Usage":  {{robots: "Content-Usage: train-ai=y"}, {robots: "Content-Usage: train-ai=n"}},
		"robots.txt Content-Signal": {{robots: "Content-Signal: ai-train=yes"}, {robots: "Content-Signal: ai-train=no"}},
		"header Content-Usage":      {{header: []string{"Content-Usage: train-ai=y"}}, {header: []string{"Content-Usage: train-ai=n"}}},
		"header TDM-Reservation":    {{header: []string{"TDM-Reservation: 0"}}, {header: []string{"TDM-Reservation: 1"}}},
		"file tdmrep.json":          {{tdmrep: `[{"location":"/","tdm-reservation":0}]`}, {tdmrep: `[{"location":"/","tdm-reservation":1}]`}},
		"meta tdm-reservation":      {{meta: []string{"tdm-reservation=0"}}, {meta: []string{"tdm-reservation=1"}}},
		"header X-Robots-Tag":       {{header: []string{"X-Robots-Tag: all"}}, {header: []string{"X-Robots-Tag: noai"}}},
		"meta robots":               {{meta: []string{"robots=all"}}, {meta: []string{"robots=noai"}}},
		"file RSL": {
			{rsl: `<rsl><content url="/"><license><permits>ai-train</permits></license></content></rsl>`},
			{rsl: `<rsl><content url="/"><license><prohibits>ai-train</prohibits></license></content></rsl>`},
		},
	}
	table := map[[2]string]string{
		{"allow", "allow"}: "allowed", {"allow", "disallow"}: "disallowed", {"allow", "absent"}: "allowed",
		{"disallow", "allow"}: "disallowed", {"disallow", "disallow"}: "disallowed", {"disallow", "absent"}: "disallowed",
		{"absent", "allow"}: "allowed", {"absent", "disallow"}: "disallowed", {"absent", "absent"}: "unknown",
	}
	stated := [3]string{"allow", "disallow", "absent"}
	strength := map[string]int{"file tdmrep.json": 1, "header TDM-Reservation": 2, "meta tdm-reservation": 3}
	said := func(signal string, i int) string {
		if stated[i] == "allow" && (signal == "header X-Robots-Tag" || signal == "meta robots") {
			return "absent" // they have no rule that grants
		}
		return stated[i]
	}
	combinations := 0
	for first, ones := range signals {
		for second, others := range signals {
			if first >= second {
				continue
			}
			for i := range ones {
				for j := range others {
					a, b := ones[i], others[j]
					both := site{robots: "User-agent: *\n" + a.robots + "\n" + b.robots, tdmrep: a.tdmrep + b.tdmrep, rsl: a.rsl + b.rsl, header: append(a.header, b.header...), meta: append(a.meta, b.meta...)}
					pair := [2]string{said(first, i), said(second, j)}
					if x, y := strength[first], strength[second]; x > 0 && y > 0 && pair[0] != "absent" && pair[1] != "absent" {
						if x > y {
							pair[1] = "absent"
						} else {
							pair[0] = "absent"
						}
					}
					combinations++
					if got := Merge(both.statements(t))[TrainAI].Value.String(); got != table[pair] {
						t.Errorf("%s %s, %s %s: got %s, want %s", first, stated[i], second, stated[j], got, table[pair])
					}
				}
			}
		}
	}
	if combinations != 36*9 {
		t.Errorf("%d combinations", combinations)
	}
}

// TestBounds shows that a hostile site cannot make the readers return much, and that no
// value is lost.
func TestBounds(t *testing.T) {
	many := func(line, last string) string { return strings.Repeat(line+"\n", 2000) + last + "\n" }
	long := strings.Repeat("x", 10_000)
	var labels []string
	for i := range 1000 {
		labels = append(labels, fmt.Sprintf("l%d=y", i))
	}
	var lines, elements []string
	for range 1000 {
		lines, elements = append(lines, "X-Robots-Tag: noarchive"), append(elements, "robots=noarchive")
	}
	for name, tt := range map[string]valueTest{
		"Content-Usage lines":  {"", site{robots: "User-agent: *\n" + many("Content-Usage: search=y", "Content-Usage: search=n, train-ai=n")}, "search=disallowed, train-ai=disallowed"},
		"Content-Signal lines": {"", site{robots: "User-agent: *\n" + many("Content-Signal: search=yes", "Content-Signal: ai-train=no")}, "search=allowed, train-ai=disallowed"},
		"License lines":        {"", site{robots: many("License: https://example.com/"+long[:20], "")}, ""},
		"long License lines":   {"", site{robots: many("License: https://example.com/"+long, "")}, ""},
		"lines of many labels": {"", site{robots: "User-agent: *\n" + strings.Repeat("Content-Usage: "+strings.Join(labels, ",")+",train-ai=n\n", 60) + "Content-Signal: search=no\n"}, "search=disallowed, train-ai=disallowed"},
		"header lines":         {"", site{header: append(lines, "X-Robots-Tag: noai")}, "ai-input=disallowed, train-ai=disallowed, archive=disallowed"},
		"reservations":         {"", site{header: append(strings.Split(strings.Repeat("TDM-Reservation: 0,", 999), ",")[:999], "TDM-Reservation: 1")}, "train-ai=disallowed, tdm=disallowed"},
		"meta elements":        {"", site{meta: append(elements, "robots=noai")}, "ai-input=disallowed, train-ai=disallowed, archive=disallowed"},
		"long values":          {"", site{header: []string{"Content-Usage: train-ai=n, a=\"" + long + "\"", "X-Robots-Tag: " + long, "TDM-Policy: " + long, "TDM-Reservation: 1"}}, "train-ai=disallowed, tdm=disallowed"},
		"labels":               {"", site{header: []string{"Content-Usage: " + strings.Join(labels, ", ") + ", train-ai=n, " + long + "=y"}}, "train-ai=disallowed"},
		"licenses":             {"", site{rsl: "<rsl><content url=\"/\">" + strings.Repeat("<license><prohibits>search "+long[:20]+"</prohibits></license>", 3000) + "<license><prohibits>ai-train</prohibits></license></content></rsl>"}, "search=disallowed, train-ai=disallowed"},
	} {
		t.Run(name, func(t *testing.T) {
			statements := tt.site.statements(t)
			if got := values(Merge(statements)); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if again := tt.site.statements(t); !reflect.DeepEqual(statements, again) {
				t.Errorf("the same page gives another record: %s", cmp.Diff(statements, again))
			}
			if len(statements) > MaxStatements+2*len(Purposes) {
				t.Errorf("%d statements", len(statements))
			}
			inRobots := 0
			for _, s := range statements {
				if s.Source.Kind == InRobots {
					inRobots += s.textSize()
				}
				if len(s.Raw) > MaxRaw+3 || len(s.URL) > MaxRaw+3 || len(s.Labels) > MaxLabels {
					t.Errorf("%d bytes, URL of %d bytes, %d labels", len(s.Raw), len(s.URL), len(s.Labels))
				}
			}
			if inRobots > MaxRobotsText+2*len(statements)*(MaxRawBeyond+3) {
				t.Errorf("%d bytes of robots.txt", inRobots)
			}
		})
	}
}

// The lines of robots.txt are recorded whole up to MaxRobotsText together. The others are cut, with a
// mark, and say the same.
func TestRobotsTextIsBounded(t *testing.T) {
	line := "https://example.com/" + strings.Repeat("x", 780)
	f := robotstxt.Parse([]byte("User-agent: *\nContent-Usage: search=n, a=y, b=\""+strings.Repeat("x", 300)+"\"\n"+strings.Repeat("License: "+line+"\n", 6)+"License: https://example.com/short\n"), nil)
	statements := FromRobots(f, f.Group("*"), "", "/")
	if len(statements) != 8 || len(statements[0].Labels) == 0 {
		t.Fatalf("%+v", statements)
	}
	for i, s := range statements[1:] {
		want := line
		switch i {
		case 4, 5: // beyond 8,000 bytes with their URLs
			want = line[:MaxRawBeyond] + "…"
		case 6:
			want = "https://example.com/short"
		}
		if s.Raw != want || s.URL != want {
			t.Errorf("License line %d: %q, %q", i+1, s.Raw, s.URL)
		}
	}
	long := "Content-Usage: train-ai=n, label=y, x=\"" + strings.Repeat("x", 2000) + "\"\n"
	f = robotstxt.Parse([]byte("User-agent: *\n"+strings.Repeat(long, 8)), nil)
	statements = FromRobots(f, f.Group("*"), "", "/")
	last := statements[len(statements)-1]
	if len(statements) != 8 || len(statements[0].Labels) != 1 || last.Labels != nil || len(last.Raw) != MaxRawBeyond+len("…") || last.Values[TrainAI] != Disallowed {
		t.Errorf("%d statements, the last: %+v", len(statements), last)
	}
}

// TestCorpusSignals counts the signals in real robots.txt files, and compares the counts
// with a search for the names of fields.
func TestCorpusSignals(t *testing.T) {
	names, err := filepath.Glob(filepath.Join("..", "..", "..", "shared", "robots-corpus", "*.txt"))
	if err != nil || len(names) == 0 {
		if os.Getenv("CI") != "" {
			t.Fatal("the real robots.txt files are missing: ../shared/robots-corpus")
		}
		t.Skip("the real robots.txt files are not here: ../shared/robots-corpus")
	}
	bodies := [][]byte{[]byte("User-agent: *\nContent-Usage: train-ai=n\nContent-Signal: search=yes\nLicense: https://example.com/\n")} // so that the test can fail
	for _, name := range names {
		body, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		bodies = append(bodies, body)
	}
	read, found := map[Kind]int{}, map[Kind]int{}
	fields := map[Kind]*regexp.Regexp{}
	for kind, field := range map[Kind]string{KindContentUsage: "content-usage", KindContentSignal: "content-signal", KindRSL: "license"} {
		fields[kind] = regexp.MustCompile(`(?m)^[ \t]*` + field + `[ \t]*:`)
	}
	for _, body := range bodies {
		f, has := robotstxt.Parse(body, nil), map[Kind]bool{}
		for _, agent := range append(f.Agents(), "*") {
			for _, s := range FromRobots(f, f.Group(agent), "", "/") {
				has[s.Kind] = true
			}
		}
		for kind, line := range fields {
			if has[kind] {
				read[kind]++
			}
			if line.Match(bytes.ToLower(body)) {
				found[kind]++
			}
		}
	}
	if diff := cmp.Diff(found, read); diff != "" || len(read) != len(fields) {
		t.Errorf("files with each field (-found +read):\n%s", diff)
	}
}

func TestPurposeAndValue(t *testing.T) {
	for _, p := range Purposes {
		if got, err := ParsePurpose(string(p)); got != p || err != nil {
			t.Errorf("%s: %s, %v", p, got, err)
		}
	}
	if _, err := ParsePurpose("ai-train"); err == nil || !strings.Contains(err.Error(), "search, ai-input, train-ai, tdm, archive") {
		t.Errorf("error %v", err)
	}
	var v Value
	if err := v.UnmarshalText([]byte("maybe")); err == nil {
		t.Error("no error")
	}
}

func TestSourceString(t *testing.T) {
	for want, s := range map[string]Source{
		"robots.txt line 3, Content-Usage":       {Kind: InRobots, Name: "Content-Usage", Line: 3},
		"header Content-Usage":                   {Kind: InHeader, Name: "Content-Usage"},
		"header X-Robots-Tag":                    {Kind: InHeader, Name: "X-Robots-Tag", Line: 1},
		"header X-Robots-Tag, number 2":          {Kind: InHeader, Name: "X-Robots-Tag", Line: 2},
		"file /.well-known/tdmrep.json, rule 12": {Kind: InFile, Name: TDMRepPath, Line: 12},
	} {
		if got := s.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// Redact removes passwords from every text of a statement, and leaves the rest.
func TestRedact(t *testing.T) {
	const with, without = "see https://user:pass@example.com/a", "see https://***@example.com/a"
	statements := []Statement{{Kind: KindRSL, Source: Source{Name: "Link"}, Raw: with, URL: with, Labels: map[string]string{"x": with}}, {Raw: "train-ai=n"}}
	Redact(statements)
	want := []Statement{{Kind: KindRSL, Source: Source{Name: "Link"}, Raw: without, URL: without, Labels: map[string]string{"x": without}}, {Raw: "train-ai=n"}}
	if diff := cmp.Diff(want, statements); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
