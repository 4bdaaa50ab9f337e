package results

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/lifecycle"
	"github.com/politecrawl/politecrawl/crawler/internal/provenance"
	"github.com/politecrawl/politecrawl/crawler/internal/scope"
	"github.com/politecrawl/politecrawl/crawler/internal/trap"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
)

// A process that is killed between writing a page and updating the frontier leaves a line that does
// not count. The next process truncates it, and knows everything committed: pages by their bodies,
// skipped URLs, deferred origins, hosts and traps.
func TestResumeCutsOffWhatWasNotCommitted(t *testing.T) {
	f := frontier.NewMemory(nil)
	item := frontier.Item{URL: "http://a.test/1", Meta: provenance.Provenance{Source: provenance.Start}.Encode()}
	if _, err := f.Add(t.Context(), []frontier.Item{item}); err != nil {
		t.Fatal(err)
	}
	leases, err := f.Lease(t.Context(), frontier.LeaseRequest{Max: 1, PerHost: 1})
	if err != nil || len(leases) != 1 {
		t.Fatal(leases, err)
	}
	check := func(err error) {
		t.Helper()
		must(t, err)
	}
	r := openWriter(t, f)
	check(r.Commit(frontier.Outcome{Lease: leases[0].ID, Result: frontier.Done}, &output.Page{URL: item.URL, Hash: "ab"}, Batch{}))
	_, err = r.Skipped.Add([]SkippedURL{{Rejection: output.Rejection{URL: "http://b.test/", Reason: output.OutOfScope}}})
	check(err)
	check(r.Deferred.Add("http://c.test", output.Rejection{Reason: output.RobotsUnreachable, Detail: "status 503"}, item.NotBefore))
	check(r.AddJoined("http://d.test/"))
	check(r.AddTrap(&trap.ClosedPattern{Host: "e.test"}))
	var batch Batch
	check(Pages.Add(&batch, &output.Page{URL: "http://a.test/2"}))
	check(r.write(&batch))
	check(r.Close())

	var restored []string
	cfg := r.cfg
	r = New(cfg)
	check(r.Load())
	check(r.Open())
	defer func() { _ = r.Close() }()
	check(r.Restore(
		func(url string) error { restored = append(restored, url); return nil },
		func(p *trap.ClosedPattern) { restored = append(restored, string(p.Host)) },
	))
	check(r.RestoreLines(func(lines *output.Results) {
		for _, p := range lines.Pages {
			restored = append(restored, p.URL)
		}
	}))
	if n := r.Skipped.Counts()[output.OutOfScope]; n != 1 {
		t.Errorf("%d URLs out of scope", n)
	}
	want := []string{"http://d.test/", "e.test", "http://a.test/1"}
	if diff := cmp.Diff(want, restored); diff != "" {
		t.Errorf("restored (-want +got):\n%s", diff)
	}
	if d := r.Deferred.Get("http://c.test"); d == nil || d.Rejection.Detail != "status 503" {
		t.Errorf("deferred: %+v", d)
	}
	check(r.Commit(frontier.Outcome{Lease: leases[0].ID, Result: frontier.Done}, &output.Page{URL: "http://a.test/3", Hash: "ab"}, Batch{}))
	var duplicates []string
	for p, err := range output.Read[output.Page](cfg.Dir) {
		check(err)
		duplicates = append(duplicates, p.URL+" "+p.DuplicateOf)
	}
	if diff := cmp.Diff([]string{"http://a.test/1 ", "http://a.test/3 http://a.test/1"}, duplicates); diff != "" {
		t.Errorf("pages (-want +got):\n%s", diff)
	}
}

// Only the file itself may be missing: an error of the callback is returned.
func TestEachReturnsErrorsOfItsCaller(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lines.jsonl")
	read := func() error {
		return Each(New(Config{}), name, func(int64, *struct{}) error { return fmt.Errorf("frontier: %w", os.ErrNotExist) })
	}
	if err := read(); err != nil {
		t.Errorf("a missing file: %v", err)
	}
	must(t, os.WriteFile(name, []byte("{}\n"), 0o600))
	if err := read(); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v, want the error of the function", err)
	}
}

// Damaged lines are skipped, and a file with damaged lines is reported once.
func TestDamagedFileIsReportedOnce(t *testing.T) {
	r := openWriter(t, nil)
	name := filepath.Join(r.cfg.Dir, "pages.jsonl")
	must(t, os.WriteFile(name, []byte("{}\nno JSON\n{}\n"), 0o600))
	for range 2 {
		lines := 0
		if err := Each(r, name, func(int64, *struct{}) error { lines++; return nil }); err != nil || lines != 2 {
			t.Errorf("%d lines are read, %v", lines, err)
		}
	}
	if got := r.Damages(); len(got) != 1 || got[0].File != "pages.jsonl" {
		t.Errorf("damages: %+v", got)
	}
}

// A symbolic link in the directory leads no write out of it.
func TestSymlinksAreRefused(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("not everybody may make links there")
	}
	const text = "of somebody else\nwith half a line"
	for _, name := range []string{"pages.jsonl", "robots.jsonl", "robots", "crawl.json~"} {
		t.Run(name, func(t *testing.T) {
			dir, other := filepath.Join(t.TempDir(), "crawl"), t.TempDir()
			victim := filepath.Join(other, "victim")
			must(t, os.WriteFile(victim, []byte(text), 0o600))
			to := victim
			if name == "robots" {
				to = other
			}
			must(t, os.Mkdir(dir, 0o755))
			must(t, os.Symlink(to, filepath.Join(dir, name)))
			d, err := Create(dir, map[string]string{"secret": "x"})
			if err == nil {
				_, err = d.Robots("http://a.test", []byte("x"), struct{}{}, false)
				_ = d.Close()
			}
			if refused := err != nil; refused != (name != "crawl.json~") {
				t.Errorf("error %v", err)
			}
			if got, _ := os.ReadFile(victim); string(got) != text {
				t.Errorf("the other file has become %q", got)
			}
			if inside, _ := os.ReadDir(other); len(inside) != 1 {
				t.Errorf("the other directory has %v", inside)
			}
		})
	}
}

// A URL that waits is listed when the crawl ends, also if how it was found cannot be read.
func TestWaitingURLThatCannotBeReadIsListed(t *testing.T) {
	f := frontier.NewMemory(nil)
	if _, err := f.Add(t.Context(), []frontier.Item{{URL: "http://a.test/x", Meta: []byte("edited")}}); err != nil {
		t.Fatal(err)
	}
	r := openWriter(t, f)
	_, err := r.WriteRejected(true, func(robotsext.Origin) (Block, error) { return Block{Reason: "not due"}, nil })
	must(t, err)
	must(t, r.Flush())
	text, err := os.ReadFile(filepath.Join(r.cfg.Dir, Rejected.name))
	if err != nil || !strings.Contains(string(text), `"url":"http://a.test/x"`) || !strings.Contains(string(text), `"source":"link"`) {
		t.Errorf("%s, %v", text, err)
	}
}

// dropRejections removes lines from the committed bytes of rejected.jsonl in a directory, and returns the length that is
// committed then.
func dropRejections(t *testing.T, dir string, committed int64, drop func(*output.Rejection) bool) (length int64, err error) {
	t.Helper()
	r := New(Config{Dir: dir, Frontier: frontier.NewMemory(nil), Lifecycle: lifecycle.New(slog.New(slog.DiscardHandler), nil)})
	r.committed.Lengths = Lengths{Rejected.name: committed}
	err = r.DropRejections(drop)
	must(t, r.Load())
	return r.committed.Lengths[Rejected.name], err
}

// openWriter returns a writer of a new crawl with a frontier. Nil means an empty one.
func openWriter(t *testing.T, f frontier.Frontier) *Writer {
	t.Helper()
	if f == nil {
		f = frontier.NewMemory(nil)
	}
	r := New(Config{
		Dir: t.TempDir(), Frontier: f, Scope: scope.New(scope.Host, scope.Bounds{}),
		Lifecycle: lifecycle.New(slog.New(slog.DiscardHandler), nil), Log: slog.New(slog.DiscardHandler),
	})
	must(t, r.Create("state"))
	t.Cleanup(func() { _ = r.Close() })
	return r
}

// If one worker fails to write to the journal, no other worker takes that for written. Otherwise it
// would defer the host, or commit the page, and in the resumed crawl the URL would be in no file.
func TestJournalFails(t *testing.T) {
	url := SkippedURL{Rejection: output.Rejection{URL: "http://b.test/x", Reason: output.OutOfScope}}
	for name, write := range map[string]func(r *Writer) error{
		"an origin is deferred": func(r *Writer) error {
			return r.Deferred.Add("http://a.test", output.Rejection{Reason: output.RobotsUnreachable}, time.Time{})
		},
		"an origin is resumed": func(r *Writer) error {
			return r.Deferred.Resume("http://back.test", r.Deferred.Get("http://back.test"))
		},
		"a URL is skipped": func(r *Writer) error { _, err := r.Skipped.Add([]SkippedURL{url}); return err },
		"the same, and another": func(r *Writer) error {
			_, err := r.Skipped.Add([]SkippedURL{url, {Rejection: output.Rejection{URL: "http://c.test/"}}})
			return err
		},
		"a host joins":        func(r *Writer) error { return r.AddJoined("http://d.test/") },
		"a pattern is closed": func(r *Writer) error { return r.AddTrap(&trap.ClosedPattern{Host: "e.test"}) },
	} {
		t.Run(name, func(t *testing.T) {
			r := openWriter(t, nil)
			r.Deferred.origins["http://back.test"] = &Deferral{}
			_ = r.dir.file(journalLog).Close()
			first := write(r)
			if second := write(r); first == nil || !errors.Is(second, first) {
				t.Errorf("the first: %v, the second: %v", first, second)
			}
		})
	}
}
