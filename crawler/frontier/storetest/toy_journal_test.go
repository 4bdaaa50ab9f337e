//go:build unix

package storetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// openToy opens the toy with its journal in a directory.
func openToy(place string, w defect, now func() time.Time) (*toy, error) {
	name := filepath.Join(place, "journal")
	disk, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	if w != locksNothing {
		if err := syscall.Flock(int(disk.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
			_ = disk.Close()
			return nil, fmt.Errorf("toy: %s is in use: %w", place, err)
		}
	}
	t := &toy{
		wrong: w, now: now, disk: disk, changed: make(chan struct{}),
		rows: make(map[frontier.Key]*row), hosts: make(map[frontier.Host]*toyHost), leases: make(map[frontier.LeaseID]*toyLease),
	}
	return t, t.load(name)
}

// entry is one line of the journal: the new state of a row or a host.
type entry struct {
	Row  *row     `json:",omitempty"`
	Host *toyHost `json:",omitempty"`
	Note toyNote  `json:",omitempty"`
}

// toyNote is nil without a note.
type toyNote []byte

func (t *toy) load(name string) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	for line := range bytes.Lines(data) {
		var e entry
		if !bytes.HasSuffix(line, []byte("\n")) || json.Unmarshal(line, &e) != nil {
			break // incomplete after a kill
		}
		switch {
		case e.Row != nil:
			t.rows[t.key(e.Row.Key())] = e.Row
		case e.Host != nil:
			t.hosts[e.Host.Host] = e.Host
		default:
			t.note = append([]byte{}, e.Note...)
		}
	}
	now := t.now()
	for _, r := range t.rows {
		t.numbers = max(t.numbers, r.Seq, -r.Seq)
		h := t.hosts[r.Host]
		h.rows = append(h.rows, r)
		if r.State == leased {
			r.State, r.Came = waiting, true
		}
	}
	for _, h := range t.hosts {
		if t.is(forgetsClocks) {
			h.Clock = time.Time{}
		} else if !h.Clock.IsZero() || !t.is(clockNeedsAnEnd) {
			h.Clock = latest(h.Clock, now.Add(h.Delay))
		}
		if t.is(forgetsRobots) {
			h.Robots = nil
		}
	}
	return nil
}

// save writes all changes with one call.
func (t *toy) save() {
	var out []byte
	for _, x := range t.dirty {
		e := entry{}
		switch x := x.(type) {
		case *row:
			e.Row = x
		case *toyHost:
			e.Host = x
		case toyNote:
			e.Note = x
		}
		line, err := json.Marshal(e)
		if err != nil {
			panic(err)
		}
		out = append(append(out, line...), '\n')
	}
	t.dirty = nil
	if t.is(neverWrites) {
		return
	}
	if t.closed || t.is(writesLate) {
		t.unsaved = append(t.unsaved, out...)
		return
	}
	if _, err := t.disk.Write(out); err != nil {
		panic(err)
	}
}

func (t *toy) closeJournal() error {
	if _, err := t.disk.Write(t.unsaved); err != nil {
		return err
	}
	return t.disk.Close()
}
