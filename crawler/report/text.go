package report

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/escape"
)

// quantity writes n things.
func quantity(n int, thing string) string {
	switch {
	case n == 1:
		return "1 " + thing
	case strings.HasSuffix(thing, "y"):
		return thousands(n) + " " + strings.TrimSuffix(thing, "y") + "ies"
	}
	return thousands(n) + " " + thing + "s"
}

// noun returns the form of a noun for n.
func noun(n int, thing string) string {
	_, word, _ := strings.Cut(quantity(n, thing), " ")
	return word
}

// subject writes n things as the subject of a sentence, with the verb in its two forms.
func subject(n int, thing, one, many string) string {
	if n == 1 {
		return quantity(n, thing) + " " + one
	}
	return quantity(n, thing) + " " + many
}

// thousands separates the digits of a number by commas.
func thousands[T int | int64](n T) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// brief shortens a part of a sentence.
func brief(text string) string { return shorten(text, 80) }

// shorten cuts a text after a number of bytes.
func shorten(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return escape.Clip(text, most) + "…"
}

// size writes a number of bytes.
func size[T int | int64](bytes T) string {
	n := float64(bytes)
	for _, unit := range []string{"B", "kB", "MB", "GB"} {
		if n < 1000 {
			digits := 1
			if unit == "B" || n >= 100 {
				digits = 0
			}
			return strconv.FormatFloat(n, 'f', digits, 64) + " " + unit
		}
		n /= 1000
	}
	return fmt.Sprintf("%.1f TB", n)
}

func millis(ms int64) string {
	if ms < 1000 {
		return fmt.Sprintf("%d ms", ms)
	}
	return fmt.Sprintf("%.1f s", float64(ms)/1000)
}

// duration writes milliseconds in their two largest units.
func duration(ms int64) string {
	d := time.Duration(ms) * time.Millisecond
	switch {
	case d < time.Minute:
		return millis(ms)
	case d < time.Hour:
		return fmt.Sprintf("%d min %02d s", d/time.Minute, d%time.Minute/time.Second)
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h %02d min", d/time.Hour, d%time.Hour/time.Minute)
	}
	return fmt.Sprintf("%d days %d h", d/(24*time.Hour), d%(24*time.Hour)/time.Hour)
}

// moment writes a time in UTC, as the files of the crawl do: a reader may be elsewhere.
func moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04:05") + " UTC"
}

// date writes a time, and midnight as the day that was probably meant.
func date(t time.Time) string {
	if utc := t.UTC(); !t.IsZero() && utc.Equal(utc.Truncate(24*time.Hour)) {
		return utc.Format(time.DateOnly)
	}
	return moment(t)
}

func clockTime(t time.Time) string { return t.UTC().Format(time.TimeOnly) }
