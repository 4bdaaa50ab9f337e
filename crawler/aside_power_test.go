//go:build unix

package crawler

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// The note of why a host waits reaches the disk before the frontier has it wait, where the
// crawl is to outlive the machine: of what cannot be brought there it is said so.
func TestJournalOutlivesTheMachine(t *testing.T) {
	for power, want := range map[bool]error{false: nil, true: syscall.EINVAL} {
		pipe := filepath.Join(t.TempDir(), journalFile)
		if err := syscall.Mkfifo(pipe, 0o600); err != nil {
			t.Fatal(err)
		}
		j, err := openJournal(pipe, power)
		if err != nil {
			t.Fatal(err)
		}
		s := newAside(j, func(a weburl.URL) string { return a.Canonical })
		for range 2 { // the second worker is told no other thing
			if err := s.wait("http://a.test", output.Rejection{Reason: output.Later}, time.Time{}); !errors.Is(err, want) {
				t.Errorf("power %t: %v, want %v", power, err, want)
			}
		}
		_ = j.close()
	}
}
