package sitemap

import (
	"strconv"
	"time"

	"github.com/politecrawl/politecrawl/robotsext/internal/datetime"
)

var changeFreqs = [...]string{"always", "hourly", "daily", "weekly", "monthly", "yearly", "never"}

// changeFreq returns one of the seven words, or "".
func changeFreq(low []byte) string {
	for _, word := range changeFreqs {
		if string(low) == word {
			return word
		}
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

// firstYear is the first valid year. Programs write "0001-01-01" for a missing date.
const firstYear = "1900"

// parseW3C reads the date of an entry (ROB-SMP-16).
func parseW3C(b []byte) (time.Time, bool) {
	t, ok := datetime.W3C(string(b))
	if !ok || string(b[:4]) < firstYear {
		return time.Time{}, false
	}
	return t, true
}

// parsePubDate reads the date of an RSS item, which in practice may also be a W3C
// one.
func parsePubDate(b []byte) (time.Time, bool) {
	if t, ok := parseW3C(b); ok {
		return t, true
	}
	t, ok := datetime.Parse(string(b))
	if !ok || t.Format("2006") < firstYear {
		return time.Time{}, false
	}
	return t, true
}
