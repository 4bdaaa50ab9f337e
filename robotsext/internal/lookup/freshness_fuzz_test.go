package lookup

import (
	"math/big"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/robotsext/record"
)

// FuzzCacheControl holds that whatever a site says of the age of its answer, that is used
// for no less and no more than the bounds say (ROB-CAC-04, ROB-CAC-05), and that what it
// does not want stored is not (ROB-CAC-06).
func FuzzCacheControl(f *testing.F) {
	f.Add("max-age=600", "", "", "", "")
	f.Add(`private="no-store, a", MAX-AGE="60"`, "max-age=1", "0", "Thu, 01 Oct 2026 15:00:00 GMT", "")
	f.Add("max-age=99999999999999999999", " no-cache ,", "99999999999999999999", "", "Thu, 01 Oct 0001 15:00:00 GMT")
	f.Add(`a="\", no-store", =, ,,"`, "No-Store", "-1", "Fri, 31 Dec 9999 23:59:59 GMT", "Thu, 01 Jan 0001 00:00:00 GMT")
	f.Fuzz(func(t *testing.T, first, second, age, expires, date string) {
		now := time.Date(2026, 10, 1, 12, 0, 0, 0, time.UTC)
		bounds := record.CacheOptions{MinAge: 5 * time.Minute, MaxAge: 24 * time.Hour}
		h := http.Header{"Cache-Control": {first, second}, "Age": {age}, "Expires": {expires}, "Date": {date}}
		life := lifetime(bounds, h, now, time.Second)
		if life < bounds.MinAge || life > bounds.MaxAge {
			t.Errorf("used for %v", life)
		}
		both := strings.ToLower(first + "," + second)
		if NoStore(h) && !strings.Contains(both, "no-store") {
			t.Error("no-store, which nobody said")
		}
		if !strings.ContainsAny(both, `"=`) { // then it is a list of words
			said := false
			for word := range strings.SplitSeq(both, ",") {
				said = said || strings.TrimSpace(word) == "no-store"
			}
			if said != NoStore(h) || said && life != bounds.MinAge {
				t.Errorf("no-store: %v, want %v; used for %v", NoStore(h), said, life)
			}
		}
	})
}

// FuzzRetryAfter holds that the wait is the longest of those that the fields ask for, a day
// at the most, by the server's clock, and nothing if nobody can tell (ROB-POL-04).
func FuzzRetryAfter(f *testing.F) {
	const noon = "Thu, 01 Oct 2026 12:00:00 GMT"
	for _, value := range []string{
		"", "0", "120", " 7 ", "-1", "+1", "1.5", "5.", ".5", ".", "1.2.3", "1e9", "86401", "9223372036", "9223372036.9", "9223372037", "18446744073709551616", "٣", "1, 2", "5,5", "60, 30", "30 , 60", "soon,30", "0.001", "86399.5", "-5.5", "Inf",
		"Thu, 01 Oct 2026 15:00:00 GMT", "Thursday, 01-Oct-26 15:00:00 GMT", "Thu Oct  1 15:00:00 2026", "Fri, 31 Dec 9999 23:59:59 GMT", "Mon, 01 Jan 0000 00:00:00 GMT",
	} {
		f.Add(value, "5", noon)
		f.Add("0.2", value, "Thu, 01 Oct 2026 14:59:00 GMT")
		f.Add(value, "", value)
		f.Add(value, "", "today")
	}
	f.Fuzz(func(t *testing.T, first, second, date string) {
		now := time.Date(2026, 10, 1, 12, 0, 0, 0, time.UTC)
		got := RetryAfter(http.Header{"Retry-After": {first, second}, "Date": {date}}, now)
		sent, err := http.ParseTime(date)
		if err != nil {
			sent = now
		}
		if want := max(askedWait(first, sent), askedWait(second, sent)); got != want {
			t.Errorf("%q and %q, sent at %q: %v, want %v", first, second, date, got, want)
		}
	})
}

var decimal = regexp.MustCompile(`^(\d+\.?\d*|\.\d+)$`)

// askedWait is what one value of Retry-After asks for, by exact arithmetic.
func askedWait(value string, sent time.Time) time.Duration {
	value = strings.TrimSpace(value)
	if at, err := http.ParseTime(value); err == nil {
		return min(max(at.Sub(sent), 0), maxRetryAfter)
	}
	var longest time.Duration
	for seconds := range strings.SplitSeq(value, ",") {
		longest = max(longest, askedSeconds(strings.TrimSpace(seconds)))
	}
	return longest
}

// askedSeconds is what a number of seconds asks for.
func askedSeconds(value string) time.Duration {
	seconds, ok := new(big.Rat).SetString(value)
	if !ok || !decimal.MatchString(value) {
		return 0
	}
	roundedUp := new(big.Int).Div(new(big.Int).Add(seconds.Num(), new(big.Int).Sub(seconds.Denom(), big.NewInt(1))), seconds.Denom())
	if roundedUp.Cmp(big.NewInt(int64(maxRetryAfter/time.Second))) >= 0 {
		return maxRetryAfter
	}
	return time.Duration(roundedUp.Int64()) * time.Second
}
