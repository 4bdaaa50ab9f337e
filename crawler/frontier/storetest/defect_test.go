//go:build unix

package storetest

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/logstore"
)

// A defect is an error of a store: what it does wrong with the arguments or results of calls. Nil functions do
// nothing.
type defect struct {
	point int // whose checks must find it
	name  string

	open    func(place string) string // returns the directory of the data
	options logstore.Options
	failed  func(error) error // changes the error of any call

	item     func(s *faulty, it *frontier.Item)                                                 // to be added
	add      func(ctx context.Context, s *faulty, items []frontier.Item) ([]bool, error)        // replaces Add
	revisit  func(ctx context.Context, s *faulty, items []frontier.Item) ([]bool, error)        // replaces Revisit
	known    func(known []bool) []bool                                                          // the result of Known
	request  func(req *frontier.LeaseRequest)                                                   // of Lease
	lease    func(s *faulty, l *frontier.Lease)                                                 // the result of Lease
	outcome  func(s *faulty, o *frontier.Outcome)                                               // of Finish
	note     func(s *faulty, note []byte, outcomes []frontier.Outcome) []byte                   // of Finish
	finish   func(s *faulty, outcomes []frontier.Outcome, note []byte) ([]error, error)         // replaces Finish
	finished func(errs []error, err error) ([]error, error)                                     // the result of Finish
	extend   func(s *faulty, ids []frontier.LeaseID, d time.Duration) error                     // replaces Extend
	hold     func(ctx context.Context, s *faulty, h frontier.Host) (func(time.Duration), error) // replaces Hold
	update   func(u *frontier.HostUpdate)                                                       // of UpdateHost
	host     func(r *frontier.HostRecord)                                                       // the result of Host
	stats    func(s *frontier.Stats)                                                            // the result of Stats
	noteRead func(s *faulty, note []byte) []byte                                                // the result of Note
	waiting  func(it *frontier.Item) bool                                                       // the result of Waiting: whether to list it
	lists    func(hosts []frontier.Host) bool                                                   // whether Waiting lists anything
}

// faulty is a store with a defect.
type faulty struct {
	*logstore.Store
	defect

	mu      sync.Mutex // guards the fields below
	urls    map[frontier.LeaseID]string
	last    map[string]frontier.LeaseID // the last lease of a URL
	notes   [][]byte
	ballast [][]byte
}

// openFaulty opens a store with a defect.
func openFaulty(place string, d defect) (*faulty, error) {
	if d.open != nil {
		place = d.open(place)
	}
	s, err := logstore.Open(place, &d.options)
	if err != nil {
		return nil, err
	}
	return &faulty{Store: s, defect: d, urls: make(map[frontier.LeaseID]string), last: make(map[string]frontier.LeaseID)}, nil
}

// err returns the error as the caller gets it.
func (s *faulty) err(err error) error {
	if err != nil && s.failed != nil {
		return s.failed(err)
	}
	return err
}

// changed returns the items as the store gets them.
func (s *faulty) changed(items []frontier.Item) []frontier.Item {
	if items = slices.Clone(items); s.item != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		for i := range items {
			s.item(s, &items[i])
		}
	}
	return items
}

func (s *faulty) Add(ctx context.Context, items []frontier.Item) (added []bool, err error) {
	if items = s.changed(items); s.add != nil {
		added, err = s.add(ctx, s, items)
	} else {
		added, err = s.Store.Add(ctx, items)
	}
	return added, s.err(err)
}

func (s *faulty) Revisit(ctx context.Context, items []frontier.Item) (queued []bool, err error) {
	if items = s.changed(items); s.revisit != nil {
		queued, err = s.revisit(ctx, s, items)
	} else {
		queued, err = s.Store.Revisit(ctx, items)
	}
	return queued, s.err(err)
}

func (s *faulty) Known(ctx context.Context, keys []frontier.Key) ([]bool, error) {
	known, err := s.Store.Known(ctx, keys)
	if s.known != nil {
		known = s.known(known)
	}
	return known, s.err(err)
}

func (s *faulty) Lease(ctx context.Context, req frontier.LeaseRequest) ([]frontier.Lease, error) {
	if s.request != nil {
		s.request(&req)
	}
	leases, err := s.Store.Lease(ctx, req)
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range leases {
		l := &leases[i]
		s.urls[l.ID], s.last[l.URL] = l.URL, l.ID
		if s.lease != nil {
			s.lease(s, l)
		}
	}
	return leases, s.err(err)
}

func (s *faulty) Finish(ctx context.Context, outcomes []frontier.Outcome, note []byte) (errs []error, err error) {
	outcomes = slices.Clone(outcomes)
	for i := range outcomes {
		outcomes[i].Links = s.changed(outcomes[i].Links)
	}
	s.mu.Lock()
	for i := range outcomes {
		if s.outcome != nil {
			s.outcome(s, &outcomes[i])
		}
	}
	if s.note != nil {
		note = s.note(s, note, outcomes)
	}
	s.mu.Unlock()
	if s.finish != nil {
		errs, err = s.finish(s, outcomes, note)
	} else {
		errs, err = s.Store.Finish(ctx, outcomes, note)
	}
	if s.finished != nil {
		errs, err = s.finished(errs, err)
	}
	return errs, s.err(err)
}

func (s *faulty) Extend(ctx context.Context, ids []frontier.LeaseID, d time.Duration) error {
	if s.extend != nil {
		return s.err(s.extend(s, ids, d))
	}
	return s.err(s.Store.Extend(ctx, ids, d))
}

func (s *faulty) Hold(ctx context.Context, h frontier.Host) (release func(time.Duration), err error) {
	if s.hold != nil {
		release, err = s.hold(ctx, s, h)
	} else {
		release, err = s.Store.Hold(ctx, h)
	}
	return release, s.err(err)
}

func (s *faulty) UpdateHost(ctx context.Context, h frontier.Host, u frontier.HostUpdate) error {
	if s.update != nil {
		s.update(&u)
	}
	return s.err(s.Store.UpdateHost(ctx, h, u))
}

func (s *faulty) Host(ctx context.Context, h frontier.Host) (frontier.HostRecord, error) {
	r, err := s.Store.Host(ctx, h)
	if s.host != nil {
		s.host(&r)
	}
	return r, s.err(err)
}

func (s *faulty) Stats(ctx context.Context) (frontier.Stats, error) {
	st, err := s.Store.Stats(ctx)
	if s.stats != nil {
		s.stats(&st)
	}
	return st, s.err(err)
}

func (s *faulty) Note(ctx context.Context) ([]byte, error) {
	note, err := s.Store.Note(ctx)
	if s.noteRead != nil {
		note = s.noteRead(s, note)
	}
	return note, s.err(err)
}

func (s *faulty) Waiting(ctx context.Context, hosts ...frontier.Host) iter.Seq2[frontier.Item, error] {
	return func(yield func(frontier.Item, error) bool) {
		for it, err := range s.Store.Waiting(ctx, hosts...) {
			if err = s.err(err); err == nil && (s.lists != nil && !s.lists(hosts) || s.waiting != nil && !s.waiting(&it)) {
				continue
			}
			if !yield(it, err) {
				return
			}
		}
	}
}

// forgets opens an empty directory each time.
func forgets(place string) string {
	dir, err := os.MkdirTemp(place, "")
	if err != nil {
		panic(err)
	}
	return dir
}

// addKnown adds items, of which those are new that were not known before.
func addKnown(ctx context.Context, s *faulty, items []frontier.Item) ([]bool, error) {
	fresh, err := s.Store.Known(ctx, keysOf(items))
	for i := range fresh {
		fresh[i] = !fresh[i]
	}
	if err == nil {
		time.Sleep(time.Nanosecond)
		_, err = s.Store.Add(ctx, items)
	}
	return fresh, err
}

// ignoring returns a function that changes an error to nil.
func ignoring(ignored error) func(error) error {
	return func(err error) error {
		if errors.Is(err, ignored) {
			return nil
		}
		return err
	}
}

// isLost reports whether a lease is over.
func (s *faulty) isLost(id frontier.LeaseID) bool {
	return s.Store.Extend(context.Background(), []frontier.LeaseID{id}, 0) != nil
}

var background = context.Background()

var defects = []defect{
	{point: 0, name: "accepts invalid arguments", failed: ignoring(frontier.ErrInvalid)},
	{point: 0, name: "returns another error when closed", failed: func(err error) error {
		if errors.Is(err, frontier.ErrClosed) {
			return os.ErrClosed
		}
		return err
	}},
	{point: 0, name: "starts although the context has ended", failed: ignoring(context.Canceled)},
	{point: 0, name: "fails the whole call for an invalid outcome", finished: func(errs []error, err error) ([]error, error) { return errs, errors.Join(append(errs, err)...) }},
	{point: 0, name: "accepts outcomes without result", finished: func(errs []error, err error) ([]error, error) { return make([]error, len(errs)), err }},

	{point: 1, name: "checks and adds a URL in two steps", add: addKnown},
	{point: 1, name: "reports all as new", add: func(ctx context.Context, s *faulty, items []frontier.Item) ([]bool, error) {
		added, err := s.Store.Add(ctx, items)
		for i := range added {
			added[i] = true
		}
		return added, err
	}},
	{point: 1, name: "adds what is done again", add: func(ctx context.Context, s *faulty, items []frontier.Item) ([]bool, error) {
		return s.Store.Revisit(ctx, items)
	}},
	{point: 1, name: "returns no results of Known", known: func([]bool) []bool { return nil }},
	{point: 1, name: "knows everything", known: func(known []bool) []bool { return slices.Repeat([]bool{true}, len(known)) }},
	{point: 1, name: "knows nothing", known: func(known []bool) []bool { return make([]bool, len(known)) }},
	{point: 1, name: "ignores kinds and owners", item: func(_ *faulty, it *frontier.Item) { it.Kind, it.Owner = "", "" }},
	{point: 1, name: "stores nothing", open: forgets},

	{point: 2, name: "stores nothing", open: forgets},
	{point: 2, name: "stores a note with the next one", note: func(s *faulty, note []byte, _ []frontier.Outcome) []byte {
		if s.notes = append(s.notes, note); len(s.notes) < 2 {
			return nil
		}
		return s.notes[len(s.notes)-2]
	}},
	{point: 2, name: "stores a note before its outcomes", finish: func(s *faulty, outcomes []frontier.Outcome, note []byte) ([]error, error) {
		_, err := s.Store.Finish(background, nil, note)
		time.Sleep(20 * time.Millisecond)
		errs, second := s.Store.Finish(background, outcomes, nil)
		return errs, errors.Join(err, second)
	}},

	{point: 3, name: "lets leases expire early", request: func(req *frontier.LeaseRequest) { req.Duration /= 2 }, lease: func(_ *faulty, l *frontier.Lease) { l.Expires = l.Expires.Add(time.Until(l.Expires)) }},
	{point: 3, name: "lets no lease expire", request: func(req *frontier.LeaseRequest) { req.Duration = 1000 * time.Hour }},
	{point: 3, name: "counts no attempts", lease: func(_ *faulty, l *frontier.Lease) { l.Attempt = 1 }},
	{point: 3, name: "counts a deferred URL as an attempt", outcome: resultAs(frontier.Defer, frontier.Retry)},
	{point: 3, name: "does not count attempts that failed", outcome: resultAs(frontier.Retry, frontier.Defer)},
	{point: 3, name: "extends nothing", extend: func(*faulty, []frontier.LeaseID, time.Duration) error { return nil }},
	{point: 3, name: "stores nothing", open: forgets},

	{point: 4, name: "accepts every lease of a URL as the last one", outcome: func(s *faulty, o *frontier.Outcome) { o.Lease = s.last[s.urls[o.Lease]] }},
	{point: 4, name: "drops the links of lost leases", outcome: func(s *faulty, o *frontier.Outcome) {
		if s.isLost(o.Lease) {
			o.Links = nil
		}
	}},
	{point: 4, name: "fails the whole call for a lost lease", finished: func(errs []error, err error) ([]error, error) { return errs, errors.Join(append(errs, err)...) }},
	{point: 4, name: "stops extending at a lost lease", extend: func(s *faulty, ids []frontier.LeaseID, d time.Duration) error {
		for _, id := range ids {
			if err := s.Store.Extend(background, []frontier.LeaseID{id}, d); err != nil {
				return err
			}
		}
		return nil
	}},
	{point: 4, name: "reports no lost leases", failed: ignoring(frontier.ErrLeaseLost)},

	{point: 5, name: "adds links when the lease has ended", finish: func(s *faulty, outcomes []frontier.Outcome, note []byte) (errs []error, err error) {
		for _, o := range outcomes {
			links := o.Links
			o.Links = nil
			one, first := s.Store.Finish(background, []frontier.Outcome{o}, note)
			for range 3 {
				time.Sleep(time.Nanosecond)
			}
			_, second := s.Store.Add(background, links)
			errs, err = append(errs, one...), errors.Join(err, first, second)
		}
		return errs, err
	}},
	{point: 5, name: "drops the links of a failed attempt", outcome: func(_ *faulty, o *frontier.Outcome) {
		if o.Result == frontier.Retry {
			o.Links = nil
		}
	}},
	{point: 5, name: "stores nothing", open: forgets},

	{point: 6, name: "ignores slots", options: logstore.Options{MaxInFlight: 100}, update: func(u *frontier.HostUpdate) { u.MaxInFlight = 100 }},
	{point: 6, name: "has one slot for each host", update: func(u *frontier.HostUpdate) { u.MaxInFlight = 0 }},
	{point: 6, name: "ignores PerHost", request: func(req *frontier.LeaseRequest) { req.PerHost = 0 }},
	{point: 6, name: "measures every delay from the start", options: logstore.Options{MaxInFlight: 2}},
	{point: 6, name: "ignores the delay of an outcome", outcome: func(_ *faulty, o *frontier.Outcome) { o.HostDelay = min(o.HostDelay, 1) }},
	{point: 6, name: "ignores the delay of the record", update: func(u *frontier.HostUpdate) { u.Delay = nil }},
	{point: 6, name: "has one clock for all hosts", item: func(_ *faulty, it *frontier.Item) { it.Host = a }},
	{point: 6, name: "adds a second to both delays", outcome: func(_ *faulty, o *frontier.Outcome) {
		if o.HostDelay > 0 {
			o.HostDelay += time.Second
		}
	}},
	{point: 6, name: "sets the clock when no request was made", outcome: func(_ *faulty, o *frontier.Outcome) { o.HostDelay = max(o.HostDelay, 1) }},
	{point: 6, name: "ignores BlockUntil", update: func(u *frontier.HostUpdate) { u.BlockUntil = time.Time{} }},
	{point: 6, name: "forgets clocks when closed", open: forgets},
	{point: 6, name: "occupies no slot for a hold", hold: func(context.Context, *faulty, frontier.Host) (func(time.Duration), error) {
		return func(time.Duration) {}, nil
	}},
	{point: 6, name: "does not set the clock after a hold", hold: func(ctx context.Context, s *faulty, h frontier.Host) (func(time.Duration), error) {
		release, err := s.Store.Hold(ctx, h)
		return func(time.Duration) { release(0) }, err
	}},
	{point: 6, name: "releases a hold twice", hold: func(ctx context.Context, s *faulty, h frontier.Host) (func(time.Duration), error) {
		release, err := s.Store.Hold(ctx, h)
		return func(d time.Duration) {
			release(d)
			_ = s.Store.UpdateHost(background, h, frontier.HostUpdate{BlockUntil: time.Now().Add(d)})
		}, err
	}},

	{point: 7, name: "ignores priorities", item: func(_ *faulty, it *frontier.Item) { it.Priority = 0 }},
	{point: 7, name: "leases the newest URLs first", item: func(s *faulty, it *frontier.Item) {
		s.ballast = append(s.ballast, nil)
		it.Priority = uint8(max(0, 200-len(s.ballast)))
	}},
	{point: 7, name: "serves the hosts as one", item: func(_ *faulty, it *frontier.Item) { it.Host = a }},
	{point: 7, name: "queues retried URLs last", outcome: func(_ *faulty, o *frontier.Outcome) {
		if o.Result == frontier.Retry && o.NotBefore.IsZero() {
			o.NotBefore = time.Now().Add(time.Millisecond)
		}
	}},

	{point: 8, name: "ignores NotBefore", item: func(_ *faulty, it *frontier.Item) { it.NotBefore = time.Time{} }, outcome: func(_ *faulty, o *frontier.Outcome) { o.NotBefore = time.Time{} }},
	{point: 8, name: "blocks a host for a retry", outcome: func(_ *faulty, o *frontier.Outcome) {
		if !o.NotBefore.IsZero() {
			o.HostDelay = max(o.HostDelay, time.Until(o.NotBefore))
		}
	}},
	{point: 8, name: "never leases done URLs again", outcome: func(_ *faulty, o *frontier.Outcome) {
		if o.Result == frontier.Done {
			o.NotBefore = time.Time{}
		}
	}},
	{point: 8, name: "loses the priority of retried URLs", lease: func(_ *faulty, l *frontier.Lease) {
		if l.Attempt > 1 {
			l.Priority = 9
		}
	}},
	{point: 8, name: "sets no clock after a failed attempt", outcome: func(_ *faulty, o *frontier.Outcome) {
		if o.Result == frontier.Retry {
			o.HostDelay = 0
		}
	}},
	{point: 8, name: "stores nothing", open: forgets},

	{point: 9, name: "counts leased URLs as pending", stats: func(s *frontier.Stats) { s.Pending, s.InFlight = s.Pending+s.InFlight, 0 }},
	{point: 9, name: "counts dropped URLs as pending", stats: func(s *frontier.Stats) { s.Pending, s.Dropped = s.Pending+s.Dropped, 0 }},
	{point: 9, name: "counts scheduled URLs as pending", stats: func(s *frontier.Stats) { s.Pending, s.Scheduled = s.Pending+s.Scheduled, 0 }},
	{point: 9, name: "counts a host more", stats: func(s *frontier.Stats) { s.Hosts++ }},
	{point: 9, name: "does not count URLs of a host", host: func(r *frontier.HostRecord) { r.Counts = frontier.Counts{} }},
	{point: 9, name: "stores nothing", open: forgets},

	{point: 10, name: "never waits", request: func(req *frontier.LeaseRequest) { req.Wait = 0 }},
	{point: 10, name: "waits although Wait is zero", request: func(req *frontier.LeaseRequest) {
		if req.Wait == 0 {
			req.Wait = 2 * time.Second
		}
	}},
	{point: 10, name: "sleeps before it waits", request: func(req *frontier.LeaseRequest) {
		if req.Wait != 0 {
			time.Sleep(2 * time.Second)
		}
	}},
	{point: 10, name: "returns no NextDue", stats: func(s *frontier.Stats) { s.NextDue = time.Time{} }},
	{point: 10, name: "does not hold", hold: func(context.Context, *faulty, frontier.Host) (func(time.Duration), error) {
		return func(time.Duration) {}, nil
	}},

	{point: 11, name: "wastes memory", item: func(s *faulty, _ *frontier.Item) { s.ballast = append(s.ballast, make([]byte, 8000)) }},

	{point: 12, name: "lets a second process open it", open: forgets},

	{point: 13, name: "forgets validators if there are no new ones", outcome: func(_ *faulty, o *frontier.Outcome) {
		if o.Validators == nil {
			o.Validators = new(frontier.Validators)
		}
	}},
	{point: 13, name: "stores no metadata", item: func(_ *faulty, it *frontier.Item) { it.Meta = nil }},
	{point: 13, name: "keeps the caller's slices", lease: func(s *faulty, l *frontier.Lease) {
		l.Meta = append(l.Meta, 'x')
	}},
	{point: 13, name: "ignores Item.Host", item: func(_ *faulty, it *frontier.Item) { it.Host = "" }},
	{point: 13, name: "forgets FailingSince", host: func(r *frontier.HostRecord) {
		for origin, rec := range r.Robots {
			r.Robots[origin] = frontier.Robots{Data: rec.Data}
		}
	}},
	{point: 13, name: "ignores robots.txt records without data", host: func(r *frontier.HostRecord) {
		for origin, rec := range r.Robots {
			if len(rec.Data) == 0 {
				delete(r.Robots, origin)
			}
		}
	}},
	{point: 13, name: "keeps no robots.txt records", update: func(u *frontier.HostUpdate) { u.Robots = nil }},
	{point: 13, name: "forgets the note if there is no new one", note: func(_ *faulty, note []byte, _ []frontier.Outcome) []byte { return append([]byte{}, note...) }},
	{point: 13, name: "drops a note without outcomes", note: func(_ *faulty, note []byte, outcomes []frontier.Outcome) []byte {
		if len(outcomes) == 0 {
			return nil
		}
		return note
	}},
	{point: 13, name: "drops a note with a rejected outcome", note: func(s *faulty, note []byte, outcomes []frontier.Outcome) []byte {
		if slices.ContainsFunc(outcomes, func(o frontier.Outcome) bool { return s.isLost(o.Lease) }) {
			return nil
		}
		return note
	}},
	{point: 13, name: "forgets the note when closed", note: func(s *faulty, note []byte, _ []frontier.Outcome) []byte {
		s.notes = append(s.notes, note)
		return note
	}, noteRead: func(s *faulty, note []byte) []byte {
		if len(s.notes) == 0 {
			return nil
		}
		return note
	}},
	{point: 13, name: "returns no note", noteRead: func(*faulty, []byte) []byte { return nil }},
	{point: 13, name: "returns an empty note", noteRead: func(_ *faulty, note []byte) []byte { return append([]byte{}, note...) }},
	{point: 13, name: "stores nothing", open: forgets},

	{point: 14, name: "revisits nothing", revisit: func(ctx context.Context, s *faulty, items []frontier.Item) ([]bool, error) {
		return s.Store.Add(ctx, items)
	}},
	{point: 14, name: "does not add new URLs in Revisit", revisit: func(ctx context.Context, s *faulty, items []frontier.Item) ([]bool, error) {
		known, err := s.Store.Known(ctx, keysOf(items))
		if err != nil || slices.Contains(known, false) {
			return known, err
		}
		return s.Store.Revisit(ctx, items)
	}},
	{point: 14, name: "ignores the item of a revisit", item: func(_ *faulty, it *frontier.Item) { it.Meta, it.Priority, it.NotBefore = nil, 0, time.Time{} }},
	{point: 14, name: "does not reset attempts in a revisit", lease: func(_ *faulty, l *frontier.Lease) { l.Attempt++ }},
	{point: 14, name: "forgets validators in a revisit", lease: func(_ *faulty, l *frontier.Lease) { l.Validators = nil }},
	{point: 14, name: "queues revisited URLs first", item: func(_ *faulty, it *frontier.Item) { it.Priority = 2*it.Priority + 1 }, lease: func(_ *faulty, l *frontier.Lease) { l.Priority /= 2 }, revisit: func(ctx context.Context, s *faulty, items []frontier.Item) ([]bool, error) {
		for i := range items {
			items[i].Priority--
		}
		return s.Store.Revisit(ctx, items)
	}},
	{point: 14, name: "counts a revisit as a new URL", stats: func(s *frontier.Stats) { s.URLs++ }},
	{point: 14, name: "checks and queues a URL in two steps", revisit: func(ctx context.Context, s *faulty, items []frontier.Item) ([]bool, error) {
		_, err := s.Store.Revisit(ctx, items)
		return slices.Repeat([]bool{true}, len(items)), err
	}},
	{point: 14, name: "ignores kinds and owners", item: func(_ *faulty, it *frontier.Item) { it.Kind, it.Owner = "", "" }},
	{point: 14, name: "sleeps before it waits", request: func(req *frontier.LeaseRequest) {
		if req.Wait != 0 {
			time.Sleep(2 * time.Second)
		}
	}},
	{point: 14, name: "stores nothing", open: forgets},

	{point: 15, name: "does not list scheduled URLs", waiting: func(it *frontier.Item) bool { return it.NotBefore.IsZero() }},
	{point: 15, name: "lists no NotBefore", waiting: func(it *frontier.Item) bool { it.NotBefore = time.Time{}; return true }},
	{point: 15, name: "lists nothing for all hosts", lists: func(hosts []frontier.Host) bool { return len(hosts) > 0 }},
	{point: 15, name: "lists nothing for one host", lists: func(hosts []frontier.Host) bool { return len(hosts) == 0 }},
	{point: 15, name: "ends a list without an error", failed: func(error) error { return nil }},
	{point: 15, name: "lists other metadata", waiting: func(it *frontier.Item) bool { it.Meta = bytes.ToUpper(it.Meta); return true }},
	{point: 15, name: "ignores kinds and owners", item: func(_ *faulty, it *frontier.Item) { it.Kind, it.Owner = "", "" }},
	{point: 15, name: "stores nothing", open: forgets},

	{point: 16, name: "has a clock for each spelling of a host", item: func(_ *faulty, it *frontier.Item) {
		scheme, rest, _ := strings.Cut(it.URL, "://")
		host, _, _ := strings.Cut(rest, "/")
		it.Host = frontier.Host(scheme + "." + host)
	}},
	{point: 16, name: "has one clock for all ports", item: func(_ *faulty, it *frontier.Item) {
		h, _ := frontier.HostOf(it.URL)
		name, _, _ := strings.Cut(string(h), ":")
		it.Host = frontier.Host(name)
	}},
	{point: 16, name: "changes the scheme of URLs", item: func(_ *faulty, it *frontier.Item) { it.URL = strings.Replace(it.URL, "https:", "http:", 1) }},
	{point: 16, name: "ignores BlockUntil", update: func(u *frontier.HostUpdate) { u.BlockUntil = time.Time{} }},
	{point: 16, name: "stores nothing", open: forgets},
}

// resultAs returns a function that changes one result to another.
func resultAs(from, to frontier.Result) func(*faulty, *frontier.Outcome) {
	return func(_ *faulty, o *frontier.Outcome) {
		if o.Result == from {
			o.Result = to
		}
	}
}
