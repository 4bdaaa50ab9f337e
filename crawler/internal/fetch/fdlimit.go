package fetch

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"syscall"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/descriptors"
	"github.com/politecrawl/politecrawl/robotsext/guard"
)

// A process has a limit of open files and connections. When descriptors run out, no host can
// be connected to. That is not the fault of the hosts, so their URLs must not fail.

const (
	// ownFiles is how many files a crawl has open in any case, those of its frontier
	// among them.
	ownFiles = 128

	// perWorker is what a worker needs at a time: a connection, and another for a name
	// lookup or for the other family of addresses.
	perWorker = 2
)

// CheckDescriptors returns an error when the process may have too few descriptors for so many
// workers.
func CheckDescriptors(workers int) error { return checkDescriptors(workers, descriptors.Limit()) }

func checkDescriptors(workers, limit int) error {
	if needed := ownFiles + perWorker*workers; limit < needed {
		remedy := fmt.Sprintf("raise the limit (ulimit -n %d)", needed)
		if fewer := (limit - ownFiles) / perWorker; fewer > 0 {
			remedy += fmt.Sprintf(", or use at most %d workers", fewer)
		}
		return fmt.Errorf("this process may open at most %d files and connections, but needs %d for %d workers: %s", limit, needed, workers, remedy)
	}
	return nil
}

// idleConnections is how many connections may be kept between requests: as many as are
// useful, and at most half of the spare ones.
func idleConnections(workers, limit int) int {
	spare := limit - ownFiles - perWorker*workers
	return max(min(max(maxIdle, 2*workers), spare/2), 1)
}

// An idleCloser is a transport that closes its idle connections when no other can be
// opened. If that does not help, it calls fail. It reports the requests that are sent over
// base.
type idleCloser struct {
	base http.RoundTripper
	sent func(req *http.Request, took time.Duration, err error) // nil: not called
	fail func(error)
}

// RoundTrip implements http.RoundTripper. Only requests without a body go through it, and
// one that found no descriptor for a connection has not been sent.
func (t *idleCloser) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := t.send(req)
	if !isExhausted(err) {
		return resp, err
	}
	t.CloseIdleConnections()
	if resp, err = t.send(req); isExhausted(err) {
		t.fail(err)
	}
	return resp, err
}

func (t *idleCloser) send(req *http.Request) (*http.Response, error) {
	began := time.Now()
	resp, err := t.base.RoundTrip(req)
	if t.sent != nil && !errors.Is(err, guard.ErrRefused) {
		t.sent(req, time.Since(began), err)
	}
	return resp, err
}

// CloseIdleConnections is what http.Client.CloseIdleConnections calls.
func (t *idleCloser) CloseIdleConnections() { closeIdle(t.base) }

// isExhausted reports whether the process or the machine has no resources to open a
// connection. A failed name lookup says so by its text alone.
func isExhausted(err error) bool {
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
