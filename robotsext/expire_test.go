package robotsext_test

import (
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/robotsext"
)

// Expire has a fresh record requested again, and its failure begins an outage (ROB-POL-03). The record of an
// outage stays until its RetryAt.
func TestExpire(t *testing.T) {
	h := newHost(t, robotsext.Options{}, reply{status: 404})
	u := mustParse(t, "http://example.com/")
	h.r.Expire(u) // nothing is known yet
	wantLetter(t, h.record(), "A")
	h.now = reply{status: 500}
	wantLetter(t, h.refresh(), "A") // which keeps what is fresh
	h.wantAsked(2)
	for range 2 {
		h.r.Expire(u)
		wantLetter(t, h.record(), "D")
		h.wantAsked(3)
	}
	h.now = reply{status: 404}
	h.clock.advance(time.Minute)
	wantLetter(t, h.record(), "A")
	h.wantAsked(4)
}
