package datetime

import (
	"strings"
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	june := func(hour, minute, second int) time.Time {
		return time.Date(2010, 6, 25, hour, minute, second, 0, time.UTC)
	}
	for in, want := range map[string]time.Time{
		// RFC 822, with two and four figures for the year
		"25 Jun 10 15:00:00 GMT":          june(15, 0, 0),
		"25 Jun 2010 15:00:00 PST":        june(23, 0, 0),
		"25 Jun 2010 15:00:00 EDT":        june(19, 0, 0),
		"Fri, 25 Jun 2010 15:00:30 +0200": june(13, 0, 30),
		"fri, 25 jun 2010 15:00 gmt":      june(15, 0, 0),
		"25 June 2010 15:00:00 UT":        june(15, 0, 0),
		"25 Jun 2010 15:00:00":            june(15, 0, 0),
		"25 Jun 2010":                     june(0, 0, 0),
		"5 Jun 2010 15:00:00 Z":           june(15, 0, 0).AddDate(0, 0, -20),
		// RFC 850
		"Friday, 25-Jun-10 15:00:00 PST": june(23, 0, 0),
		"25-Jun-2010 15:00:00 EST":       june(20, 0, 0),
		"25-Jun-2010":                    june(0, 0, 0),
		// ISO 8601
		"2010-06-25":                    june(0, 0, 0),
		"20100625":                      june(0, 0, 0),
		"2010-06-25T15:00:00Z":          june(15, 0, 0),
		"2010-06-25t15:00:00.75z":       june(15, 0, 0).Add(750 * time.Millisecond),
		"2010-06-25T15:00:00+02:00":     june(13, 0, 0),
		"2010-06-25T15:00:00-0230":      june(17, 30, 0),
		"2010-06-25T15:00+0200":         june(13, 0, 0),
		"2010-06-25T15:00":              june(15, 0, 0),
		"2010-06-25 15:00:00":           june(15, 0, 0),
		"2010-06-25 15:00:00 +02:00":    june(13, 0, 0),
		"20100625T150000Z":              june(15, 0, 0),
		"Friday, 2010-06-25T15:00:00Z":  june(15, 0, 0),
		"  2010-06-25T15:00:00+00:00  ": june(15, 0, 0),

		"":                          {},
		"soon":                      {},
		"Friday":                    {},
		"Friday,":                   {},
		"Someday, 25 Jun 2010":      {},
		"31 Feb 2010":               {},
		"2010-13-01":                {},
		"2010-06-25T25:00:00Z":      {},
		"25 Jun 2010 15:00:00 CEST": {},
		"25.6.2010":                 {},
		"06/25/2010":                {},
		"1277478000":                {},
		"-":                         {},
		"2010-06-25 ":               june(0, 0, 0),
		"2010-06-25 noon":           {},
		"2010-06-25T15:00:00Z and so on, and so on, and so on, and so on..": {},
	} {
		t.Run("ROB-PAG-07/"+in, func(t *testing.T) {
			got, ok := Parse(in)
			if ok != !want.IsZero() || !got.Equal(want) {
				t.Errorf("got %v, %t; want %v", got, ok, want)
			}
		})
	}
}

// FuzzW3C compares with package time, which has a layout for each form but
// is looser: it takes a comma for the point of a fraction.
func FuzzW3C(f *testing.F) {
	for _, s := range []string{"1997", "1997-07", "2024-02-29", "1997-07-16T19:20+01:00", "1997-07-16T19:20:30.45-23:59", "1997-07-16T19:20:30Z", "1997-07-16T19:60Z", "1997-07-16T19:2ı"} {
		f.Add(s)
	}
	layouts := []string{"2006", "2006-01", "2006-01-02", "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05Z07:00"}
	f.Fuzz(func(t *testing.T, in string) {
		got, ok := W3C(in)
		var want time.Time
		known := false
		for _, layout := range layouts {
			if v, err := time.Parse(layout, in); err == nil {
				want, known = v, true
			}
		}
		if ok && !known {
			// Lower-case letters are ours alone.
			for _, c := range in {
				if c == 't' || c == 'z' {
					return
				}
			}
			t.Fatalf("%q: %v, which time.Parse does not know", in, got)
		}
		if ok && !got.Equal(want) {
			t.Fatalf("%q: %v, time.Parse has %v", in, got, want)
		}
		if ok && got.Location() != time.UTC {
			t.Fatalf("%q is not in UTC", in)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"25 Jun 2010 15:00:00 PST", "Friday, 25-Jun-10 15:00:00 GMT", "2020-09-21", "2010-06-25T15:00:00.5-0230", "20100625T150000Z"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		got, ok := Parse(in)
		if !ok {
			return
		}
		if got.Location() != time.UTC {
			t.Fatalf("%q is not in UTC", in)
		}
		if got.Year() < 0 || got.Year() > 9999 {
			return // an offset led out of what can be written
		}
		again, ok := Parse(got.Format(time.RFC3339Nano))
		if !ok || !again.Equal(got) {
			t.Fatalf("%q: %v, again %v, %t", in, got, again, ok)
		}
	})
}

// TestW3CLimit holds that no more is read than a date can be long.
func TestW3CLimit(t *testing.T) {
	for digits, want := range map[int]bool{9: true, 43: true, 44: false} {
		in := "2004-12-23T18:00:15." + strings.Repeat("1", digits) + "Z"
		if _, ok := W3C(in); ok != want {
			t.Errorf("ROB-SMP-16: %d characters: %t", len(in), ok)
		}
	}
}
