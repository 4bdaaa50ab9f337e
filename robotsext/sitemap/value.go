package sitemap

import (
	"strconv"
	"strings"
	"time"
)

// changeFreq returns one of the seven words, or "".
func changeFreq(low []byte) string {
	switch string(low) {
	case "always":
		return "always"
	case "hourly":
		return "hourly"
	case "daily":
		return "daily"
	case "weekly":
		return "weekly"
	case "monthly":
		return "monthly"
	case "yearly":
		return "yearly"
	case "never":
		return "never"
	}
	return ""
}

// decimal reads a decimal number from 0 to limit.
func decimal(b []byte, limit float64) (float32, bool) {
	if len(b) > 32 {
		return 0, false
	}
	for _, c := range b {
		if (c < '0' || c > '9') && c != '.' {
			return 0, false // no signs, exponents, hexadecimals, NaN
		}
	}
	f, err := strconv.ParseFloat(string(b), 32)
	if err != nil || f > limit {
		return 0, false
	}
	return float32(f), true
}

// firstYear is the first that is taken for one: "0001-01-01" is what programs
// write for no date.
const firstYear = 1900

// parseW3C reads the six forms of the W3C note on dates and times, from a year
// to a fraction of a second with its time zone (ROB-SMP-16).
func parseW3C(b []byte) (time.Time, bool) {
	p := w3c{rest: b, ok: true}
	month, day, hour, minute, second, nano := 1, 1, 0, 0, 0, 0
	year := p.digits(4)
	if p.skip('-') {
		month = p.digits(2)
		if p.skip('-') {
			day = p.digits(2)
			if p.skip('T') || p.skip('t') {
				hour = p.digits(2)
				p.expect(':')
				minute = p.digits(2)
				p.ok = p.ok && minute < 60
				if p.skip(':') {
					second = p.digits(2)
					if p.skip('.') {
						nano = p.fraction()
					}
				}
				minute -= p.zone()
			}
		}
	}
	if !p.ok || len(p.rest) > 0 || year < firstYear || month < 1 || month > 12 || day < 1 || hour > 23 || second > 59 {
		return time.Time{}, false
	}
	if day > time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day() {
		return time.Time{}, false
	}
	return time.Date(year, time.Month(month), day, hour, minute, second, nano, time.UTC), true
}

// w3c reads a date from its start; ok is lost for good at the first thing that
// does not belong.
type w3c struct {
	rest []byte
	ok   bool
}

func (p *w3c) skip(c byte) bool {
	if len(p.rest) == 0 || p.rest[0] != c {
		return false
	}
	p.rest = p.rest[1:]
	return true
}

func (p *w3c) expect(c byte) { p.ok = p.skip(c) && p.ok }

// digits reads a number of exactly n digits.
func (p *w3c) digits(n int) (v int) {
	if len(p.rest) < n {
		p.ok = false
		return 0
	}
	for _, c := range p.rest[:n] {
		p.ok = p.ok && c >= '0' && c <= '9'
		v = v*10 + int(c-'0')
	}
	p.rest = p.rest[n:]
	return v
}

// fraction reads what is behind the decimal point, in nanoseconds.
func (p *w3c) fraction() (nano int) {
	scale := int(time.Second)
	n := 0
	for n < len(p.rest) && p.rest[n] >= '0' && p.rest[n] <= '9' {
		scale /= 10
		nano += int(p.rest[n]-'0') * scale
		n++
	}
	p.ok = p.ok && n > 0
	p.rest = p.rest[n:]
	return nano
}

// zone reads "Z" or "+hh:mm", in minutes east of Greenwich.
func (p *w3c) zone() int {
	sign := 1
	switch {
	case p.skip('Z'), p.skip('z'):
		return 0
	case p.skip('-'):
		sign = -1
	default:
		p.expect('+')
	}
	hours := p.digits(2)
	p.expect(':')
	minutes := p.digits(2)
	p.ok = p.ok && hours < 24 && minutes < 60
	return sign * (hours*60 + minutes)
}

// rfc822 are the forms of a date in RSS, without the day of the week and with
// the zone in figures: RFC 822, with the four-digit year that RFC 2822 asks
// for.
var rfc822 = [...]string{
	"2 Jan 2006 15:04:05 -0700",
	"2 Jan 2006 15:04 -0700",
	"2 Jan 06 15:04:05 -0700",
	"2 Jan 06 15:04 -0700",
}

// parseRFC822 reads the date of an RSS item, which in practice may also be a
// W3C one.
func parseRFC822(b []byte) (time.Time, bool) {
	if len(b) > 64 {
		return time.Time{}, false
	}
	if t, ok := parseW3C(b); ok {
		return t, true
	}
	s := string(b)
	if _, after, ok := strings.Cut(s, ","); ok {
		s = after
	}
	fields := strings.Fields(s)
	if n := len(fields); n > 0 {
		if offset := zoneOffset(fields[n-1]); offset != "" {
			fields[n-1] = offset
		}
	}
	s = strings.Join(fields, " ")
	for _, layout := range rfc822 {
		if t, err := time.Parse(layout, s); err == nil {
			if t.Year() < firstYear {
				return time.Time{}, false
			}
			return t.UTC(), true
		}
	}
	return time.Time{}, false
}

// zoneOffset returns the offset of a zone that RFC 822 names, "" for others.
// Package time knows these names only where they are those of the local zone.
func zoneOffset(name string) string {
	switch strings.ToUpper(name) {
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
