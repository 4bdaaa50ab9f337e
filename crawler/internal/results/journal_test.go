package results

import (
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/lifecycle"
	"github.com/politecrawl/politecrawl/crawler/internal/scope"
	"github.com/politecrawl/politecrawl/crawler/internal/trap"
	"github.com/politecrawl/politecrawl/crawler/output"
)

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
