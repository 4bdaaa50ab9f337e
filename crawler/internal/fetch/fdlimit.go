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

// A process may open a limited number of files and connections. If it has no free file descriptor,
// it cannot connect to any host. The hosts did not fail, so their URLs must not fail either.

const (
	// ownFiles is the number of files that every crawl has open, including its frontier.
	ownFiles = 128

	// perURL is the number of descriptors of a URL in progress: a connection, and another for a
	// DNS lookup or for the other address family.
	perURL = 2
)

// CheckDescriptors returns an error if the process has too few descriptors for this number of
// URLs in progress.
func CheckDescriptors(concurrency int) error {
	return checkDescriptors(concurrency, descriptors.Limit())
}

func checkDescriptors(concurrency, limit int) error {
	if needed := ownFiles + perURL*concurrency; limit < needed {
		remedy := fmt.Sprintf("raise the limit (ulimit -n %d)", needed)
		if fewer := (limit - ownFiles) / perURL; fewer > 0 {
			remedy += fmt.Sprintf(", or use a concurrency of at most %d", fewer)
		}
		return fmt.Errorf("this process may open at most %d files and connections, but needs %d for a concurrency of %d: %s", limit, needed, concurrency, remedy)
	}
	return nil
}

// idleConnections returns the number of idle connections to keep: maxIdle or two per URL in progress, but at
// most half of the spare descriptors.
func idleConnections(concurrency, limit int) int {
	spare := limit - ownFiles - perURL*concurrency
	return max(min(max(maxIdle, 2*concurrency), spare/2), 1)
}

// An idleCloser is a transport that closes its idle connections when it cannot open another. If
// that does not help, the crawl fails. The crawl's Observer gets each request that is sent over base.
type idleCloser struct {
	base  http.RoundTripper
	crawl Crawl
}

// RoundTrip implements http.RoundTripper. It supports only requests without a
// body. A request without a descriptor for its connection has not been sent, so it can be repeated.
func (t *idleCloser) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := t.send(req)
	if !isExhausted(err) {
		return resp, err
	}
	t.CloseIdleConnections()
	if resp, err = t.send(req); isExhausted(err) {
		t.crawl.Lifecycle.Fail(err)
	}
	return resp, err
}

func (t *idleCloser) send(req *http.Request) (*http.Response, error) {
	began := time.Now()
	resp, err := t.base.RoundTrip(req)
	if t.crawl.Observer != nil && !errors.Is(err, guard.ErrRefused) {
		t.crawl.Observer.Request(req, time.Since(began), err)
	}
	return resp, err
}

// CloseIdleConnections is what http.Client.CloseIdleConnections calls.
func (t *idleCloser) CloseIdleConnections() { closeIdle(t.base) }

// isExhausted reports whether the process or the machine has no resources to open a connection. A
// failed DNS lookup reports this only in its text.
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
