package storetest

import (
	"fmt"
	"strings"
	"time"
)

const page = "http://a.test/page"

var expiryChecks = []check{
	{name: "a page that kills the process is counted", why: needChild, process: true, run: func(s *subject) {
		s.add(page)
		s.close()
		for attempt := 1; attempt <= 3; attempt++ {
			if got, want := leaseAndDie(s), fmt.Sprint("attempt ", attempt); got != want {
				s.Fatalf("the child says %q, want %q", got, want)
			}
		}
		s.open()
		if l := s.lease(page); l.Attempt != 4 {
			s.Fatalf("attempt %d after three processes that died of it, want 4", l.Attempt)
		}
	}},
}

// leaseAndDie lets a child lease a page, kills the child, and returns what it
// said.
func leaseAndDie(s *subject) string {
	s.Helper()
	c := s.start("lease")
	line := c.line()
	// A store may count the attempt in the background: a page that brings
	// the process down takes longer than this.
	time.Sleep(50 * time.Millisecond)
	c.kill()
	return strings.TrimSpace(line)
}
