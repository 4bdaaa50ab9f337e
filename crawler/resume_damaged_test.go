package crawler

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/internal/record"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// damage changes one bit of the first line of a file: a quote becomes another character.
func damage(t *testing.T, name string) (before []byte) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	i := bytes.IndexByte(text, '"')
	if i < 0 {
		t.Fatalf("%s has no quote", name)
	}
	text[i] ^= 1
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return text
}

// A crawl goes on although lines of its files cannot be read, and says which and what becomes
// of them. All else it does as if they could.
func TestCrawlGoesOnWithDamagedLines(t *testing.T) {
	for _, tt := range []struct {
		name    string
		opts    Options
		put     int      // the number of the file in the recrawl; 0: it stays where it was
		request []string // what is requested; nil: nothing but the rest
	}{
		{name: "pages.jsonl", opts: Options{Resume: true}},
		{name: "rejected.jsonl", opts: Options{Resume: true}},
		{name: "robots.jsonl", opts: Options{Resume: true}},
		{name: "sitemaps.jsonl", opts: Options{Resume: true}},
		{name: record.JournalFile, opts: Options{Resume: true}},
		{name: "pages.jsonl", opts: Options{Recrawl: true}, put: 1, request: []string{"/1", "/2", "/3", "/4", "/5", "/map.xml"}},
		{name: "rejected.jsonl", opts: Options{Recrawl: true}, put: 1, request: []string{"/0", "/1", "/2", "/3", "/4", "/5", "/map.xml"}},
		{name: "sitemaps.jsonl", opts: Options{Recrawl: true}, put: 1, request: []string{"/0", "/1", "/2", "/3", "/4", "/5"}},
		{name: record.JournalFile, opts: Options{Recrawl: true}, request: []string{"/0", "/1", "/2", "/3", "/4", "/5", "/map.xml"}},
	} {
		t.Run(fmt.Sprintf("%s, recrawl %v", tt.name, tt.opts.Recrawl), func(t *testing.T) {
			pages := map[string]string{
				"/robots.txt": "User-agent: *\nDisallow: /no\nSitemap: {site}/map.xml\n",
				"/map.xml":    "<urlset><url><loc>{site}/0</loc></url></urlset>",
			}
			for i := range 6 {
				pages[fmt.Sprintf("/%d", i)] = fmt.Sprintf(`page %d <a href="/no/%[1]d">no</a><a href="http://elsewhere.invalid/%[1]d">out</a><a href="/%d">next</a>`, i, min(i+1, 5))
			}
			s := newSite(t, "127.0.0.1", pages)
			cfg := testConfig(t, s.url+"/0")
			cfg.Limits.MaxPages, cfg.Limits.Workers = 4, 1
			run(t, cfg, nil)
			name := filepath.Join(cfg.Output.Dir, tt.name)
			before, asked := damage(t, name), len(s.asked())

			var notices []string
			tt.opts.Notice = func(line string) { notices = append(notices, line) }
			cfg.Limits.MaxPages = 0
			c, err := New(cfg, &tt.opts)
			if err != nil {
				t.Fatal(err)
			}
			sum, err := c.Run(t.Context())
			if err != nil || sum.End != EndFinished || sum.Left != 0 {
				t.Fatalf("%+v, %v", sum, err)
			}
			if tt.put > 0 {
				name = filepath.Join(cfg.Output.Dir, strings.Replace(tt.name, ".", fmt.Sprintf(".%d.", tt.put), 1))
			}
			says := filepath.Base(name) + " is damaged: line 1 cannot be read (invalid character"
			if len(notices) != 1 || !strings.HasPrefix(notices[0], says) || !strings.Contains(notices[0], "; all other lines can be read; ") {
				t.Errorf("notices %q", notices)
			}
			hasURLs := tt.name == "pages.jsonl" || tt.name == "sitemaps.jsonl"
			if says := strings.Contains(strings.Join(notices, "\n"), "; to request them, crawl again into another directory"); says != hasURLs {
				t.Errorf("notices %q say how to request the URLs: %v, want %v", notices, says, hasURLs)
			}
			if len(sum.Lost) != 1 || !strings.HasPrefix(sum.Lost[0].String(), says) {
				t.Errorf("lost %v", sum.Lost)
			}
			if tt.request == nil {
				tt.request = []string{"/4", "/5"}
			}
			got := s.asked()[asked:]
			slices.Sort(got)
			if diff := cmp.Diff(tt.request, got); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
			after, err := os.ReadFile(name)
			if err != nil || !bytes.HasPrefix(after, before[:bytes.IndexByte(before, '\n')+1]) {
				t.Errorf("the damaged line is not there any more: %v", err)
			}
			for _, file := range []string{"pages.jsonl", "links.jsonl", "robots.jsonl"} {
				for _, err := range output.Read[struct{}](filepath.Join(cfg.Output.Dir, file)) {
					if damaged, ok := errors.AsType[*output.DamagedError](err); err != nil && (!ok || damaged.File != name || len(damaged.Lines) != 1) {
						t.Error(err)
					}
				}
			}
		})
	}
}

// A frontier that has lost its last changes, as when its log is cut, is behind the files. The
// crawl says so, and requests again what the frontier does not know to be done.
func TestResumeWithAFrontierBehindTheFiles(t *testing.T) {
	s := chain(t, 6)
	cfg := testConfig(t, s.url+"/0")
	cfg.Limits.MaxPages, cfg.Limits.Workers = 4, 1
	run(t, cfg, nil)
	logs, err := filepath.Glob(filepath.Join(cfg.Output.Dir, frontierDir, "*.log"))
	if err != nil || len(logs) != 1 {
		t.Fatalf("%v, %v", logs, err)
	}
	info, err := os.Stat(logs[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(logs[0], info.Size()*3/4); err != nil {
		t.Fatal(err)
	}
	asked := len(s.asked())
	got := resume(t, cfg, func(c *Config) { c.Limits.MaxPages = 0 })
	if len(got.notices) != 1 || !strings.HasPrefix(got.notices[0], "the frontier has lost its last changes: the last ") || !strings.Contains(got.notices[0], "pages.jsonl") {
		t.Errorf("notices %q", got.notices)
	}
	if again := len(s.asked()) - asked; again <= 2 || again >= 6 {
		t.Errorf("%d requests, want those for the rest and for some of what was done", again)
	}
	got.whole(t, s, 6)
}

// A line of the journal that is JSON and makes no sense counts as damaged.
func TestResumeWithSenselessLinesInTheJournal(t *testing.T) {
	s := chain(t, 3)
	cfg := testConfig(t, s.url+"/0")
	cfg.Limits.MaxPages = 1
	run(t, cfg, nil)
	name := filepath.Join(cfg.Output.Dir, record.JournalFile)
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, append(slices.Clip(whole), "{\"joined\":\"nowhere\"}\n{\"later\":\"http://h\"}\n"...), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg.Limits.MaxPages = 0
	got := run(t, cfg, &Options{Resume: true})
	lines := bytes.Count(whole, []byte("\n"))
	if want := fmt.Sprintf("%s is damaged: lines %d, %d cannot be read", record.JournalFile, lines+1, lines+2); len(got.notices) != 1 || !strings.HasPrefix(got.notices[0], want) {
		t.Errorf("notices %q, want %s…", got.notices, want)
	}
	got.whole(t, s, 3)
}

// A file that has become shorter than it was is noticed, and the rest is crawled.
func TestResumeAfterLinesWereLost(t *testing.T) {
	s := chain(t, 6)
	cfg := testConfig(t, s.url+"/0")
	cfg.Limits.MaxPages = 3
	run(t, cfg, nil)
	if err := os.Truncate(filepath.Join(cfg.Output.Dir, "pages.jsonl"), 100); err != nil {
		t.Fatal(err)
	}
	got := resume(t, cfg, func(c *Config) { c.Limits.MaxPages = 0 })
	if diff := cmp.Diff([]string{"/3", "/4", "/5"}, got.paths(s.url)); diff != "" || len(got.notices) != 1 || !strings.Contains(got.notices[0], "pages.jsonl") {
		t.Errorf("notices %q, pages (-want +got):\n%s", got.notices, diff)
	}
}

// What is left of a crawl that somebody has half removed is not taken for a new one.
func TestCrawlRefusesRemainsOfAnother(t *testing.T) {
	s := chain(t, 2)
	cfg := testConfig(t, s.url+"/0")
	run(t, cfg, nil)
	for _, name := range []string{"crawl.json", "pages.jsonl", "rejected.jsonl", "links.jsonl", "sitemaps.jsonl"} {
		if err := os.Remove(filepath.Join(cfg.Output.Dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, left := range []string{frontierDir, record.JournalFile} {
		c, err := New(cfg, nil)
		if err != nil {
			t.Fatal(err)
		}
		if sum, err := c.Run(t.Context()); sum != nil || !errors.Is(err, output.ErrExists) || !strings.Contains(err.Error(), left) {
			t.Errorf("beside %s: %+v, %v", left, sum, err)
		}
		if err := os.RemoveAll(filepath.Join(cfg.Output.Dir, frontierDir)); err != nil {
			t.Fatal(err)
		}
	}
}

// A crawl whose frontier somebody has removed does not go on: it would take all that
// it has written for nothing.
func TestResumeWithoutFrontier(t *testing.T) {
	s := chain(t, 4)
	cfg := testConfig(t, s.url+"/0")
	cfg.Limits.MaxPages = 2
	run(t, cfg, nil)
	if err := os.RemoveAll(filepath.Join(cfg.Output.Dir, frontierDir)); err != nil {
		t.Fatal(err)
	}
	before, asked := readOutput[output.Page](t, cfg, "pages.jsonl"), len(s.requests())
	for _, opts := range []*Options{{Resume: true}, {Recrawl: true}} {
		c, err := New(cfg, opts)
		if err != nil {
			t.Fatal(err)
		}
		if sum, err := c.Run(t.Context()); !errors.Is(err, ErrFrontierLost) || sum != nil || !strings.Contains(err.Error(), frontierDir) {
			t.Errorf("Run = %+v, %v", sum, err)
		}
	}
	if diff := cmp.Diff(before, readOutput[output.Page](t, cfg, "pages.jsonl")); diff != "" || len(s.requests()) != asked {
		t.Errorf("%d requests (-before +after):\n%s", len(s.requests())-asked, diff)
	}
}
