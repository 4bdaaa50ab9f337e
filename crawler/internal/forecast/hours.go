package forecast

import (
	"fmt"
	"time"

	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// Hours are the visiting hours of a host (Visit-time, ROB-EXT-02), in minutes from the start of a
// crawl.
type Hours struct {
	began time.Duration // since midnight UTC
	sum   [minutes + 1]time.Duration
}

const (
	day     = 24 * time.Hour
	minutes = 24 * 60
)

// NewHours returns the visiting hours for a crawl that starts now, or nil if it is always open.
func NewHours(windows []robotstxt.Window, now time.Time) *Hours {
	if len(windows) == 0 {
		return nil
	}
	midnight := now.UTC().Truncate(day)
	h := &Hours{began: now.Sub(midnight)}
	for m := range minutes {
		h.sum[m+1] = h.sum[m]
		for _, w := range windows {
			if w.Contains(midnight.Add(time.Duration(m) * time.Minute)) {
				h.sum[m+1] += time.Minute
				break
			}
		}
	}
	if h.sum[minutes] == 0 {
		return nil // no window contains a minute
	}
	return h
}

// since returns for how long of the first t after midnight the host is open.
func (h *Hours) since(t time.Duration) time.Duration {
	m := t % day / time.Minute
	open := time.Duration(int64(t/day)*int64(h.sum[minutes])) + h.sum[m]
	if h.sum[m+1] > h.sum[m] {
		open += t % time.Minute
	}
	return open
}

// open returns for how long of the first t of the crawl the host is open.
func (h *Hours) open(t time.Duration) time.Duration { return h.since(h.began+t) - h.since(h.began) }

// until returns the time at which the host has been open for the duration open.
func (h *Hours) until(open time.Duration) time.Duration {
	days := int64(open/h.sum[minutes]) + 1
	if days >= int64(longest/day) {
		return longest
	}
	return first(time.Duration(days)*day, func(t time.Duration) bool { return h.open(t) >= open })
}

// Window returns a window in the syntax of robots.txt.
func Window(w robotstxt.Window) string {
	return fmt.Sprintf("%02d%02d-%02d%02d", w.From/time.Hour, w.From%time.Hour/time.Minute, w.To/time.Hour, w.To%time.Hour/time.Minute)
}
