package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/robotsext"
)

// enough ends the watch after a number of lines.
type enough struct {
	bytes.Buffer
	lines int
	end   context.CancelFunc
}

func (e *enough) Write(p []byte) (int, error) {
	if e.lines--; e.lines == 0 {
		e.end()
	}
	return e.Buffer.Write(p)
}

func TestWatch(t *testing.T) {
	site := newSite()
	defer site.Close()
	ctx, end := context.WithTimeout(t.Context(), 30*time.Second)
	defer end()
	out := &enough{lines: 4, end: end}
	opts := &robotsext.Options{Cache: robotsext.CacheOptions{MinAge: -1, MaxAge: 10 * time.Millisecond}, Outage: robotsext.OutageOptions{RetryMin: 10 * time.Millisecond}}
	if err := watch(ctx, site.URL, opts, out); err != nil {
		t.Fatal(err)
	}
	want := []string{ // no change by the second file, which has the same meaning
		"for [*]: /private allowed: false, before: true",
		"SITE: allow-all, before: rules",
		"for [*]: /private allowed: true, before: false",
		"SITE: unreachable, before: allow-all",
	}
	got := strings.Split(strings.TrimSpace(strings.ReplaceAll(out.String(), site.URL, "SITE")), "\n")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
