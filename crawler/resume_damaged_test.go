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

	"github.com/politecrawl/politecrawl/crawler/output"
)

// Where the journal is damaged is told, and nothing else happens.
func TestResumeWithADamagedJournal(t *testing.T) {
	s := chain(t, 3)
	cfg := testConfig(t, s.url+"/0")
	cfg.MaxPages = 1
	run(t, cfg, nil)
	name := filepath.Join(cfg.Output, journalFile)
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	where := fmt.Sprintf("%q, line %d: ", name, bytes.Count(whole, []byte("\n"))+1)
	for _, line := range []string{"nonsense", `{"joined":"nowhere"}`, `{"later":"http://h"}`} {
		if err := os.WriteFile(name, append(slices.Clip(whole), line+"\n"...), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := New(cfg, &Options{Resume: true})
		if err != nil {
			t.Fatal(err)
		}
		if sum, err := c.Run(t.Context()); sum != nil || err == nil || !strings.Contains(err.Error(), where) {
			t.Errorf("%s: %v, want %s…", line, err, where)
		}
	}
}

// A file that has become shorter than it was is noticed, and the rest is crawled.
func TestResumeAfterLinesWereLost(t *testing.T) {
	s := chain(t, 6)
	cfg := testConfig(t, s.url+"/0")
	cfg.MaxPages = 3
	run(t, cfg, nil)
	if err := os.Truncate(filepath.Join(cfg.Output, output.PagesFile), 100); err != nil {
		t.Fatal(err)
	}
	got := resume(t, cfg, func(c *Config) { c.MaxPages = 0 })
	if diff := cmp.Diff([]string{"/3", "/4", "/5"}, got.paths(s.url)); diff != "" || len(got.notices) != 1 || !strings.Contains(got.notices[0], output.PagesFile) {
		t.Errorf("notices %q, pages (-want +got):\n%s", got.notices, diff)
	}
}

// What is left of a crawl that somebody has half removed is not taken for a new one.
func TestCrawlWhereHalfOfOneIs(t *testing.T) {
	s := chain(t, 2)
	cfg := testConfig(t, s.url+"/0")
	run(t, cfg, nil)
	for _, name := range []string{output.StateFile, output.PagesFile, output.RejectedFile, output.LinksFile, output.SitemapsFile} {
		if err := os.Remove(filepath.Join(cfg.Output, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, left := range []string{frontierDir, journalFile} {
		c, err := New(cfg, nil)
		if err != nil {
			t.Fatal(err)
		}
		if sum, err := c.Run(t.Context()); sum != nil || !errors.Is(err, output.ErrExists) || !strings.Contains(err.Error(), left) {
			t.Errorf("beside %s: %+v, %v", left, sum, err)
		}
		if err := os.RemoveAll(filepath.Join(cfg.Output, frontierDir)); err != nil {
			t.Fatal(err)
		}
	}
}

// A crawl whose frontier somebody has removed does not go on: it would take all that
// it has written for nothing.
func TestResumeWithoutFrontier(t *testing.T) {
	s := chain(t, 4)
	cfg := testConfig(t, s.url+"/0")
	cfg.MaxPages = 2
	run(t, cfg, nil)
	if err := os.RemoveAll(filepath.Join(cfg.Output, frontierDir)); err != nil {
		t.Fatal(err)
	}
	before, asked := readOutput[output.Page](t, cfg, output.PagesFile), len(s.requests())
	for _, opts := range []*Options{{Resume: true}, {Recrawl: true}} {
		c, err := New(cfg, opts)
		if err != nil {
			t.Fatal(err)
		}
		if sum, err := c.Run(t.Context()); !errors.Is(err, ErrFrontierLost) || sum != nil || !strings.Contains(err.Error(), frontierDir) {
			t.Errorf("Run = %+v, %v", sum, err)
		}
	}
	if diff := cmp.Diff(before, readOutput[output.Page](t, cfg, output.PagesFile)); diff != "" || len(s.requests()) != asked {
		t.Errorf("%d requests (-before +after):\n%s", len(s.requests())-asked, diff)
	}
}
