package humanize

import (
	"testing"
	"time"
)

// TestShortDuration holds how durations are shortened.
func TestShortDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		time.Microsecond:                "1ms",
		250 * time.Millisecond:          "250ms",
		1200 * time.Millisecond:         "1s",
		time.Minute:                     "1m00s",
		59*time.Minute + 59*time.Second: "59m59s",
		time.Hour:                       "1h00m",
		47*time.Hour + 59*time.Minute:   "47h59m",
		73 * time.Hour:                  "3d",
	} {
		if got := ShortDuration(d); got != want {
			t.Errorf("ShortDuration(%v) = %q, want %q", d, got, want)
		}
	}
}
