package demosite

import (
	"fmt"
	"html"
	"net/http"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/internal/testserver"
)

// pageAt returns a page as a browser gets it.
func pageAt(t *testing.T, s *Site, name, uri string) (status int, text string) {
	t.Helper()
	resp, body := send(t, client(t), http.MethodGet, s.Origin(name)+uri)
	if resp == nil {
		t.Fatalf("no answer from %s%s", name, uri)
	}
	return resp.StatusCode, string(body)
}

func TestWhomAVerdictIsFor(t *testing.T) {
	s := serve(t, quick())
	const unnamed = "every crawler that the file does not name"
	for _, tt := range []struct {
		host, uri string
		want      []string
	}{
		{"rules", "/members/", []string{namedToken, unnamed}},
		{"rules", "/notices/1", []string{namedToken + " and " + unnamed}},
		{"wildcards", "/basket", []string{namedToken + " and " + unnamed}},
		{"disallowed", "/gold", []string{namedToken + " and " + unnamed}},
		{"sitemaps", "/reserve/", []string{namedToken, "every other crawler"}},
		{"unavailable", "/engine-room/", []string{"every crawler"}},
		{"norobots", "/", []string{"every crawler"}},
	} {
		var got []string
		for _, v := range verdicts(s.at(s.Origin(tt.host)).find(tt.uri)) {
			got = append(got, v.Whom)
		}
		if fmt.Sprint(got) != fmt.Sprint(tt.want) {
			t.Errorf("%s%s: %q, want %q", tt.host, tt.uri, got, tt.want)
		}
	}
}

func TestMarks(t *testing.T) {
	s := serve(t, quick())
	marks := map[string]string{}
	for _, name := range []string{"/groups/", "/outside/", "/kinds/based/start"} {
		r := s.at(s.Origin("rules")).find(name)
		for _, l := range r.links {
			if m := r.markOf(l.href); m != nil {
				marks[l.href] = m.Class + " " + m.Text
			}
		}
	}
	for href, want := range map[string]string{
		"/draw":                             "yes allowed",
		"/private/":                         "no disallowed",
		"/members/":                         "yes allowed for politecrawl, disallowed for *",
		"/lab/bench":                        "no disallowed for politecrawl, allowed for *",
		s.Origin("external") + "/":          "no out of scope",
		"place":                             "yes allowed", // against the base element
		"http://out-of-scope.invalid/":      "",
		"mailto:clerk@out-of-scope.invalid": "",
	} {
		if marks[href] != want {
			t.Errorf("%s: %q, want %q", href, marks[href], want)
		}
	}
	if _, text := pageAt(t, s, "disallowed", "/"); !strings.Contains(text, `<code>/gold</code> <b class="no">disallowed</b>`) {
		t.Errorf("no mark on the page:\n%s", text)
	}
}

// Each front page shows the robots.txt of its host and is titled once.
func TestFrontPages(t *testing.T) {
	s := serve(t, quick())
	for _, h := range s.hosts {
		_, text := pageAt(t, s, h.name, "/")
		if !strings.Contains(text, "<code>"+h.origin+"/robots.txt</code>") {
			t.Errorf("%s does not say where its robots.txt is", h.name)
		}
		rules := h.rules
		if rules == "" {
			rules = h.find("/robots.txt").body
		}
		for i, line := range strings.Split(strings.TrimSpace(rules), "\n") {
			if want := fmt.Sprintf("%3d  %s\n", i+1, html.EscapeString(strings.TrimSpace(line))); !strings.Contains(text, want) {
				t.Errorf("%s does not show line %q", h.name, want)
			}
		}
		title := h.title
		if front := h.find("/"); front.title != title {
			title = front.title + " · " + title
		}
		if !strings.Contains(text, "<title>"+title+"</title>") {
			t.Errorf("%s: not titled %q", h.name, title)
		}
	}
}

// Missing pages, and the start of the spider trap, look like the rest of the site.
func TestPagesThatNothingLeadsTo(t *testing.T) {
	s := serve(t, quick())
	for _, tt := range []struct {
		host, uri, title string
		status           int
	}{
		{"rules", "/phantom/text", "No such page", http.StatusNotFound},
		{"norobots", "/phantom", "No such page", http.StatusNotFound},
		{"rules", "/trap/", "Calendar", http.StatusOK},
		{"rules", "/trap/?day=7", "Day 7", http.StatusOK},
	} {
		status, text := pageAt(t, s, tt.host, tt.uri)
		if status != tt.status || !strings.Contains(text, "<h1>"+tt.title+"</h1>") || !strings.Contains(text, "<style>") {
			t.Errorf("%s%s: %d\n%s", tt.host, tt.uri, status, text)
		}
		if says := strings.Contains(text, "What robots.txt says"); says != (status == http.StatusOK) {
			t.Errorf("%s%s: a verdict: %t", tt.host, tt.uri, says)
		}
	}
	report := s.Judge(0, namedToken)
	if last := report.Violations[len(report.Violations)-1]; last.Kind != testserver.InTrap {
		t.Errorf("the calendar is no trap: %v", last)
	}
}
