package robotstxt

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/robotsext/robotstxt/robotstxttest"
)

func TestExplain(t *testing.T) {
	const file = `User-agent: a
Disallow: /p
Allow: /p?u=/x
Disallow: /*p$
Allow: /p%61$ge
Disallow: /p

User-agent: *
Disallow: /

User-agent: none
`
	for _, tt := range []struct {
		name, url, agent string
		token, path      string
		matches          []string // length, line and rule
		opts             *Options
	}{
		{
			name: "ROB-MAT-03/the longest first", url: "http://h/p", agent: "a", token: "a", path: "/p",
			matches: []string{"4, line 4, Disallow: /*p$", "2, line 2, Disallow: /p", "2, line 6, Disallow: /p"},
		},
		{
			name: "ROB-MAT-19/by the second form of the query", url: "/p?u=%2fx", agent: "A", token: "A", path: "/p?u=%2Fx",
			matches: []string{"7, line 3, Allow: /p?u=/x", "2, line 2, Disallow: /p", "2, line 6, Disallow: /p"},
		},
		{
			name: "ROB-MAT-03/a $ for itself counts as one", url: "/pa$ge", agent: "a", token: "a", path: "/pa%24ge",
			matches: []string{"6, line 5, Allow: /p%61$ge", "2, line 2, Disallow: /p", "2, line 6, Disallow: /p"},
		},
		{name: "ROB-GEN-02/no rule", url: "/q#/p", agent: "a", token: "a", path: "/q"},
		{name: "ROB-UA-06/nobody's group", url: "/q", agent: "b", token: "*", path: "/q", matches: []string{"1, line 9, Disallow: /"}},
		{name: "ROB-UA-08/a group without rules", url: "/q", agent: "none", token: "none", path: "/q"},
		{name: "ROB-MAT-21/robots.txt itself", url: "/robots.txt", agent: "b", token: "*", path: "/robots.txt", matches: []string{"1, line 9, Disallow: /"}},
		{
			name: "ROB-MAT-24/the bare directory", url: "/d/", agent: "x", token: "*", path: "/d/", opts: &Options{GoogleParser: true},
			matches: []string{"4, line 13, Allow: /d/index.html", "1, line 9, Disallow: /"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			body := file
			if tt.opts != nil {
				body += "User-agent: *\nAllow: /d/index.html\n"
			}
			e := Parse([]byte(body), tt.opts).Explain(tt.url, tt.agent)
			var matches []string
			for _, r := range e.Matches {
				matches = append(matches, fmt.Sprintf("%d, line %d, %v", r.Length, r.Line, r.Rule))
			}
			if diff := cmp.Diff(tt.matches, matches); diff != "" {
				t.Errorf("matches (-want +got):\n%s", diff)
			}
			if e.Path != Canonical(pathAndQuery(tt.url, 0)) {
				t.Errorf("path %q", e.Path)
			}
			if e.Token != tt.token || e.Path != tt.path || e.Exempt != (tt.path == "/robots.txt") {
				t.Errorf("token %q, path %q, exempt %v", e.Token, e.Path, e.Exempt)
			}
		})
	}
	t.Run("ROB-UA-04/the first token that has a group", func(t *testing.T) {
		e := Parse([]byte(file), nil).Explain("/", "x", "*", "none", "a")
		if e.Token != "none" || e.Group.Name() != "none" {
			t.Errorf("token %q, group %q", e.Token, e.Group.Name())
		}
	})
	t.Run("ROB-MAT-26/14,000 rules", func(t *testing.T) {
		began := time.Now()
		Parse(honest(), nil).Explain("/shop/item-31676/reviews?page=2", "x")
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("%v", took)
		}
	})
	t.Run("ROB-UA-06/no group at all", func(t *testing.T) {
		if e := Parse(nil, nil).Explain("", "a"); e.Token != "" || !e.Allowed || e.Path != "/" || e.Matches != nil {
			t.Errorf("%+v", e)
		}
	})
}

func TestGroupLines(t *testing.T) {
	const text = "\ufeffUser-agent: a\nUser-agent: A/2\nDisallow: /x\n\nuser-agent: b\nUSER-AGENT: *\nDisallow: /\nUser-agent: a\nUser-agent: *\nAllow: /y\n"
	for body, name := range map[string]string{text: "ROB-GRP-09/as given", strings.ReplaceAll(text, "\n", "\r"): "ROB-FMT-02/with CR"} {
		t.Run(name, func(t *testing.T) {
			f := Parse([]byte(body), nil)
			for token, want := range map[string][]int{"A": {1, 8}, "b": {5}, "c": {6, 9}} {
				if diff := cmp.Diff(want, f.Group(token).Lines()); diff != "" {
					t.Errorf("%s (-want +got):\n%s", token, diff)
				}
			}
			if lines := Parse(nil, nil).Group("a").Lines(); lines != nil {
				t.Errorf("%v of no group", lines)
			}
		})
	}
}

// explained holds explanations against verdicts and the naive judge.
func explained(t *testing.T, g generator, body string) {
	for _, opts := range []*Options{nil, {GoogleParser: true}, {AssumeSlash: true}} {
		file := Parse([]byte(body), opts)
		url, agent := g.url(body), g.agent()
		e := file.Explain(url, agent)
		v := file.Check(url, agent)
		if e.Err != nil {
			wantNoName(t, e.Verdict)
			wantNoName(t, v)
			continue
		}
		if e.Verdict != v {
			t.Errorf("%q\n%q for %q: explained as %+v, is %+v", body, url, agent, e.Verdict, v)
		}
		switch {
		case e.Exempt:
		case e.Rule == nil && len(e.Matches) > 0, e.Rule != nil && (len(e.Matches) == 0 || e.Matches[0].Rule != e.Rule):
			t.Errorf("%q\n%q for %q: decided by %v, matches are %v", body, url, agent, e.Rule, e.Matches)
		}
		if opts == nil && !e.Exempt {
			judgeMatches(t, &e, url)
		}
	}
}

// judgeMatches asks the judge, in files of one rule and of two, which rules match
// and which of two that do is the longer.
func judgeMatches(t *testing.T, e *Explanation, url string) {
	t.Helper()
	allowed := func(rules string) bool {
		return robotstxttest.Allowed([]byte("User-agent: *\n"+rules), nil, url)
	}
	matching := map[*Rule]bool{}
	for i, a := range e.Matches {
		matching[a.Rule] = true
		for j, b := range e.Matches {
			if want := a.Length >= b.Length; allowed("Allow: "+a.Pattern+"\nDisallow: "+b.Pattern) != want {
				t.Errorf("%q: of %v and %v the first is the longer: %v", url, a, b, want)
			}
			if i < j && (a.Length < b.Length || a.Length == b.Length && b.Allow && !a.Allow) {
				t.Errorf("%q: %v goes before %v", url, a, b)
			}
		}
	}
	rules := e.Group.Rules()
	for i := range rules {
		if r := &rules[i]; matching[r] == allowed("Disallow: "+r.Pattern) {
			t.Errorf("%q: that %v matches is said to be %v", url, r, matching[r])
		}
	}
}
