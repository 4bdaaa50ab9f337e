package lookup

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/robotsext/headerlist"
	"github.com/politecrawl/politecrawl/robotsext/record"
)

// DefaultLifetime applies if the site sets none (ROB-CAC-01, RFC 9309 2.4).
// Last-Modified is not used (ROB-CAC-09).
const DefaultLifetime = 24 * time.Hour

// lifetime returns how long a response with header h may be used from now, its time of
// arrival. Transit is the duration of the request. It follows RFC 9111 4.2 for a
// private cache, within the limits of c (ROB-CAC-04, ROB-CAC-05).
func lifetime(c record.CacheOptions, h http.Header, now time.Time, transit time.Duration) time.Duration {
	life := explicitLifetime(h, now)
	if life > 0 {
		// What was fresh when it left the origin server has aged since.
		// Half of forever is enough: subtracting more would wrap around if life is negative.
		life -= min(deltaSeconds(h.Get("Age")), forever/2) + transit
	}
	return min(max(life, c.MinAge), c.MaxAge)
}

// forever represents a number too large to parse (RFC 9111 1.2.2).
const forever = time.Duration(1<<63 - 1)

func explicitLifetime(h http.Header, now time.Time) time.Duration {
	cc := cacheControl(h)
	// The most restrictive directive wins (ROB-CAC-06). Directives about who may
	// store, and about stale copies, say nothing here: the rules of robots.txt
	// on stale copies come first (ROB-CAC-14).
	if cc.has("no-cache") || cc.has("no-store") {
		return 0
	}
	if value, ok := cc["max-age"]; ok {
		return deltaSeconds(value)
	}
	if expires := h.Get("Expires"); expires != "" {
		at, err := http.ParseTime(expires)
		if err != nil {
			return 0 // RFC 9111 5.3: an invalid date is in the past
		}
		sent, err := http.ParseTime(h.Get("Date"))
		if err != nil {
			sent = now
		}
		return at.Sub(sent)
	}
	return DefaultLifetime
}

// deltaSeconds parses a number of seconds: 0 if invalid, forever if too large
// (ROB-CAC-10).
func deltaSeconds(s string) time.Duration {
	if s == "" || strings.Trim(s, "0123456789") != "" {
		return 0
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n > int64(forever/time.Second) {
		return forever
	}
	return time.Duration(n) * time.Second
}

// directives maps the names of cache directives, in lower case, to their first
// value (ROB-CAC-10).
type directives map[string]string

func (d directives) has(name string) bool {
	_, ok := d[name]
	return ok
}

func cacheControl(h http.Header) directives {
	d := directives{}
	for _, line := range h.Values("Cache-Control") {
		for item := range headerlist.Elements(line) {
			name, value, _ := strings.Cut(item, "=")
			name = strings.ToLower(strings.TrimSpace(name))
			if name == "" || d.has(name) {
				continue
			}
			d[name] = strings.Trim(strings.TrimSpace(value), `"`)
		}
	}
	return d
}

// NoStore reports whether Cache-Control contains no-store (RFC 9111 5.2.2.5).
func NoStore(h http.Header) bool { return cacheControl(h).has("no-store") }

// maxRetryAfter limits Retry-After (ROB-POL-04).
const maxRetryAfter = 24 * time.Hour

// RetryAfter returns the longest Retry-After of a response received at now, at most 24
// h. A list such as "5, 60" counts as several fields.
func RetryAfter(h http.Header, now time.Time) time.Duration {
	values := h.Values("Retry-After")
	if len(values) == 0 {
		return 0
	}
	// The clock of a server may be wrong, so its dates are read by its own Date.
	sent, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		sent = now
	}
	var longest time.Duration
	for _, value := range values {
		value = strings.TrimSpace(value)
		if at, err := http.ParseTime(value); err == nil {
			longest = max(longest, at.Sub(sent))
			continue
		}
		for seconds := range strings.SplitSeq(value, ",") {
			longest = max(longest, roundedUpSeconds(strings.TrimSpace(seconds)))
		}
	}
	return min(longest, maxRetryAfter)
}

// roundedUpSeconds parses a number of seconds and rounds it up; 0 if invalid. RFC 9110
// allows only integers, but some servers send decimals.
func roundedUpSeconds(s string) time.Duration {
	whole, decimals, _ := strings.Cut(s, ".")
	if strings.Trim(whole+decimals, "0123456789") != "" {
		return 0
	}
	seconds := min(deltaSeconds(whole), maxRetryAfter) // forever and a second would overflow
	if strings.Trim(decimals, "0") != "" {
		seconds += time.Second
	}
	return seconds
}

// isDue reports whether the record must be fetched again before it is used. A time in the
// future means that the clock was set back, so the record cannot be trusted.
func isDue(rec *record.Record, now time.Time) bool {
	return !now.Before(rec.ExpiresAt) || rec.FetchedAt.After(now.Add(time.Minute))
}

// isFresh reports whether the record is not due and not of an outage, so that it stays in
// use after a failed refresh (ROB-STA-06).
func isFresh(rec *record.Record, now time.Time) bool {
	return rec != nil && rec.FailingSince.IsZero() && !isDue(rec, now)
}
