package fetch

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// drip returns one piece at a time, after a pause, forever.
type drip struct {
	pause  time.Duration
	piece  int
	broken chan struct{} // closed when the request has ended
}

func (d *drip) Read(p []byte) (int, error) {
	select {
	case <-time.After(d.pause):
		return copy(p, strings.Repeat("x", d.piece)), nil
	case <-d.broken:
		return 0, errors.New("the request has ended")
	}
}

func (d *drip) Close() error { return nil }

func TestStall(t *testing.T) {
	const within = 10 * time.Second
	for _, test := range []struct {
		name  string
		pause time.Duration
		piece int
		busy  time.Duration // of the reader, after each piece
		ends  time.Duration // by when it is aborted; 0 if it is not
	}{
		{"a byte a second", time.Second, 1, 0, 10 * time.Second},
		{"nothing", time.Hour, 1, 0, 10 * time.Second},
		{"slow, but on its way", time.Second, 200, 0, 0},
		{"at the edge", 4900 * time.Millisecond, 512, 0, 0},
		{"a slow reader", time.Second, 200, time.Minute, 0},
		{"a slow reader of next to nothing", time.Second, 1, time.Minute, 10 * time.Minute},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := &drip{pause: test.pause, piece: test.piece, broken: make(chan struct{})}
				b := newStallBody(d, within, &sender{cancel: func(error) { close(d.broken) }})
				defer func() { _ = b.Close() }()
				began := time.Now()
				var err error
				for err == nil && time.Since(began) < time.Hour {
					_, err = b.Read(make([]byte, 512))
					time.Sleep(test.busy)
				}
				switch took := time.Since(began); {
				case test.ends == 0 && err != nil:
					t.Errorf("broken off after %v: %v", took, err)
				case test.ends > 0 && (!errors.Is(err, errStalled) || took < test.ends || took > test.ends+2*time.Minute):
					t.Errorf("after %v: %v", took, err)
				}
			})
		})
	}
}

// The timer of a body does not outlive a Read, however late it checks.
func TestStallTimerEnds(t *testing.T) {
	b := newStallBody(io.NopCloser(strings.NewReader("some text")), time.Hour, &sender{cancel: func(error) { t.Error("broken off") }})
	idle := func(when string) {
		t.Helper()
		if b.timer.Stop() {
			t.Errorf("%s the timer runs", when)
		}
	}
	idle("before the first Read")
	if n, err := b.Read(make([]byte, 4)); n != 4 || err != nil {
		t.Fatal(n, err)
	}
	idle("after a Read")
	b.check() // it had fired, and waited for the lock
	idle("after a check that came after the Read")
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	b.check()
	idle("after a check that came after Close")
}
