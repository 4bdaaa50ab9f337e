package lifecycle

import (
	"errors"
	"log/slog"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/plan"
)

// What nobody waits for any more is not done once the frontier is closed, or the crawl has
// failed.
func TestWhileOpen(t *testing.T) {
	disk := errors.New("disk full")
	for _, tt := range []struct {
		name string
		end  func(*Lifecycle)
		want bool
	}{
		{"open", func(*Lifecycle) {}, true},
		{"stopped", func(l *Lifecycle) { l.Stop("stopped") }, true},
		{"closed", (*Lifecycle).Close, false},
		{"failed", func(l *Lifecycle) { l.Fail(disk) }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := New(slog.New(slog.DiscardHandler), nil)
			tt.end(l)
			used := false
			l.WhileOpen(func() error {
				used = true
				return disk
			})
			if end, _, fault := l.Ending(); used != tt.want || used && (end != plan.Failed || !errors.Is(fault, disk)) {
				t.Errorf("used: %t; the crawl ends as %q, %v", used, end, fault)
			}
		})
	}
}
