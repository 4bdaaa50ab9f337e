// Package humanize formats numbers and times for people.
package humanize

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Count formats a number of things: "1 page", "2 pages".
func Count(n int, thing string) string {
	switch {
	case n == 1:
		return "1 " + thing
	case strings.HasSuffix(thing, "y"):
		return fmt.Sprintf("%d %sies", n, strings.TrimSuffix(thing, "y"))
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// Counts lists numbers by kind in parentheses, the largest first. It returns an empty
// string if there are none.
func Counts[K cmp.Ordered](numbers map[K]int, kind string) string {
	if len(numbers) == 0 {
		return ""
	}
	keys := slices.SortedFunc(maps.Keys(numbers), func(a, b K) int {
		return cmp.Or(numbers[b]-numbers[a], cmp.Compare(a, b))
	})
	parts := make([]string, len(keys))
	for i, k := range keys {
		parts[i] = fmt.Sprintf("%v: %d", k, numbers[k])
	}
	return " (" + kind + strings.Join(parts, ", ") + ")"
}

// List lists the first words, and the number of the others.
func List(words []string, most int) string {
	if more := len(words) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(words[:most], ", "), more)
	}
	return strings.Join(words, ", ")
}

// Sum adds the numbers that Counts lists.
func Sum[K comparable](numbers map[K]int) int {
	sum := 0
	for _, n := range numbers {
		sum += n
	}
	return sum
}

// Time formats a point in time in the local time zone.
func Time(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05 -07:00") }

// Duration formats an approximate duration.
func Duration(d time.Duration) string {
	switch {
	case d < time.Minute:
		return d.Round(time.Second).String()
	case d < 48*time.Hour:
		return strings.TrimSuffix(d.Round(time.Minute).String(), "0s")
	}
	return fmt.Sprintf("%d days", d.Round(24*time.Hour)/(24*time.Hour))
}

// ShortDuration formats a duration in its two largest units.
func ShortDuration(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d < time.Second:
		return max(d.Round(time.Millisecond), time.Millisecond).String()
	case d < time.Minute:
		return d.Round(time.Second).String()
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", d/time.Minute, d%time.Minute/time.Second)
	case d < 2*day:
		return fmt.Sprintf("%dh%02dm", d/time.Hour, d%time.Hour/time.Minute)
	}
	return fmt.Sprintf("%dd", d/day)
}

// Delay formats a delay in milliseconds; 0 is "none".
func Delay(ms int64) string {
	if ms == 0 {
		return "none"
	}
	return (time.Duration(ms) * time.Millisecond).String()
}
