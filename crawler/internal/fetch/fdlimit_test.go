package fetch

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/robotsext/guard"
)

func TestCheckDescriptors(t *testing.T) {
	for _, tt := range []struct {
		workers, limit int
		fits           bool
	}{{1, 130, true}, {1, 129, false}, {16, 160, true}, {16, 159, false}, {1000, 1024, false}, {1000, 2128, true}} {
		err := checkDescriptors(tt.workers, tt.limit)
		if (err == nil) != tt.fits {
			t.Errorf("%d workers with %d: %v", tt.workers, tt.limit, err)
		}
		if needed := fmt.Sprintf("ulimit -n %d", ownFiles+perURL*tt.workers); err != nil && !strings.Contains(err.Error(), needed) {
			t.Errorf("%v; want %s", err, needed)
		}
	}
}

// TestIdleConnections: the idle connections leave descriptors for those in use, and are never
// unlimited, which 0 would mean for a transport.
func TestIdleConnections(t *testing.T) {
	for _, tt := range []struct{ workers, limit, want int }{
		{16, 1 << 20, maxIdle}, {5000, 1 << 20, 10_000}, {16, 160, 1}, {16, 0, 1}, {16, 1024, (1024 - 160) / 2}, {16, 161, 1}, {16, 164, 2},
	} {
		if got := idleConnections(tt.workers, tt.limit); got != tt.want {
			t.Errorf("%d workers with %d: %d, want %d", tt.workers, tt.limit, got, tt.want)
		}
	}
}

// A stingy transport has errors for the first requests.
type stingy struct {
	errs         []error
	asked, freed int
}

func (s *stingy) RoundTrip(*http.Request) (*http.Response, error) {
	s.asked++
	if s.asked <= len(s.errs) {
		return nil, s.errs[s.asked-1]
	}
	return &http.Response{StatusCode: 200, Body: http.NoBody}, nil
}

func (s *stingy) CloseIdleConnections() { s.freed++ }

// observed counts the requests of a crawl.
type observed int

func (o *observed) Request(*http.Request, time.Duration, error) { *o++ }

// A transport without a descriptor left closes its idle connections, and tries once more.
func TestNoDescriptorLeft(t *testing.T) {
	full := &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("socket", syscall.EMFILE)}
	lookup := &net.DNSError{Err: "dial udp 127.0.0.1:53: socket: too many open files", Name: "h"}
	lookup.Err = strings.TrimSuffix(lookup.Err, "too many open files") + syscall.EMFILE.Error()
	refused := &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	for _, tt := range []struct {
		name         string
		errs         []error
		asked, freed int
		fails, ok    bool
	}{
		{"all is well", nil, 1, 0, false, true},
		{"a site that is down", []error{refused}, 1, 0, false, false},
		{"an address that is not allowed", []error{guard.ErrRefused}, 1, 0, false, false},
		{"none left, and then one", []error{full}, 2, 1, false, true},
		{"none left", []error{full, full}, 2, 1, true, false},
		{"none left to ask for a name", []error{fmt.Errorf("dial tcp: %w", lookup), lookup}, 2, 1, true, false},
		{"none left, and then a site that is down", []error{full, refused}, 2, 1, false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			base, crawl, seen := &stingy{errs: tt.errs}, testCrawl(), new(observed)
			crawl.Observer = seen
			_, err := (&idleCloser{base, crawl}).RoundTrip(&http.Request{})
			_, _, fault := crawl.Lifecycle.Ending()
			if tt.fails && !errors.Is(fault, tt.errs[1]) {
				t.Errorf("fails with %v", fault)
			}
			if sent, want := int(*seen), tt.asked; !errors.Is(err, guard.ErrRefused) && sent != want || errors.Is(err, guard.ErrRefused) && sent > 0 {
				t.Errorf("%d requests of %d are reported", sent, want)
			}
			if (err == nil) != tt.ok || base.asked != tt.asked || base.freed != tt.freed || (fault != nil) != tt.fails {
				t.Errorf("%v; asked %d times, freed %d, failed %v", err, base.asked, base.freed, fault)
			}
		})
	}
}
