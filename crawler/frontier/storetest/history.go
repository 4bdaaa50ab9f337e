package storetest

import (
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// A history is what several callers did to a store at the same time, with the
// order of all beginnings and ends. Nobody knows in which order calls that
// overlap took effect; what is known is that a call took effect after it
// began and before it ended, and that is enough to judge by.
type history struct {
	start time.Time

	mu     sync.Mutex // guards what follows
	ticks  []time.Time
	seen   []mention
	spans  []*span
	ends   []*ending
	blocks []block
	agains []again
}

// A tick is a place in the order of beginnings and ends.
type tick int

// A call is when a call was under way.
type call struct{ begin, end tick }

// A mention is a URL that was added, in whatever way.
type mention struct {
	call
	url   string
	added bool // what Add has answered
	mute  bool // whether it was new is not said: a link, or one to be revisited
}

// An again is a URL that Revisit has answered for.
type again struct {
	call
	url string
}

// A span is a slot of a host that was taken by a lease, or by a hold, which
// has no id.
type span struct {
	call
	host frontier.Host
	frontier.Lease
	// It surely lasts until sure and surely not beyond most, if it is not
	// finished before.
	sure, most time.Time
	finish     *ending // the one that was accepted
}

// An ending is an attempt to finish or extend a lease, or to release a hold.
type ending struct {
	call
	span    *span
	outcome frontier.Outcome // of a release, the HostDelay only
	extend  bool
	lost    bool
}

// A block is a change of BlockUntil.
type block struct {
	call
	host  frontier.Host
	until time.Time
}

func newHistory() *history { return &history{start: time.Now()} }

// tick takes the next place.
func (h *history) tick() tick {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ticks = append(h.ticks, time.Now())
	return tick(len(h.ticks) - 1)
}

// ended adds what is written by record as a call that began at begin.
func (h *history) ended(begin tick, record func(call)) {
	end := h.tick()
	h.mu.Lock()
	defer h.mu.Unlock()
	record(call{begin, end})
}

// at returns the time of a tick.
func (h *history) at(t tick) time.Time { return h.ticks[t] }

// tickAt returns the first tick at that time or after it.
func (h *history) tickAt(t time.Time) tick {
	i, _ := slices.BinarySearchFunc(h.ticks, t, time.Time.Compare)
	return tick(i)
}

func (h *history) add(s *subject, items []frontier.Item) error {
	begin := h.tick()
	added, err := s.f.Add(s.Context(), items)
	if err != nil {
		return err
	}
	h.ended(begin, func(c call) {
		for i, it := range items {
			h.seen = append(h.seen, mention{call: c, url: it.URL, added: added[i]})
		}
	})
	return nil
}

func (h *history) revisit(s *subject, items []frontier.Item) error {
	begin := h.tick()
	answers, err := s.revisiter().Revisit(s.Context(), items)
	if err != nil {
		return err
	}
	h.ended(begin, func(c call) {
		for i, it := range items {
			h.seen = append(h.seen, mention{call: c, url: it.URL, mute: true})
			if answers[i] {
				h.agains = append(h.agains, again{c, it.URL})
			}
		}
	})
	return nil
}

func (h *history) lease(s *subject, req frontier.LeaseRequest) ([]*span, error) {
	begin := h.tick()
	leases, err := s.f.Lease(s.Context(), req)
	if err != nil {
		return nil, err
	}
	var got []*span
	h.ended(begin, func(c call) {
		for _, l := range leases {
			sp := &span{call: c, host: l.Host, Lease: l, sure: l.Expires, most: l.Expires}
			got = append(got, sp)
			h.spans = append(h.spans, sp)
		}
	})
	return got, nil
}

func (h *history) finish(s *subject, sp *span, o frontier.Outcome) error {
	o.Lease = sp.ID
	begin := h.tick()
	errs, err := s.f.Finish(s.Context(), []frontier.Outcome{o}, nil)
	if err == nil {
		err = errs[0]
	}
	return h.answered(begin, err, func(c call, lost bool) {
		e := &ending{call: c, span: sp, outcome: o, lost: lost}
		h.ends = append(h.ends, e)
		if !lost && sp.finish == nil {
			sp.finish = e
		}
		for _, it := range o.Links {
			h.seen = append(h.seen, mention{call: c, url: it.URL, mute: true})
		}
	})
}

func (h *history) extend(s *subject, sp *span, d time.Duration) error {
	begin := h.tick()
	err := s.f.Extend(s.Context(), []frontier.LeaseID{sp.ID}, d)
	return h.answered(begin, err, func(c call, lost bool) {
		h.ends = append(h.ends, &ending{call: c, span: sp, extend: true, lost: lost})
		if !lost {
			sp.sure = latest(sp.sure, h.at(c.begin).Add(d))
			sp.most = latest(sp.most, h.at(c.end).Add(d))
		}
	})
}

// answered is ended for calls that may find a lease lost.
func (h *history) answered(begin tick, err error, record func(c call, lost bool)) error {
	lost := errors.Is(err, frontier.ErrLeaseLost)
	if err != nil && !lost {
		return err
	}
	h.ended(begin, func(c call) { record(c, lost) })
	return nil
}

// hold takes a slot that release gives back.
func (h *history) hold(host frontier.Host, hold func() (func(time.Duration), error)) (release func(time.Duration)) {
	begin := h.tick()
	free, err := hold()
	if err != nil {
		return nil
	}
	sp := &span{host: host}
	h.ended(begin, func(c call) {
		sp.call = c
		sp.sure = h.at(c.end).Add(time.Hour) // longer than any check
		sp.most = sp.sure
		h.spans = append(h.spans, sp)
	})
	return func(delay time.Duration) {
		begin := h.tick()
		free(delay)
		h.ended(begin, func(c call) {
			sp.finish = &ending{call: c, span: sp, outcome: frontier.Outcome{HostDelay: delay}}
		})
	}
}

func latest(t, u time.Time) time.Time {
	if u.After(t) {
		return u
	}
	return t
}
