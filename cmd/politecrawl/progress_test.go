package main

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// TestProgressLines holds what is said where there is no terminal, and how often.
func TestProgressLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var said lockedBuffer
		p := newProgress(&said)
		pages := 0
		p.begin(func() (*crawler.Status, error) {
			pages += 60
			switch pages {
			case 180:
				return nil, errors.New("the frontier is closed")
			case 240:
				s := &crawler.Status{Summary: crawler.Summary{Pages: pages, Hosts: 1, Statuses: map[int]int{200: 200, 404: 30, 500: 10}, Waiting: []string{"http://a"}}}
				s.Left, s.NextDue, s.Frontier = 7, time.Now().Add(90*time.Minute), frontier.Stats{Counts: frontier.Counts{Added: 247}}
				return s, nil
			}
			s := &crawler.Status{Summary: crawler.Summary{Pages: pages, Hosts: 2, Rejected: map[output.Reason]int{output.Disallowed: 3, output.Nofollow: 1}}}
			s.Left, s.Frontier = 7260, frontier.Stats{Counts: frontier.Counts{Added: 9000, Leased: 2}}
			return s, nil
		})
		time.Sleep(4*linesEvery + time.Second)
		p.end()
		time.Sleep(time.Hour)
		want := []string{
			"pages: 60, 0.0/s, of 9000 URLs known; hosts: 2, 2 in flight; rejected: 4 (disallowed: 3, nofollow: 1)",
			"pages: 120, 2.0/s, of 9000 URLs known, 1h1m to go at this rate; hosts: 2, 2 in flight; rejected: 4 (disallowed: 3, nofollow: 1)",
			"pages: 240, 2.0/s, of 247 URLs known, 4s to go at this rate; hosts: 1, 0 in flight, 1 without a robots.txt for now, the next is due in 1h30m; errors: 40 (status 404: 30, 500: 10)",
			"",
		}
		if diff := cmp.Diff(want, strings.Split(said.String(), "\n")); diff != "" {
			t.Error(diff)
		}
	})
}

// TestProgressView holds that what is said stands above the view, and that the view
// is gone at the end.
func TestProgressView(t *testing.T) {
	var said lockedBuffer
	p := &progress{out: &said, stop: make(chan struct{})}
	p.draw("", []string{"one", "two"})
	_, _ = p.Write([]byte("note\n"))
	p.draw("", []string{"three"})
	p.end()
	_, _ = p.Write([]byte("after\n"))
	if want := "one\ntwo\n\x1b[2A\x1b[Jnote\none\ntwo\n\x1b[2A\x1b[Jthree\n\x1b[1A\x1b[Jafter\n"; said.String() != want {
		t.Errorf("got %q, want %q", said.String(), want)
	}
}
