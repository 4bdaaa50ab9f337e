package storetest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// The world of the random operations: what a host allows and when a URL may be
// leased first follow from their numbers, so that the judge knows them too.
const (
	worldHosts = 5
	worldURLs  = 120
	callers    = 6
)

func worldHost(n int) frontier.Host {
	return frontier.Host(fmt.Sprintf("h%d.test", n%worldHosts))
}

// settings returns slots and delay of a host, the delay in units.
func settings(h frontier.Host) (slots, delay int) {
	switch h {
	case worldHost(0):
		return 1, 0
	case worldHost(1):
		return 1, 1
	case worldHost(2):
		return 2, 1
	case worldHost(3):
		return 3, 0
	}
	return 1, 0
}

func worldItem(n int, start time.Time, unit time.Duration) frontier.Item {
	it := frontier.Item{
		URL:      spelt(n/worldHosts, worldHost(n), fmt.Sprintf("/%d", n)),
		Priority: uint8(n / worldHosts % 3),
	}
	if n%7 == 0 {
		it.NotBefore = start.Add(3 * unit)
	}
	return it
}

// randomOperations lets several callers do what they like, then ends what is
// left, and judges all of it.
func randomOperations(s *subject) {
	s.unit /= 4 // nothing is too late here
	rounds, steps := 5, 150
	if s.store.Bubble == nil {
		rounds, steps = 1, 40 // time is real
	}
	for range rounds {
		seed := rand.Uint64()
		s.Logf("seed %d", seed)
		h := newHistory()
		for n := range worldHosts {
			slots, delay := settings(worldHost(n))
			s.update(worldHost(n), frontier.HostUpdate{MaxInFlight: slots, Delay: new(s.units(delay))})
		}
		var wg sync.WaitGroup
		for n := range callers {
			c := &caller{s: s, h: h, rng: rand.New(rand.NewPCG(seed, uint64(n)))}
			wg.Go(func() { c.work(steps) })
		}
		wg.Wait()
		s.sleep(7) // every lease has expired
		quiet := s.stats()
		(&caller{s: s, h: h}).end()
		judge(s, h, quiet, s.stats())
		if s.Failed() {
			return
		}
		s.anew()
	}
}

// anew goes on with a new store.
func (s *subject) anew() {
	s.Helper()
	s.close()
	if s.store.Place != nil {
		s.place = s.store.Place(s)
	}
	s.open()
}

// A caller does random operations.
type caller struct {
	s    *subject
	h    *history
	rng  *rand.Rand
	held []*span
	past []*span // those finished once
}

func (c *caller) work(steps int) {
	err := c.h.add(c.s, c.items(20)) // all at once, and many the same
	for n := 0; err == nil && n < steps; n++ {
		err = c.step()
	}
	if err != nil {
		c.s.Errorf("a call failed: %v", err)
	}
}

func (c *caller) step() error {
	switch n := c.rng.IntN(100); {
	case n < 12:
		return c.h.add(c.s, c.items(1+c.rng.IntN(8)))
	case n < 15:
		return c.h.revisit(c.s, c.items(1+c.rng.IntN(8)))
	case n < 50:
		got, err := c.h.lease(c.s, frontier.LeaseRequest{
			Max:     1 + c.rng.IntN(3),
			PerHost: c.rng.IntN(3),
			Wait:    c.fraction(1),
			For:     c.s.unit + c.fraction(4),
		})
		c.held = append(c.held, got...)
		return err
	case n < 82:
		if len(c.held) == 0 {
			return nil
		}
		i := c.rng.IntN(len(c.held))
		sp := c.held[i]
		c.held = append(c.held[:i], c.held[i+1:]...)
		c.past = append(c.past, sp)
		return c.h.finish(c.s, sp, c.outcome())
	case n < 85:
		if len(c.past) == 0 {
			return nil
		}
		return c.h.finish(c.s, c.past[c.rng.IntN(len(c.past))], c.outcome())
	case n < 89:
		if len(c.held) == 0 {
			return nil
		}
		return c.h.extend(c.s, c.held[c.rng.IntN(len(c.held))], c.fraction(4))
	case n < 90:
		return c.block()
	case n < 93:
		c.hold()
	default:
		time.Sleep(c.fraction(2))
	}
	return nil
}

// fraction returns a random time of up to that many units, often zero.
func (c *caller) fraction(units int) time.Duration {
	return c.s.unit * time.Duration(max(c.rng.IntN(10*units)-2, 0)) / 10
}

func (c *caller) items(n int) []frontier.Item {
	items := make([]frontier.Item, n)
	for i := range items {
		items[i] = worldItem(c.rng.IntN(worldURLs), c.h.start, c.s.unit)
	}
	return items
}

func (c *caller) outcome() frontier.Outcome {
	o := frontier.Outcome{
		Result: frontier.Result(1 + c.rng.IntN(4)),
		Links:  c.items(c.rng.IntN(4)),
	}
	if c.rng.IntN(3) > 0 {
		o.HostDelay = time.Nanosecond + c.fraction(2)
	}
	if c.rng.IntN(2) > 0 {
		o.NotBefore = time.Now().Add(c.fraction(3))
	}
	return o
}

func (c *caller) block() error {
	host, until := worldHost(c.rng.IntN(worldHosts)), time.Now().Add(c.fraction(2))
	begin := c.h.tick()
	if err := c.s.f.UpdateHost(c.s.Context(), host, frontier.HostUpdate{BlockUntil: until}); err != nil {
		return err
	}
	c.h.ended(begin, func(in call) { c.h.blocks = append(c.h.blocks, block{in, host, until}) })
	return nil
}

func (c *caller) hold() {
	ctx, cancel := context.WithTimeout(c.s.Context(), c.fraction(2))
	defer cancel()
	host := worldHost(c.rng.IntN(worldHosts))
	release := c.h.hold(host, func() (func(time.Duration), error) { return c.s.f.Hold(ctx, host) })
	if release == nil {
		return
	}
	time.Sleep(c.fraction(1))
	release(c.fraction(1))
}

// end fetches all that is left.
func (c *caller) end() {
	for !c.s.stats().Finished() {
		got, err := c.h.lease(c.s, frontier.LeaseRequest{Max: 100, Wait: c.s.units(10)})
		if err != nil || len(got) == 0 {
			c.s.Fatalf("nothing to lease with %+v left: %v", c.s.stats(), err)
		}
		for _, sp := range got {
			if err := c.h.finish(c.s, sp, frontier.Outcome{Result: frontier.Done}); err != nil {
				c.s.Fatalf("Finish: %v", err)
			}
		}
	}
}
