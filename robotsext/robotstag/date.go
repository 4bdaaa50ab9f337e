package robotstag

import (
	"strings"
	"time"
	"unicode"
)

// cutDate takes the value of an unavailable_after off a list. The comma behind
// the day of the week belongs to the date (ROB-PAG-07).
func cutDate(text string) (date, rest string) {
	end := dateEnd(text)
	if strings.HasPrefix(text[end:], ",") && isWeekday(strings.TrimSpace(text[:end])) {
		behind := text[end+1:]
		n := dateEnd(behind)
		if _, ok := parseDate(behind[:n]); ok {
			return behind[:n], behind[n:]
		}
		// A day of the week alone; what follows is another rule.
	}
	return text[:end], text[end:]
}

// dateEnd returns the length of the words that may be a date: those before the
// next comma, semicolon, rule, or name of a crawler.
func dateEnd(text string) int {
	for at := 0; ; {
		at += len(text[at:]) - len(strings.TrimLeftFunc(text[at:], unicode.IsSpace))
		end := at + wordEnd(text[at:])
		if word := text[at:end]; word == "" || startsRule(word) || strings.HasSuffix(word, ":") {
			return at
		}
		at = end
	}
}

func isWeekday(s string) bool {
	s = strings.ToLower(s)
	for day := time.Sunday; day <= time.Saturday; day++ {
		if name := strings.ToLower(day.String()); s == name || s == name[:3] {
			return true
		}
	}
	return false
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

// rfc822 are the parts of dates as in RFC 822 and RFC 850, which is the same with
// hyphens: day, time and zone, where the later ones may be missing.
var rfc822 = struct{ days, times [4]string }{
	days:  [...]string{"2 Jan 2006", "2 Jan 06", "2 January 2006", "2 January 06"},
	times: [...]string{" 15:04:05 -0700", " 15:04 -0700", " 15:04:05", ""},
}

// parseDate reads a date in one of the three forms that unavailable_after takes:
// RFC 822, RFC 850, ISO 8601. A time without a zone is in UTC, a day without a time
// begins at midnight.
func parseDate(s string) (time.Time, bool) {
	if len(s) > 64 {
		return time.Time{}, false
	}
	s = strings.ToUpper(strings.TrimSpace(s))
	if day, rest, ok := strings.Cut(s, ","); ok && isWeekday(day) {
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
	if offset := zoneOffset(fields[last]); offset != "" {
		fields[last] = offset
	}
	s = strings.Join(fields, " ")
	for _, day := range rfc822.days {
		for _, clock := range rfc822.times {
			if t, err := time.Parse(day+clock, s); err == nil {
				return t.UTC(), true
			}
		}
	}
	return time.Time{}, false
}

func parseISO8601(s string) (time.Time, bool) {
	// A space may stand for the T, and behind the minutes of a zone's offset
	// there may be no colon.
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

// zoneOffset returns the offset of a zone that RFC 822 names, "" for others.
// Package time knows these names only where they are those of the local zone.
func zoneOffset(name string) string {
	switch name {
	case "UT", "UTC", "GMT", "Z":
		return "+0000"
	case "EDT":
		return "-0400"
	case "EST", "CDT":
		return "-0500"
	case "CST", "MDT":
		return "-0600"
	case "MST", "PDT":
		return "-0700"
	case "PST":
		return "-0800"
	}
	return ""
}
