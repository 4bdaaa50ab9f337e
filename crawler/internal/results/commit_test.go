package results

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// finishing is a frontier with a Finish that may fail. It counts what it receives.
type finishing struct {
	frontier.Frontier
	fails bool
	calls atomic.Int32
	most  atomic.Int32 // outcomes at a time
	hold  chan struct{}
}

func (f *finishing) Finish(_ context.Context, outcomes []frontier.Outcome, _ []byte) ([]error, error) {
	<-f.hold
	f.calls.Add(1)
	f.most.Store(max(f.most.Load(), int32(len(outcomes))))
	if f.fails {
		return nil, syscall.ENOSPC
	}
	return make([]error, len(outcomes)), nil
}

// Entries that are ready at a time are committed together, up to a bound. After the first
// failure none is, so that nothing is written behind a torn line.
func TestCommitInBatches(t *testing.T) {
	for _, fails := range []bool{false, true} {
		t.Run(fmt.Sprint("fails ", fails), func(t *testing.T) {
			f := &finishing{fails: fails, hold: make(chan struct{})}
			r := openWriter(t, f)
			var commits sync.WaitGroup
			const n = 3 * maxEntries
			var failed atomic.Int32
			var started sync.WaitGroup
			started.Add(n)
			for i := range n {
				commits.Go(func() {
					started.Done()
					if err := r.Commit(frontier.Outcome{}, &output.Page{URL: fmt.Sprint(i)}, Batch{}); err != nil {
						failed.Add(1)
					}
				})
			}
			started.Wait()
			close(f.hold)
			commits.Wait()
			if m := f.most.Load(); m > maxEntries {
				t.Errorf("%d at a time", m)
			}
			lines := 0
			for _, err := range output.Read[output.Page](r.dir.path) {
				must(t, err)
				lines++
			}
			if fails && (f.calls.Load() != 1 || failed.Load() != n || lines > maxEntries) {
				t.Errorf("the frontier was told %d times, %d of %d have failed, %d lines", f.calls.Load(), failed.Load(), n, lines)
			}
			if !fails && (failed.Load() > 0 || lines != n) {
				t.Errorf("%d have failed, %d lines", failed.Load(), lines)
			}
		})
	}
}

// With durability power the lines and the journal reach the disk before the frontier is updated.
// Otherwise nothing waits for the disk.
func TestCommitForPower(t *testing.T) {
	for name, closes := range map[string]func(r *Writer) error{
		"lines":   func(r *Writer) error { return r.dir.file(&Pages.row).Close() },
		"journal": func(r *Writer) error { return r.dir.file(journalLog).Close() },
	} {
		t.Run(name, func(t *testing.T) {
			r := openWriter(t, nil)
			if err := closes(r); err != nil { // of a file that is closed Sync says so
				t.Fatal(err)
			}
			if err := r.Flush(); err != nil {
				t.Errorf("without power: %v", err)
			}
			r.cfg.Power = true
			if err := r.Flush(); !errors.Is(err, os.ErrClosed) {
				t.Errorf("with power: %v", err)
			}
		})
	}
}

// An archiving is a frontier and the sink of an archive.
type archiving struct {
	frontier.Frontier
	notes   []string        // that were committed
	records int             // that the sink has
	fails   error           // of Write
	bodies  map[string]bool // whether they are open
}

func (a *archiving) Finish(_ context.Context, outcomes []frontier.Outcome, note []byte) ([]error, error) {
	a.notes = append(a.notes, string(note))
	return make([]error, len(outcomes)), nil
}

func (a *archiving) Write(r *output.Results) error {
	for _, e := range r.Exchanges {
		if !a.bodies[e.URL] {
			return errors.New("a closed body")
		}
	}
	a.records += len(r.Exchanges) + len(r.Pages)
	return a.fails
}

func (a *archiving) Commit(bool) ([]byte, error) { return []byte{byte('0' + a.records)}, nil }
func (a *archiving) Close() error                { return nil }

// exchange opens a body.
func (a *archiving) exchange(url string) *output.Exchange {
	a.bodies[url] = true
	return &output.Exchange{URL: url, Body: &closing{close: func() { a.bodies[url] = false }}}
}

// A closing is a body that says when it is closed.
type closing struct {
	output.BytesBody
	close func()
}

func (c *closing) Close() error {
	c.close()
	return nil
}

// The frontier has the first checkpoint of an archive before anything is written to that. Bodies are open until they are
// written, or the crawl ends before that.
func TestArchive(t *testing.T) {
	for _, fails := range []error{nil, syscall.ENOSPC} {
		a := &archiving{bodies: make(map[string]bool)}
		r := openWriter(t, a)
		must(t, r.Commit(frontier.Outcome{}, &output.Page{URL: "http://a.test/earlier"}, Batch{}))
		a.notes = nil
		r.cfg.Formats = []output.Format{{Name: "archive", Exchanges: true, Open: func(_ string, checkpoint []byte) (output.Sink, error) {
			if checkpoint != nil || len(a.notes) > 0 {
				t.Errorf("opened at %s, after %s", checkpoint, a.notes)
			}
			return a, nil
		}}}
		_, err := r.OpenSinks(false)
		must(t, errors.Join(err, r.FillSinks()))
		if c, err := parseNote([]byte(strings.Join(a.notes, ""))); err != nil || string(c.Sinks["archive"]) != "0" || a.records != 1 {
			t.Errorf("%s, %v; %d records", a.notes, err, a.records)
		}
		a.fails = fails
		r.Exchange(a.exchange("written"))
		if err := r.Commit(frontier.Outcome{}, &output.Page{URL: "http://a.test/"}, Batch{}); !errors.Is(err, fails) {
			t.Errorf("%v, want %v", err, fails)
		}
		r.Exchange(a.exchange("too late"))
		if want := map[string]bool{"written": false, "too late": true}; !maps.Equal(a.bodies, want) {
			t.Errorf("open bodies: %v, want %v", a.bodies, want)
		}
		must(t, r.Close())
		if a.bodies["too late"] {
			t.Error("a body was not closed")
		}
	}
}

func (a *archiving) Note(context.Context) ([]byte, error) {
	return []byte(a.notes[len(a.notes)-1]), nil
}

// A crawl that is killed while it fills a new archive fills it again, from its first checkpoint.
func TestFillOfArchiveIsRepeated(t *testing.T) {
	a := &archiving{fails: errors.New("killed")}
	r := openWriter(t, a)
	must(t, r.Commit(frontier.Outcome{}, &output.Page{URL: "http://a.test/"}, Batch{}))
	var opened []string
	r.cfg.Resume = true
	r.cfg.Formats = []output.Format{{Name: "archive", Exchanges: true, Open: func(_ string, checkpoint []byte) (output.Sink, error) {
		opened, a.records = append(opened, string(checkpoint)), 0
		return a, nil
	}}}
	for _, records := range []int{1, 1, 1, 0} { // the last one has them at its checkpoint
		r.sinks = nil
		must(t, r.Load())
		_, err := r.OpenSinks(false)
		must(t, err)
		if err := r.FillSinks(); !errors.Is(err, a.fails) || a.records != records {
			t.Errorf("%v, %d records", err, a.records)
		}
		if len(opened) == 2 {
			a.fails = nil
		}
	}
	if want := []string{"", "0", "0", "1"}; !slices.Equal(opened, want) || len(r.committed.Stale) > 0 {
		t.Errorf("opened at %q, want %q; stale %q", opened, want, r.committed.Stale)
	}
}

// A recrawl opens an archive at its checkpoint once more, to remove what a killed process wrote after it. A recrawl that is
// killed does it again until the frontier has no checkpoint.
func TestResetTruncatesArchives(t *testing.T) {
	opened := ""
	a := &archiving{notes: []string{`{"sinks":{"archive":"eA==","table":"eA=="}}`}}
	r := openWriter(t, a)
	for _, f := range []output.Format{{Name: "archive", Exchanges: true}, {Name: "table"}, {Name: "unused", Exchanges: true}} {
		f.Open = func(_ string, checkpoint []byte) (output.Sink, error) {
			opened += f.Name + " " + string(checkpoint)
			return a, nil
		}
		r.cfg.Available = append(r.cfg.Available, f)
	}
	for range 2 {
		must(t, r.Load())
		if must(t, r.Reset()); opened != "archive x" || len(r.committed.Sinks) > 0 {
			t.Errorf("opened %q, committed %v", opened, r.committed.Sinks)
		}
	}
}

// A note of an earlier version is read, and notes of this version have its fields: the lengths of the files,
// with that of robots.jsonl beside the checkpoints of the sinks.
func TestNoteKeepsItsFields(t *testing.T) {
	const earlier = `{"pages":1,"rejected":2,"sitemaps":3,"links":4,"entries":5,"checks":6,"anchors":7,"permissions":8,"robots_lines":9,"robots":10,"journal":11,"sinks":{"csv":"eA=="},"stale":["sqlite"]}`
	c, err := parseNote([]byte(earlier))
	if err != nil || c.Lengths[Pages.name] != 1 || c.Lengths[Permissions.name] != 8 || c.Lengths[RobotsFile] != 9 || c.Robots != 10 || c.Lengths[JournalFile] != 11 ||
		string(c.Sinks["csv"]) != "x" || !slices.Equal(c.Stale, []string{"sqlite"}) || len(c.Lengths) != len(rows) {
		t.Errorf("%+v, %v", c, err)
	}
	var want, got map[string]any
	err = errors.Join(json.Unmarshal([]byte(earlier), &want), json.Unmarshal(c.note(), &got))
	maps.DeleteFunc(got, func(field string, _ any) bool { return want[field] == nil }) // of a file that the earlier version did not have
	if err != nil || !cmp.Equal(want, got) {
		t.Errorf("%s, %v", cmp.Diff(want, got), err)
	}
}

// A note may have fields that this version does not know, of any type, and may lack those of files that its version did
// not have: these have no committed lines.
func TestNoteOfAnotherVersion(t *testing.T) {
	c, err := parseNote([]byte(`{"pages":1,"robots":2,"crawl":"x","later":{"pages":3},"sinks":{"csv":""}}`))
	if err != nil || c.Lengths[Pages.Name()] != 1 || c.Robots != 2 || c.Lengths[Checks.Name()] != 0 || len(c.Lengths) != len(rows) || c.Sinks["csv"] == nil {
		t.Errorf("%+v, %v", c, err)
	}
	for _, damaged := range []string{``, `{"pages":"x"}`, `{"robots":"x"}`, `[]`} {
		if _, err := parseNote([]byte(damaged)); err == nil {
			t.Errorf("%q has no error", damaged)
		}
	}
}

// A closable body counts its closes.
type closable struct {
	output.BytesBody
	closed int
}

func (c *closable) Close() error {
	c.closed++
	return nil
}

// bodySink is a sink that may fail. Bodies must be open while it writes.
type bodySink struct {
	t      *testing.T
	err    error
	bodies int
}

func (s *bodySink) Write(r *output.Results) error {
	for _, e := range r.Exchanges {
		if b, ok := e.Body.(*closable); ok {
			if s.bodies++; b.closed > 0 {
				s.t.Error("the body is closed before it is written")
			}
		}
	}
	return s.err
}
func (*bodySink) Commit(bool) ([]byte, error) { return nil, nil }
func (*bodySink) Close() error                { return nil }

// The bodies of exchanges are closed once: when all sinks have written them or one has failed, or at the end of the crawl.
func TestBodiesAreClosed(t *testing.T) {
	for _, failed := range []error{nil, syscall.ENOSPC} {
		r := openWriter(t, nil)
		first, second := &bodySink{t: t, err: failed}, &bodySink{t: t}
		r.sinks = []sink{{Sink: first}, {Sink: second}}
		var filed, unfiled, last closable
		var batch Batch
		batch.Results().Exchanges = []*output.Exchange{{}, {Body: &filed}} // one without a body
		r.Exchange(&output.Exchange{Body: &unfiled})
		if err := r.Commit(frontier.Outcome{Result: frontier.Drop}, nil, batch); !errors.Is(err, failed) {
			t.Error(err)
		}
		if first.bodies != 2 || failed == nil && second.bodies != 2 {
			t.Errorf("%d and %d bodies are written", first.bodies, second.bodies)
		}
		r.Exchange(&output.Exchange{Body: &last})
		must(t, r.Close())
		if filed.closed != 1 || unfiled.closed != 1 || last.closed != 1 {
			t.Errorf("sinks that fail with %v: %d, %d and %d closes", failed, filed.closed, unfiled.closed, last.closed)
		}
	}
}

// An archive that is new has a checkpoint in the frontier before anything is written to it: a crawl that is killed then
// knows which files are not its own.
func TestNewArchiveBeginsWithACheckpoint(t *testing.T) {
	f := &finishing{hold: make(chan struct{})}
	close(f.hold)
	r := openWriter(t, f)
	r.sinks = []sink{{Sink: &bodySink{t: t}, format: output.Format{Name: "a", Exchanges: true}, fresh: true}, {Sink: &bodySink{t: t}, format: output.Format{Name: "b"}, fresh: true}}
	must(t, r.FillSinks())
	if f.calls.Load() != 1 || r.committed.Sinks["a"] == nil || r.committed.Sinks["b"] != nil {
		t.Errorf("%d commits of %q", f.calls.Load(), r.committed.Sinks)
	}
}
