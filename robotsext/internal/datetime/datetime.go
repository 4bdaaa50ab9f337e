// Package datetime reads the dates that sites write into headers, tags, feeds and
// sitemaps.
package datetime

import (
	"strings"
	"time"
)

// maxLen limits the length of a date.
const maxLen = 64

// W3C reads the six forms of the W3C note on dates and times, from a year to a
// fraction of a second with its time zone (ROB-SMP-16). The result is in UTC.
func W3C(s string) (time.Time, bool) {
	const rest = "0000-01-01T00:00:00Z"
	const minutes = len("2006-01-02T15:04")
	switch s = strings.ToUpper(s); {
	case len(s) == len("2006"), len(s) == len("2006-01"), len(s) == len("2006-01-02"):
		s += rest[len(s):]
	case len(s) <= minutes || len(s) > maxLen:
		return time.Time{}, false
	case strings.IndexByte("Z+-", s[minutes]) >= 0:
		s = s[:minutes] + ":00" + s[minutes:]
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil || isLoose(s) {
		return time.Time{}, false
	}
	return t.UTC(), true
}

// isLoose reports whether s is invalid by RFC 3339 in a way that time.Parse accepts: an hour
// of one digit, a comma in a fraction, or an offset beyond 23:59.
func isLoose(s string) bool {
	if s[len("2006-01-02T15")] != ':' || strings.Contains(s, ",") {
		return true
	}
	offset := s[len(s)-len("15:04"):]
	return !strings.HasSuffix(s, "Z") && (offset[:2] > "23" || offset[3] > '5')
}

// iso8601 are the forms of ISO 8601 that are in use, with their zone as "Z07:00".
var iso8601 = [...]string{
	"2006-01-02T15:04:05Z07:00",
	"2006-01-02T15:04Z07:00",
	"2006-01-02T15:04:05",
	"2006-01-02T15:04",
	"2006-01-02",
	"20060102T150405Z0700",
	"20060102",
}

// The parts of dates in RFC 822, and in RFC 850 with hyphens. Time and zone may be missing.
var (
	rfc822Days  = [...]string{"2 Jan 2006", "2 Jan 06", "2 January 2006", "2 January 06"}
	rfc822Times = [...]string{" 15:04:05 -0700", " 15:04 -0700", " 15:04:05", ""}
)

// Parse reads a date in one of the forms of RFC 822, RFC 850 and ISO 8601. A time
// without a zone is in UTC; a day without a time means midnight. The result is in UTC.
func Parse(s string) (time.Time, bool) {
	if len(s) > maxLen {
		return time.Time{}, false
	}
	s = strings.ToUpper(strings.TrimSpace(s))
	if day, rest, ok := strings.Cut(s, ","); ok && IsWeekday(day) {
		s = strings.TrimSpace(rest)
	}
	if t, ok := parseISO8601(s); ok {
		return t, true
	}
	fields := strings.Fields(s)
	if len(fields) == 0 {
		return time.Time{}, false
	}
	fields[0] = strings.ReplaceAll(fields[0], "-", " ")
	last := len(fields) - 1
	if offset := zoneOffsets[fields[last]]; offset != "" {
		fields[last] = offset
	}
	s = strings.Join(fields, " ")
	for _, day := range rfc822Days {
		for _, clock := range rfc822Times {
			if t, err := time.Parse(day+clock, s); err == nil {
				return t.UTC(), true
			}
		}
	}
	return time.Time{}, false
}

// IsWeekday reports whether s is the English name of a day or its first three
// letters, in any case.
func IsWeekday(s string) bool {
	for day := time.Sunday; day <= time.Saturday; day++ {
		if name := day.String(); strings.EqualFold(s, name) || strings.EqualFold(s, name[:3]) {
			return true
		}
	}
	return false
}

func parseISO8601(s string) (time.Time, bool) {
	// A space may replace the T, and the offset may have no colon.
	if day, clock, ok := strings.Cut(s, " "); ok && len(day) == len("2006-01-02") && strings.Count(day, "-") == 2 && day[4] == '-' {
		s = day + "T" + strings.ReplaceAll(clock, " ", "")
	}
	if n := len(s) - len("-0700"); n >= len("2006-01-02T15:04") && (s[n] == '+' || s[n] == '-') {
		s = s[:n+3] + ":" + s[n+3:]
	}
	for _, layout := range iso8601 {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC(), true
		}
	}
	return time.Time{}, false
}

// zoneOffsets are the offsets of the zones of RFC 822. Package time knows the name of a zone only
// if the local zone has this name.
var zoneOffsets = map[string]string{
	"UT": "+0000", "UTC": "+0000", "GMT": "+0000", "Z": "+0000",
	"EDT": "-0400", "EST": "-0500", "CDT": "-0500", "CST": "-0600", "MDT": "-0600", "MST": "-0700", "PDT": "-0700", "PST": "-0800",
}
