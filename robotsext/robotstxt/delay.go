package robotstxt

import (
	"strconv"
	"strings"
	"time"
)

// CrawlDelay returns the minimum time between two requests, or 0 if the group has no
// Crawl-delay. If it has several, the largest counts, limited to
// Options.MaxCrawlDelay.
//
// Google ignores Crawl-delay, Yandex has ignored it since 2018, and Bing reads it as
// one visit in each window of that many seconds.
func (g *Group) CrawlDelay() time.Duration {
	if g.file == nil {
		return 0
	}
	var delay time.Duration
	for e := range g.extensions("crawl-delay") {
		if d, ok := parseDelay(e.Value); ok {
			delay = max(delay, d)
		}
	}
	if g.file.opts.RequestRateDelay {
		for _, r := range g.RequestRates() {
			delay = max(delay, r.Delay())
		}
	}
	return g.file.opts.capDelay(delay)
}

// longest limits parsed durations, so that no sum overflows.
const longest = 1000 * time.Hour

// parseDelay parses a decimal number of seconds that is not negative.
func parseDelay(value string) (time.Duration, bool) {
	for i := 0; i < len(value); i++ {
		if b := value[i]; b != '.' && (b < '0' || b > '9') {
			return 0, false // neither signs nor exponents
		}
	}
	seconds, err := strconv.ParseFloat(value, 64)
	if err != nil && seconds == 0 { // an overflow is an infinite delay
		return 0, false
	}
	return time.Duration(min(seconds, longest.Seconds()) * float64(time.Second)), true
}

// RequestRate is a Request-rate line of the draft of 1996, which never became a
// standard: a number of documents in a span of time.
type RequestRate struct {
	Documents int
	Per       time.Duration
	Window    Window // when it applies; zero means always
	Line      int
}

// Delay returns the time between two requests.
func (r RequestRate) Delay() time.Duration { return r.Per / time.Duration(r.Documents) }

// Window is a span of the day in UTC, from a Visit-time line. It may span midnight.
type Window struct {
	From, To time.Duration // since midnight; To is the last minute of the window
	Line     int
}

// Contains reports whether t lies within the window.
func (w Window) Contains(t time.Time) bool {
	t = t.UTC()
	at := time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute
	if w.From <= w.To {
		return w.From <= at && at <= w.To
	}
	return at >= w.From || at <= w.To
}

// RequestRates returns the group's Request-rate lines in file order.
func (g *Group) RequestRates() []RequestRate {
	var rates []RequestRate
	for e := range g.extensions("request-rate") {
		if r, ok := parseRequestRate(e.Value); ok {
			r.Line = e.Line
			rates = append(rates, r)
		}
	}
	return rates
}

// VisitTimes returns the group's Visit-time lines in file order.
func (g *Group) VisitTimes() []Window {
	var windows []Window
	for e := range g.extensions("visit-time") {
		if w, ok := parseWindow(e.Value); ok {
			w.Line = e.Line
			windows = append(windows, w)
		}
	}
	return windows
}

// parseRequestRate parses "n/m", with an optional unit (s, m or h) after m and an
// optional window.
func parseRequestRate(value string) (r RequestRate, ok bool) {
	words := strings.Fields(value)
	if len(words) == 2 {
		if r.Window, ok = parseWindow(words[1]); !ok {
			return r, false
		}
	} else if len(words) != 1 {
		return r, false
	}
	documents, per, ok := strings.Cut(words[0], "/")
	if !ok || per == "" {
		return r, false
	}
	unit := time.Second
	switch per[len(per)-1] {
	case 's', 'S':
		per = per[:len(per)-1]
	case 'm', 'M':
		unit, per = time.Minute, per[:len(per)-1]
	case 'h', 'H':
		unit, per = time.Hour, per[:len(per)-1]
	}
	n, errN := strconv.ParseUint(documents, 10, 31)
	m, errM := strconv.ParseUint(per, 10, 31)
	if errN != nil || errM != nil || n == 0 {
		return r, false
	}
	r.Documents, r.Per = int(n), min(time.Duration(m)*unit, longest)
	return r, true
}

// parseWindow reads "hhmm-hhmm".
func parseWindow(value string) (w Window, ok bool) {
	from, to, ok := strings.Cut(value, "-")
	if !ok {
		return w, false
	}
	var okFrom, okTo bool
	w.From, okFrom = parseClock(strings.TrimSpace(from))
	w.To, okTo = parseClock(strings.TrimSpace(to))
	return w, okFrom && okTo
}

func parseClock(s string) (time.Duration, bool) {
	n, err := strconv.ParseUint(s, 10, 16)
	if err != nil || len(s) != 4 || n%100 > 59 || n > 2400 {
		return 0, false
	}
	return time.Duration(n/100)*time.Hour + time.Duration(n%100)*time.Minute, true
}
