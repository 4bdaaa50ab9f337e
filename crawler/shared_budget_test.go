package crawler

import (
	"context"
	"maps"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// A host that one worker slowed down is slow for the other, and a budget that another has
// used up is empty.
func TestBudgetsAreShared(t *testing.T) {
	shared := &fakeCounters{taken: map[string]int64{}}
	cfg := Default()
	cfg.MaxPages, cfg.MaxHostPages, cfg.Workers = 10, 4, 6
	one, two := newLimits(&cfg, shared), newLimits(&cfg, shared)
	take := func(l *limits, h frontier.Host, want share) {
		t.Helper()
		if got, err := l.take(t.Context(), h); got != want || err != nil {
			t.Errorf("take: %d, %v, want %d", got, err, want)
		}
	}
	done := func(l *limits, h frontier.Host, fetched bool) {
		t.Helper()
		if err := l.done(t.Context(), h, fetched, 0); err != nil {
			t.Error(err)
		}
	}
	take(one, "a", granted)
	take(one, "a", granted)
	take(two, "a", granted)
	take(two, "a", granted)
	take(one, "a", crowded) // its own may come back
	done(one, "a", true)
	done(one, "a", false) // which goes back to all
	take(two, "a", granted)
	take(one, "a", hostTaken) // and may come back
	done(two, "a", true)
	done(two, "a", true)
	done(two, "a", true)
	take(two, "a", hostTaken)
	for range 2 {
		if got, err := two.takeAlone(t.Context(), "a"); got != hostSpent || err != nil {
			t.Errorf("%d, %v", got, err)
		}
		take(two, "a", hostSpent)
	}
	for range 4 {
		take(one, "b", granted)
	}
	for range 4 {
		done(one, "b", true)
	}
	take(two, "c", granted)
	take(one, "c", granted)
	done(one, "c", true)
	if one.reached() != "" {
		t.Error("one has come to an end while two has a page in hand")
	}
	take(one, "c", allSpent)
	take(two, "c", crowded)
	done(two, "c", true)
	take(two, "c", allSpent)
	if n := shared.taken[pageCounter]; n != 10 {
		t.Errorf("%d pages", n)
	}
}

// fakeCounters are counters in memory. What is settled is settled for all.
type fakeCounters struct{ taken map[string]int64 }

func (f *fakeCounters) Take(_ context.Context, counter string, n, most int64) (int64, error) {
	n = min(n, most-f.taken[counter])
	f.taken[counter] += n
	return n, nil
}

func (f *fakeCounters) Settle(_ context.Context, taken map[string]int64) error {
	maps.Copy(f.taken, taken)
	return nil
}

func (f *fakeCounters) BytesElsewhere() int64 { return 0 }
