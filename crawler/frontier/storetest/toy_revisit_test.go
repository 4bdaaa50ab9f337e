//go:build unix

package storetest

import (
	"bytes"
	"context"
	"iter"
	"slices"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

func (t *toy) Revisit(ctx context.Context, items []frontier.Item) ([]bool, error) {
	if err := t.valid(items); err != nil && !t.is(takesAnything) {
		return nil, err
	}
	now, err := t.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer t.leave()
	again := make([]bool, len(items))
	if !t.is(revisitsOnlyKnown) {
		again = t.add(items, now)
	}
	for i, it := range items {
		r := t.rows[t.key(it.Key())]
		if r == nil || again[i] || !t.revisits(r) {
			continue
		}
		if t.is(asksThenMarks) {
			t.mu.Unlock()
			time.Sleep(time.Nanosecond)
			t.mu.Lock()
		}
		again[i] = true
		if it = t.own(it); t.is(revisitsAsBefore) {
			it = r.Item
		}
		r.Item, r.State, r.Since, r.Seq, r.Came = it, waiting, now, t.number(), t.is(revisitsFirst)
		if !t.is(revisitIsAttempt) {
			r.Attempts = 0
		}
		if t.is(revisitClearsValidators) {
			r.Validators = nil
		}
		if t.is(revisitIsNew) {
			t.rows[frontier.Key{URL: it.URL, Owner: "again"}] = &row{Item: it, State: done}
		}
		t.dirty = append(t.dirty, r, t.host(it.Host))
	}
	return again, nil
}

func (t *toy) revisits(r *row) bool {
	switch r.State {
	case done:
		return true
	case dropped:
		return !t.is(revisitsOnlyDone)
	}
	return t.is(revisitsAny)
}

func (t *toy) Note(ctx context.Context) ([]byte, error) {
	if _, err := t.enter(ctx); err != nil {
		return nil, err
	}
	defer t.leave()
	if t.is(keepsCallersBytes) {
		return t.note, nil
	}
	return bytes.Clone(t.note), nil
}

// noted stores a note that came with these outcomes.
func (t *toy) noted(note []byte, errs []error) {
	switch {
	case note == nil && !t.is(nilClearsNote):
		return
	case t.is(noteNeedsOutcome) && len(errs) == 0:
		return
	}
	for _, err := range errs {
		if err != nil && t.is(noteNeedsSuccess) {
			return
		}
	}
	before := t.note
	if t.note = note; !t.is(keepsCallersBytes) {
		t.note = bytes.Clone(note)
	}
	switch {
	case t.is(forgetsNotes):
	case t.is(noteComesLate):
		if before != nil {
			t.dirty = append(t.dirty, toyNote(before))
		}
	case t.is(noteComesFirst):
		outcomes := t.dirty
		t.dirty = []any{toyNote(t.note)}
		t.save()
		t.dirty = outcomes
		time.Sleep(20 * time.Millisecond)
	default:
		t.dirty = append(t.dirty, toyNote(t.note))
	}
}

func (t *toy) Waiting(ctx context.Context, hosts ...frontier.Host) iter.Seq2[frontier.Item, error] {
	return func(yield func(frontier.Item, error) bool) {
		list, err := t.waiting(ctx, hosts)
		for i := 0; i < len(list) && err == nil; i++ {
			if !yield(list[i], nil) {
				return
			}
			if err = ctx.Err(); t.is(listsByIndex) && i%40 == 39 && err == nil {
				list, err = t.waiting(ctx, hosts)
			}
		}
		if err != nil {
			yield(frontier.Item{}, err)
		}
	}
}

func (t *toy) waiting(ctx context.Context, names []frontier.Host) (list []frontier.Item, err error) {
	now, err := t.enter(ctx)
	if err != nil {
		if t.is(listsNoErrors) {
			err = nil
		}
		return nil, err
	}
	defer t.leave()
	for _, h := range t.hosts {
		if len(names) > 0 && !slices.Contains(names, h.Host) || len(names) == 0 && t.is(listsOneHost) {
			continue
		}
		for _, r := range h.rows {
			it := r.Item
			if !it.NotBefore.After(now) || t.is(listsNoTimes) {
				it.NotBefore = time.Time{}
			}
			if !t.is(keepsCallersBytes) {
				it.Meta = bytes.Clone(it.Meta)
			}
			if r.State == waiting && (r.NotBefore.IsZero() || !t.is(listsOnlyPending)) || r.State == leased && t.is(listsLeased) {
				list = append(list, it)
			}
		}
	}
	return list, nil
}
