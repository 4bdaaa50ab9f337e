package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/politecrawl/politecrawl/crawler"
)

const (
	// viewEvery is how often the view on a terminal is drawn anew, linesEvery
	// how often a line is written where there is none.
	viewEvery  = time.Second
	linesEvery = 30 * time.Second

	// rateOver is the time over which the rate of pages is taken.
	rateOver = 30 * time.Second
)

// A progress shows how a crawl is getting on, on standard error: on a terminal as
// a few lines at the bottom, which are drawn anew, and elsewhere as a line now and
// then. What is written to it meanwhile stands above. It is safe for concurrent
// use.
type progress struct {
	out      io.Writer
	terminal *os.File // out, if it is one
	status   func() (*crawler.Status, error)
	stop     chan struct{}
	stopped  sync.WaitGroup

	mu     sync.Mutex // guards all below, and the order of writes
	view   []string   // as it stands on the terminal
	passed []sample
}

// A sample is how many pages there were at a time.
type sample struct {
	at    time.Time
	pages int
}

func newProgress(out io.Writer) *progress {
	p := &progress{out: out}
	if file, ok := out.(*os.File); ok && term.IsTerminal(int(file.Fd())) && os.Getenv("TERM") != "dumb" {
		p.terminal = file
	}
	return p
}

// begin shows status from now on, until end.
func (p *progress) begin(status func() (*crawler.Status, error)) {
	p.status, p.stop = status, make(chan struct{})
	every := linesEvery
	if p.terminal != nil {
		every = viewEvery
	}
	p.stopped.Go(func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				p.show()
			case <-p.stop:
				return
			}
		}
	})
}

// end takes the view away.
func (p *progress) end() {
	if p.stop == nil {
		return // it never began
	}
	close(p.stop)
	p.stopped.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.draw("", nil)
}

// Write implements io.Writer. What is written has to be whole lines.
func (p *progress) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.view == nil {
		return p.out.Write(b)
	}
	p.draw(string(b), p.view)
	return len(b), nil
}

func (p *progress) show() {
	s, err := p.status()
	if err != nil {
		return // the crawl is ending, and will say so
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	rate := p.rate(sample{time.Now(), s.Pages})
	if p.terminal == nil {
		_, _ = io.WriteString(p.out, strings.Join(progressLines(s, rate), "; ")+"\n")
		return
	}
	p.draw("", p.fit(progressLines(s, rate)))
}

// rate is the number of pages a second of late.
func (p *progress) rate(now sample) float64 {
	p.passed = append(p.passed, now)
	for len(p.passed) > 2 && now.at.Sub(p.passed[1].at) >= rateOver {
		p.passed = p.passed[1:]
	}
	first := p.passed[0]
	if took := now.at.Sub(first.at).Seconds(); took > 0 {
		return float64(now.pages-first.pages) / took
	}
	return 0
}

// draw writes text in place of the view, and the new view below it.
func (p *progress) draw(text string, view []string) {
	var b strings.Builder
	if n := len(p.view); n > 0 {
		fmt.Fprintf(&b, "\x1b[%dA\x1b[J", n) // up, and clear to the end
	}
	b.WriteString(text)
	for _, line := range view {
		b.WriteString(line + "\n")
	}
	p.view = view
	if b.Len() > 0 {
		_, _ = io.WriteString(p.out, b.String())
	}
}

// fit cuts lines to the width of the terminal: one that wraps would be two.
func (p *progress) fit(lines []string) []string {
	width, _, err := term.GetSize(int(p.terminal.Fd()))
	if err != nil || width < 20 {
		return lines
	}
	for i, line := range lines {
		if r := []rune(line); len(r) >= width {
			lines[i] = string(r[:width-2]) + "…"
		}
	}
	return lines
}

// progressLines is how a crawl is getting on, for a person.
func progressLines(s *crawler.Status, rate float64) []string {
	pages := fmt.Sprintf("pages: %d, %.1f/s, of %s known", s.Pages, rate, number(s.Frontier.Added, "URL"))
	if left := float64(s.Left); left > 0 && rate > 0 {
		pages += ", " + longTime(time.Duration(left/rate*float64(time.Second))) + " to go at this rate"
	}
	hosts := fmt.Sprintf("hosts: %d, %d in flight", s.Hosts, s.Frontier.Leased)
	if n := len(s.Waiting); n > 0 {
		hosts += fmt.Sprintf(", %d without a robots.txt for now", n)
	}
	if wait := time.Until(s.NextDue); s.Frontier.Leased == 0 && wait > time.Second {
		hosts += ", the next is due in " + longTime(wait)
	}
	lines := []string{pages, hosts}
	if rejected := total(s.Rejected); rejected > 0 {
		lines = append(lines, fmt.Sprintf("rejected: %d%s", rejected, counts(s.Rejected, "")))
	}
	if bad := failures(s.Statuses); len(bad) > 0 {
		lines = append(lines, fmt.Sprintf("errors: %d%s", total(bad), counts(bad, "status ")))
	}
	return lines
}

// failures are the statuses that say that something is wrong.
func failures(statuses map[int]int) map[int]int {
	bad := maps.Clone(statuses)
	maps.DeleteFunc(bad, func(status, _ int) bool { return status < 400 })
	return bad
}

func total[K comparable](numbers map[K]int) int {
	sum := 0
	for _, n := range slices.Collect(maps.Values(numbers)) {
		sum += n
	}
	return sum
}

// longTime writes a time that need not be exact.
func longTime(d time.Duration) string {
	switch {
	case d < time.Minute:
		return d.Round(time.Second).String()
	case d < 48*time.Hour:
		return strings.TrimSuffix(d.Round(time.Minute).String(), "0s")
	}
	return fmt.Sprintf("%d days", d.Round(24*time.Hour)/(24*time.Hour))
}
