//go:build unix

package results

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// The reason why an origin is deferred reaches the disk before the frontier defers its URLs, if the
// crawl is to survive a power cut. If it cannot, that is an error.
func TestJournalOutlivesTheMachine(t *testing.T) {
	for power, want := range map[bool]error{false: nil, true: syscall.EINVAL} {
		dir := t.TempDir()
		must(t, syscall.Mkfifo(filepath.Join(dir, JournalFile), 0o600))
		r := New(Config{Dir: dir, Power: power})
		must(t, r.Create("state"))
		for range 2 { // the second worker gets the same error
			if err := r.Deferred.Add("http://a.test", output.Rejection{Reason: output.RobotsUnreachable}, time.Time{}); !errors.Is(err, want) {
				t.Errorf("power %t: %v, want %v", power, err, want)
			}
		}
		_ = r.Close()
	}
}
