package storetest

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// A sleepy store blocks now and then.
type sleepy struct {
	frontier.Frontier
	still time.Duration
}

func (s sleepy) Note(context.Context) ([]byte, error) {
	time.Sleep(s.still)
	return nil, nil
}

// TestInsist holds that a failed check gets more time only if the store or the machine stalled.
func TestInsist(t *testing.T) {
	const unit = 100 * time.Millisecond
	for _, c := range []struct {
		name  string
		stall time.Duration
		fails int // number of failures
		units []time.Duration
		wrong int
	}{
		{"passes", time.Second, 0, []time.Duration{unit}, 0},
		{"fails", 0, 9, []time.Duration{unit}, 1},
		{"fails, a little late", unit / 8, 9, []time.Duration{unit}, 1},
		{"fails, late", unit / 2, 9, []time.Duration{unit, 2 * unit, 4 * unit}, 1}, // the last attempt has no stall
		{"fails, very late", 10 * time.Second, 9, []time.Duration{unit, 2 * unit, 4 * unit, 8 * unit}, 1},
		{"fails once, late", time.Second, 1, []time.Duration{unit, 2 * unit}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newStallMonitor(sleepy{still: c.stall})
				defer p.end()
				var units []time.Duration
				s := Store{Unit: unit, Open: func(string) (frontier.Frontier, error) { return frontier.NewMemory(nil), nil }}
				wrong := s.runReal(t, check{run: func(s *subject) {
					s.sleep(5)
					units = append(units, s.unit)
					if len(units) <= c.fails {
						s.Fatal("this is wrong")
					}
				}}, p)
				if diff := cmp.Diff(c.units, units); diff != "" || len(wrong) != c.wrong {
					t.Errorf("%q; units (-want +got):\n%s", wrong, diff)
				}
			})
		})
	}
}
