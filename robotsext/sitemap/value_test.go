package sitemap

import (
	"testing"
	"time"
)

func TestLastMod(t *testing.T) {
	utc := func(y, mo, d, h, m, s, ns int) time.Time {
		return time.Date(y, time.Month(mo), d, h, m, s, ns, time.UTC)
	}
	tests := []struct {
		in   string
		want time.Time // zero if it is invalid
	}{
		{"1997", utc(1997, 1, 1, 0, 0, 0, 0)},
		{"1997-07", utc(1997, 7, 1, 0, 0, 0, 0)},
		{"1997-07-16", utc(1997, 7, 16, 0, 0, 0, 0)},
		{"1997-07-16T19:20+01:00", utc(1997, 7, 16, 18, 20, 0, 0)},
		{"1997-07-16T19:20:30+01:00", utc(1997, 7, 16, 18, 20, 30, 0)},
		{"1997-07-16T19:20:30.45+01:00", utc(1997, 7, 16, 18, 20, 30, 450_000_000)},
		{"1997-07-16T19:20:30.123456789123Z", utc(1997, 7, 16, 19, 20, 30, 123_456_789)},
		{"1997-07-16T19:20Z", utc(1997, 7, 16, 19, 20, 0, 0)},
		{"1997-07-16t19:20z", utc(1997, 7, 16, 19, 20, 0, 0)},
		{"1997-12-31T23:30:00-01:30", utc(1998, 1, 1, 1, 0, 0, 0)},
		{"1997-01-01T00:30:00+01:30", utc(1996, 12, 31, 23, 0, 0, 0)},
		{"2024-02-29", utc(2024, 2, 29, 0, 0, 0, 0)},

		{"1900-01-01T00:00+01:00", utc(1899, 12, 31, 23, 0, 0, 0)},

		{"", time.Time{}},
		{"0001-01-01T00:00:00Z", time.Time{}},
		{"0000", time.Time{}},
		{"1899-12-31", time.Time{}},
		{"yesterday", time.Time{}},
		{"97", time.Time{}},
		{"19970716", time.Time{}},
		{"1997-7-16", time.Time{}},
		{"1997-13", time.Time{}},
		{"1997-00", time.Time{}},
		{"1997-07-00", time.Time{}},
		{"1997-07-32", time.Time{}},
		{"2023-02-29", time.Time{}},
		{"1997-07-16T19:20", time.Time{}},     // a time has to have a zone
		{"1997-07-16T19:20:30", time.Time{}},  // the same
		{"1997-07-16T19Z", time.Time{}},       // and minutes
		{"1997-07-16 19:20:30Z", time.Time{}}, // and a T before it
		{"1997-07-16T24:00Z", time.Time{}},
		{"1997-07-16T19:60Z", time.Time{}},
		{"1997-07-16T19:20:60Z", time.Time{}},
		{"1997-07-16T19:20:30.Z", time.Time{}},
		{"1997-07-16T19:20+0100", time.Time{}},
		{"1997-07-16T19:20+24:00", time.Time{}},
		{"1997-07-16T19:20+01:60", time.Time{}},
		{"1997-07-16T9:20:30Z", time.Time{}},    // two digits
		{"1997-07-16T19:20:30,5Z", time.Time{}}, // and a point
		{"1997-07-16T19:20Z ", time.Time{}},     // trimmed before
		{"+997-07-16", time.Time{}},
		{"1997-07-16Z", time.Time{}},
		{"16.7.1997", time.Time{}},
	}
	for _, tt := range tests {
		t.Run("ROB-SMP-16/"+tt.in, func(t *testing.T) {
			got, ok := parseW3C([]byte(tt.in))
			if ok != !tt.want.IsZero() || !got.Equal(tt.want) {
				t.Errorf("got %v, %t; want %v", got, ok, tt.want)
			}
		})
	}
}

func TestPubDate(t *testing.T) {
	want := time.Date(2002, 9, 7, 9, 42, 31, 0, time.UTC)
	for in, want := range map[string]time.Time{
		"Sat, 07 Sep 2002 09:42:31 GMT":   want,
		"Sat, 7 Sep 2002 09:42:31 +0000":  want,
		"07 Sep 2002 09:42:31 UT":         want,
		"Sat, 07 Sep 02 09:42:31 Z":       want,
		"Sat,07 Sep 2002  05:42:31 EDT":   want,
		"Sat, 07 Sep 2002 01:42:31 pst":   want,
		"Sat, 07 Sep 2002 11:42:31 +0200": want,
		"2002-09-07T09:42:31Z":            want,
		"07 Sep 2002 09:42 GMT":           want.Truncate(time.Minute),
		"Sat, 07 Sep 2002 09:42:31":       want,
		"Sat, 07 Sep 2002 09:42:31 CEST":  {},
		"Sat, 31 Feb 2002 09:42:31 GMT":   {},
		"Mon, 01 Jan 0001 00:00:00 GMT":   {},
		"0001-01-01T00:00:00Z":            {},
		"last Saturday":                   {},
		"":                                {},
	} {
		t.Run("ROB-SMP-21/"+in, func(t *testing.T) {
			got, ok := parsePubDate([]byte(in))
			if ok != !want.IsZero() || !got.Equal(want) {
				t.Errorf("got %v, %t; want %v", got, ok, want)
			}
		})
	}
}

func TestDecimal(t *testing.T) {
	for in, want := range map[string]float32{"0": 0, "0.0": 0, "1": 1, "1.0": 1, ".5": .5, "0.50": .5, "0.6500": .65} {
		if got, ok := decimal([]byte(in), 1); !ok || got != want {
			t.Errorf("%q: %v, %t", in, got, ok)
		}
	}
	for _, in := range []string{"", ".", "1.01", "-0", "+1", "0,5", "1e-1", "0x1p-1", "1_0", "inf", "nan", "high", "0.5.5", "00000000000000000000000000000000000000000000000.5"} {
		if got, ok := decimal([]byte(in), 1); ok {
			t.Errorf("%q: %v", in, got)
		}
	}
}
