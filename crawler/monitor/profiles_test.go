package monitor

import (
	"testing"
	"time"
)

// A profile is limited in time, whatever the request says.
func TestProfileTime(t *testing.T) {
	const usual = 30 * time.Second
	for seconds, want := range map[string]time.Duration{
		"": usual, "x": usual, "0": usual, "-1": usual, "NaN": usual, "-Inf": usual,
		"0.5": 500 * time.Millisecond, "60": time.Minute, "301": maxProfile, "1e12": maxProfile, "1e300": maxProfile, "Inf": maxProfile,
	} {
		if got := profileTime(seconds, usual); got != want {
			t.Errorf("%q: %v, want %v", seconds, got, want)
		}
	}
}
