package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// Interruptible returns a context that ends at the first SIGINT or SIGTERM, which
// lets the work come to a good end; notice, unless empty, says so to the user. The
// second signal calls abort, says so too, and after it signals have their usual
// meaning again.
// The caller calls done when the work has ended.
func (s *Streams) Interruptible(ctx context.Context, abort func(), notice string) (_ context.Context, done func()) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	wait := func() bool {
		select {
		case <-signals:
			return true
		case <-ended:
			return false
		}
	}
	go func() {
		defer signal.Stop(signals)
		if !wait() {
			return
		}
		cancel() // first, so that whoever reads the notice finds it done
		if notice != "" {
			s.Notice(notice)
		}
		if wait() {
			if notice != "" {
				s.Notice("interrupted again: aborting the requests in flight")
			}
			abort()
		}
	}()
	return ctx, func() {
		close(ended)
		cancel()
	}
}
