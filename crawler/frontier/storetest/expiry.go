package storetest

import (
	"fmt"
	"strings"
	"time"
)

const page = "http://a.test/page"

var expiryChecks = []check{
	{name: "a page that kills the process counts as an attempt", needs: killable, process: true, run: func(s *subject) {
		s.add(page)
		s.close()
		for attempt := 1; attempt <= 3; attempt++ {
			if got, want := leaseAndKill(s), fmt.Sprint("attempt ", attempt); got != want {
				s.Fatalf("the child prints %q, want %q", got, want)
			}
		}
		s.open()
		if l := s.lease(page); l.Attempt != 4 {
			s.Fatalf("attempt %d after three killed processes, want 4", l.Attempt)
		}
	}},
}

// leaseAndKill kills a child after it leased a page, and returns its output.
func leaseAndKill(s *subject) string {
	s.Helper()
	c := s.start("lease")
	line := c.line()
	// A store may store the attempt in the background. A page that kills the process takes
	// longer than this.
	time.Sleep(50 * time.Millisecond)
	c.kill()
	return strings.TrimSpace(line)
}
