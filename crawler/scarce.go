package crawler

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"syscall"
)

// This file is about descriptors: a process may have so many files and connections open.
// Where none is left no host can be reached, and that is no fault of theirs: their URLs
// must not be given up for it.

const (
	// ownFiles is how many files a crawl has open in any case, those of its frontier
	// among them.
	ownFiles = 128

	// perWorker is what a worker needs at a time: a connection, and another for asking
	// for a name or for the other family of addresses.
	perWorker = 2
)

// checkDescriptors returns an error when the process may have too few.
func checkDescriptors(cfg *Config, limit int) error {
	if needed := ownFiles + perWorker*cfg.Workers; limit < needed {
		remedy := fmt.Sprintf("raise the limit (ulimit -n %d)", needed)
		if fewer := (limit - ownFiles) / perWorker; fewer > 0 {
			remedy += fmt.Sprintf(", or choose no more than %d", fewer)
		}
		return fmt.Errorf("crawler: this process may have %d files and connections open, and needs %d for %d workers: %s", limit, needed, cfg.Workers, remedy)
	}
	return nil
}

// idleConnections is how many connections may be kept between requests: as many as are
// useful, and not more than half of what is to spare.
func idleConnections(workers, limit int) int {
	spare := limit - ownFiles - perWorker*workers
	return max(min(max(maxIdle, 2*workers), spare/2), 1)
}

// A thrifty transport gives up the connections on which nothing is in flight when no more
// can be opened. If that does not help it tells fail.
type thrifty struct {
	base http.RoundTripper
	fail func(error)
}

// RoundTrip implements http.RoundTripper. Only requests without a body go through it, and
// one that found no descriptor for a connection has not been sent.
func (t *thrifty) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := t.base.RoundTrip(req)
	if !exhausted(err) {
		return resp, err
	}
	t.CloseIdleConnections()
	if resp, err = t.base.RoundTrip(req); exhausted(err) {
		t.fail(fmt.Errorf("crawler: %w", err))
	}
	return resp, err
}

// CloseIdleConnections is what http.Client.CloseIdleConnections calls.
func (t *thrifty) CloseIdleConnections() { (&http.Client{Transport: t.base}).CloseIdleConnections() }

// exhausted tells whether an error is that this process, or the machine, has nothing left
// to open a connection with. What looks for names says so in words alone.
func exhausted(err error) bool {
	if err == nil {
		return false
	}
	for _, errno := range []syscall.Errno{syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.ENOBUFS} {
		if errors.Is(err, errno) || strings.HasSuffix(err.Error(), ": "+errno.Error()) {
			return true
		}
	}
	return false
}
