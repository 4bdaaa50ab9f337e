package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// Interruptible returns a context that ends at the first SIGINT or SIGTERM, so that the
// work can finish, and prints notice unless it is empty. The second signal calls abort and
// prints a notice. After that, signals have their usual effect. The caller calls done when
// the work has ended.
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
		cancel() // first, so that it is done when the notice appears
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
