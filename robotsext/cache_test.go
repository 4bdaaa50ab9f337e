package robotsext_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/politecrawl/politecrawl/robotsext"
)

func openCache(t *testing.T, dir string) robotsext.Cache {
	t.Helper()
	c, err := robotsext.NewFileCache(dir)
	wantOK(t, err)
	return c
}

func cachedIn(t *testing.T, dir string) robotsext.Options {
	t.Helper()
	return robotsext.Options{Cache: robotsext.CacheOptions{Backend: openCache(t, dir)}}
}

// cachedHost is newHost with a cache in files.
func cachedHost(t *testing.T, now reply) *host {
	t.Helper()
	dir := t.TempDir()
	h := newHost(t, cachedIn(t, dir), now)
	h.dir = dir
	return h
}

// restart opens the files of cachedHost, as the next process does.
func (h *host) restart() {
	h.t.Helper()
	h.open(cachedIn(h.t, h.dir))
}

// cacheFiles is the name of each record's file.
func (h *host) cacheFiles() []string {
	h.t.Helper()
	names, err := filepath.Glob(filepath.Join(h.dir, "*", "*"))
	wantOK(h.t, err)
	return names
}

func TestRestart(t *testing.T) {
	t.Run("ROB-CAC-17/rules", func(t *testing.T) {
		h := cachedHost(t, robotsReply)
		before := h.record()
		h.clock.advance(23 * time.Hour)
		h.restart()
		wantDisallowed(t, h.check("/private"), 2)
		after := h.record()
		h.wantAsked(1)
		if diff := cmp.Diff(before, after, cmpopts.IgnoreFields(robotsext.Record{}, "File")); diff != "" {
			t.Errorf("record changed by the restart:\n%s", diff)
		}
		h.clock.advance(2 * time.Hour)
		h.record()
		h.wantAsked(2)
	})
	t.Run("ROB-CAC-17/ROB-STA-05/outage", func(t *testing.T) {
		h := cachedHost(t, robotsReply)
		h.record()
		h.clock.advance(day)
		h.now = reply{status: 503}
		first := h.failFor(20 * day)
		h.restart()
		blocked := wantLater(t, h.check("/a")) // not asked again before its time
		if !blocked.RetryAt.Equal(first.RetryAt) {
			t.Errorf("next try at %s, was %s before the restart", blocked.RetryAt, first.RetryAt)
		}
		rec := h.failFor(11 * day)
		if letter(rec) != "C" || !rec.FailingSince.Equal(first.FailingSince) || rec.Outage != 31*day {
			t.Errorf("got %s, failing since %s, for %s", letter(rec), rec.FailingSince, rec.Outage)
		}
		wantDisallowed(t, h.check("/private"), 2)
		h.restart()
		wantDisallowed(t, h.check("/private"), 2)
	})
	t.Run("ROB-CAC-17/stopped for long", func(t *testing.T) {
		h := cachedHost(t, reply{status: 500})
		h.record()
		h.clock.advance(40 * day)
		h.restart()
		wantLater(t, h.check("/a"))
	})
	t.Run("ROB-STA-08/404", func(t *testing.T) {
		h := cachedHost(t, robotsReply)
		h.refresh()
		h.now = reply{status: 404}
		h.refresh()
		h.restart()
		wantOK(t, h.check("/private"))
		h.wantAsked(2)
		h.clock.advance(day)
		wantLetter(t, h.failFor(31*day), "A")
	})
	t.Run("profile changed", func(t *testing.T) {
		h := cachedHost(t, reply{status: 500})
		google := cachedIn(t, h.dir)
		google.Outage.Profile = robotsext.ProfileGoogle
		h.open(google)
		wantLetter(t, h.failFor(13*time.Hour), "A")
		h.restart()
		wantLater(t, h.check("/a"))
	})
}

func TestNoStore(t *testing.T) {
	rules, noStore := robotsReply, http.Header{"Cache-Control": {"no-store"}}
	rules.header = noStore
	h := cachedHost(t, rules)
	h.record()
	wantOnDisk := func(t *testing.T) {
		t.Helper()
		var f struct{ Record robotsext.Record }
		files := h.cacheFiles()
		if len(files) != 1 {
			t.Fatalf("files %q", files)
		}
		wantOK(t, json.Unmarshal(read(t, files[0]), &f))
		if f.Record.Body != nil || f.Record.Copy != nil {
			t.Errorf("on disk: %q, copy %+v", f.Record.Body, f.Record.Copy)
		}
	}
	t.Run("ROB-CAC-06/not written", wantOnDisk)
	t.Run("ROB-CAC-06/not written as a copy", func(t *testing.T) {
		h.clock.advance(day)
		h.wantCopyLost(false)
		if h.record().Copy == nil {
			t.Error("the copy in memory is gone")
		}
		wantOnDisk(t)
	})
	t.Run("ROB-CAC-17/lost with the process", func(t *testing.T) {
		h.restart()
		wantLater(t, h.check("/a"))
		h.wantCopyLost(true)
	})
	t.Run("ROB-CAC-17/lost with the process before an outage", func(t *testing.T) {
		h := cachedHost(t, rules)
		h.record()
		h.restart()
		h.wantCopyLost(true)
	})
	t.Run("ROB-STA-08/there is nothing to write", func(t *testing.T) {
		h := cachedHost(t, reply{status: 404, header: noStore})
		h.record()
		h.restart()
		h.clock.advance(day)
		h.wantCopyLost(false)
	})
	t.Run("ROB-CAC-06/unchanged after a restart", func(t *testing.T) {
		h := cachedHost(t, rules)
		h.record()
		opts := cachedIn(t, h.dir)
		opts.OnChange = func(before, after *robotsext.Record) {
			t.Errorf("changed from %v to %v", before.Outcome, after.Outcome)
		}
		h.open(opts)
		wantDisallowed(t, h.check("/private"), 2)
	})
}

func TestDamagedCache(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, file string){
		"empty":    func(t *testing.T, file string) { write(t, file, nil) },
		"half":     func(t *testing.T, file string) { data := read(t, file); write(t, file, data[:len(data)/2]) },
		"not JSON": func(t *testing.T, file string) { write(t, file, []byte("User-agent: *\nAllow: /\n")) },
		"null":     func(t *testing.T, file string) { write(t, file, []byte("null")) },
		"edited": func(t *testing.T, file string) {
			write(t, file, bytes.Replace(read(t, file), []byte(`"outcome":"rules"`), []byte(`"outcome":"allow-all"`), 1))
		},
		"unreadable": func(t *testing.T, file string) { wantOK(t, errors.Join(os.Remove(file), os.Mkdir(file, 0o755))) },
		"of another origin": func(t *testing.T, file string) {
			other := cachedHost(t, reply{status: 404})
			recordFor(t, other.r, mustParse(t, "http://other.example/"))
			write(t, file, read(t, other.cacheFiles()[0]))
		},
	} {
		t.Run("ROB-CAC-17/"+name, func(t *testing.T) {
			h := cachedHost(t, robotsReply)
			h.record()
			spoil(t, h.cacheFiles()[0])
			h.restart()
			wantDisallowed(t, h.check("/private"), 2)
			h.wantAsked(2)
			spoil(t, h.cacheFiles()[0])
			h.restart()
			h.wantCopyLost(true)
		})
	}
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	wantOK(t, err)
	return data
}

func write(t *testing.T, name string, data []byte) {
	t.Helper()
	wantOK(t, os.WriteFile(name, data, 0o600))
}

func TestNewFileCacheFails(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, nil)
	if _, err := robotsext.NewFileCache(filepath.Join(file, "dir")); err == nil || !strings.HasPrefix(err.Error(), "file cache: ") {
		t.Errorf("error %v", err)
	}
}

// What a crash left half written is removed, what somebody writes now is not.
func TestNewFileCacheRemovesLeftovers(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "[*")
	wantOK(t, os.Mkdir(dir, 0o755))
	for name, age := range map[string]time.Duration{"old.tmp": day, "young.tmp": 0, "old.txt": day} {
		name = filepath.Join(dir, name)
		write(t, name, nil)
		wantOK(t, os.Chtimes(name, time.Time{}, time.Now().Add(-age)))
	}
	openCache(t, dir)
	entries, err := os.ReadDir(dir)
	wantOK(t, err)
	var left []string
	for _, e := range entries {
		left = append(left, e.Name())
	}
	if want := []string{"old.txt", "young.tmp"}; !cmp.Equal(left, want) {
		t.Errorf("left %q, want %q", left, want)
	}
}

func FuzzRecordJSON(f *testing.F) {
	rec := &robotsext.Record{Origin: "http://h", Outcome: robotsext.OutcomeRules, Body: []byte(private), FetchedAt: newClock().now(), RedirectChain: []string{"http://h/robots.txt"}}
	failing := *rec
	failing.FailingSince, failing.Copy, failing.Err = rec.FetchedAt, &robotsext.Record{Body: []byte(private)}, errors.New("status 500")
	for _, rec := range []*robotsext.Record{rec, &failing, {Origin: "http://h", Outcome: robotsext.OutcomeAllowAll, FetchedAt: newClock().now()}} {
		data, err := json.Marshal(rec)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var rec, again robotsext.Record
		if json.Unmarshal(data, &rec) != nil {
			return
		}
		if rec.Outcome != robotsext.OutcomeRules && rec.Outcome != robotsext.OutcomeAllowAll && rec.Outcome != robotsext.OutcomeUnreachable {
			t.Fatalf("outcome %v", rec.Outcome)
		}
		once, err := json.Marshal(&rec)
		if err != nil {
			return // a year that JSON has no form for
		}
		if err := json.Unmarshal(once, &again); err != nil {
			t.Fatalf("%s: %v", once, err)
		}
		twice, err := json.Marshal(&again)
		if err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("written as\n%s, then as\n%s, %v", once, twice, err)
		}
	})
}
