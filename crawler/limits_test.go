package crawler

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/output"
)

func TestMaxHostPages(t *testing.T) {
	s := chain(t, 8)
	other := newSite(t, "127.0.0.2", map[string]string{"/": `<a href="/1">1</a>`, "/1": "1"})
	cfg := testConfig(t, s.url+"/0", other.url+"/")
	cfg.Limits.MaxHostPages = 3
	got := run(t, cfg, nil)
	if r := got.refusal(t, s.url+"/3"); r.Reason != output.HostFull || r.Via != s.url+"/2" {
		t.Errorf("%+v", r)
	}
	if !slices.Equal(got.paths(s.url), []string{"/0", "/1", "/2"}) || len(got.paths(other.url)) != 2 || got.End != EndFinished {
		t.Errorf("%+v, pages %+v", got.Summary, got.pages)
	}
	// What was fetched before counts.
	got = resume(t, cfg, nil)
	if got.Pages != 5 || len(s.asked()) != 3 {
		t.Errorf("%+v, asked %v", got.Summary, s.asked())
	}
	// With more allowed, what was left alone for that comes back.
	got = resume(t, cfg, func(c *Config) { c.Limits.MaxHostPages = 5 })
	if r := got.refusal(t, s.url+"/5"); r.Reason != output.HostFull || got.Pages != 7 || got.Rejected[output.HostFull] != 1 {
		t.Errorf("%+v, %+v", got.Summary, r)
	}
	cfg.Limits.MaxHostPages = 5
	got = resume(t, cfg, func(c *Config) { c.Limits.MaxHostPages = 0 })
	if got.Rejected[output.HostFull] != 0 || len(got.paths(s.url)) != 8 || len(s.asked()) != 8 {
		t.Errorf("%+v, asked %v", got.Summary, s.asked())
	}
}

func TestMaxBytes(t *testing.T) {
	pages := map[string]string{}
	for i := range 8 {
		pages[fmt.Sprintf("/%d", i)] = fmt.Sprintf(`<a href="/%d">next</a>%s`, i+1, strings.Repeat("x", 1000))
	}
	s := newSite(t, "127.0.0.1", pages)
	cfg := testConfig(t, s.url+"/0")
	cfg.Limits.MaxBytes = 2500
	got := run(t, cfg, nil)
	if got.End != EndMaxBytes || got.Pages != 3 || got.Bytes < 2500 || got.Left != 1 {
		t.Errorf("%+v", got.Summary)
	}
	got = resume(t, cfg, func(c *Config) { c.Limits.MaxBytes = 4500 })
	if got.End != EndMaxBytes || got.Pages != 5 {
		t.Errorf("%+v", got.Summary)
	}
}

// Copies are marked, also of pages that an earlier process fetched.
func TestDuplicates(t *testing.T) {
	same := "<p>the same</p>"
	s := newSite(t, "127.0.0.1", map[string]string{
		"/": `<a href="/1">1</a>`, "/1": same, "/2": same, "/3": "<p>another</p>", "/4": same,
		"/5": `<meta name="robots" content="noindex"><p>x</p>`, "/6": `<meta name="robots" content="noindex"><p>x</p>`, "/7": "", "/8": "",
	})
	var starts []string
	for i := range 9 {
		starts = append(starts, fmt.Sprintf("%s/%d", s.url, i))
	}
	cfg := testConfig(t, starts[1:]...)
	cfg.Limits.MaxPages, cfg.Limits.Workers = 2, 1
	run(t, cfg, nil)
	got := resume(t, cfg, func(c *Config) { c.Limits.MaxPages = 0 })
	for _, p := range got.pages {
		want := ""
		if p.URL == s.url+"/2" || p.URL == s.url+"/4" {
			want = s.url + "/1"
		}
		if p.DuplicateOf != want {
			t.Errorf("%s is a duplicate of %q, want %q", p.URL, p.DuplicateOf, want)
		}
		if hashed := p.Bytes > 0 && p.Withheld == ""; (p.Hash != "") != hashed {
			t.Errorf("%+v has hash %q", p, p.Hash)
		}
	}
	if got.Duplicates != 2 || got.Pages != 8 {
		t.Errorf("%+v", got.Summary)
	}
}
