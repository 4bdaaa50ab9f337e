// Package progress shows the progress of a crawl on standard error.
package progress

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/frontier"
)

const (
	// viewEvery is how often the view is redrawn on a terminal, and linesEvery how often
	// a line is written elsewhere.
	viewEvery  = time.Second
	linesEvery = 30 * time.Second

	// rateOver is the time over which the rate of pages is taken.
	rateOver = 30 * time.Second
)

// A View shows the progress of a crawl on standard error. On a terminal it redraws a few
// lines at the bottom; elsewhere it writes a line periodically. Text that is written to it
// appears above these lines. It is safe for concurrent use.
type View struct {
	out      io.Writer
	terminal *os.File // out, if it is one
	paint    cli.Painter
	crawl    Crawl
	known    *HostList
	limit    int
	passed   []sample // of Begin, and then of the goroutine of Repeat
	stop     chan struct{}
	stopped  sync.WaitGroup

	mu   sync.Mutex // guards view, and the order of writes
	view []string   // as shown on the terminal
}

// A Crawl is what a View shows: a [crawler.Crawler].
type Crawl interface {
	Status() (*crawler.Status, error)
	Host(ctx context.Context, host frontier.Host) (frontier.HostRecord, error)
}

// A sample is the number of pages at a time.
type sample struct {
	at    time.Time
	pages int
}

// New returns a view that writes to out.
func New(out io.Writer) *View {
	p := &View{out: out, paint: cli.PainterFor(out)}
	if file, ok := out.(*os.File); ok && cli.IsTerminal(out) && os.Getenv("TERM") != "dumb" {
		p.terminal = file
	}
	return p
}

// Begin shows the crawl until End. known lists its hosts, and limit is its limit of pages
// (0 if none).
func (p *View) Begin(crawl Crawl, known *HostList, limit int) {
	p.crawl, p.known, p.limit = crawl, known, limit
	if s, err := crawl.Status(); err == nil { // a resumed crawl has pages already
		p.rate(sample{time.Now(), s.Pages})
	}
	p.Repeat(p.show)
}

// Repeat calls show periodically until End.
func (p *View) Repeat(show func()) {
	p.stop = make(chan struct{})
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
				show()
			case <-p.stop:
				return
			}
		}
	})
}

// End removes the view.
func (p *View) End() {
	if p.stop == nil {
		return // it never began
	}
	close(p.stop)
	p.stopped.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.draw("", nil)
}

// Write implements io.Writer. It expects whole lines.
func (p *View) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.view == nil {
		return p.out.Write(b)
	}
	p.draw(string(b), p.view)
	return len(b), nil
}

func (p *View) show() {
	s, err := p.crawl.Status()
	if err != nil {
		return // the crawl is ending, and will say so
	}
	now := time.Now()
	hosts := p.known.look(func(host frontier.Host) (frontier.HostRecord, error) {
		return p.crawl.Host(context.Background(), host)
	}, s.Waiting, now)
	r := &reading{Status: s, hosts: hosts, now: now, rate: p.rate(sample{now, s.Pages}), limit: p.limit}
	p.ShowLines(r.lines())
}

// ShowLines shows lines as the view on a terminal, and as one line elsewhere.
func (p *View) ShowLines(lines []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.terminal == nil {
		_, _ = io.WriteString(p.out, strings.Join(lines, "; ")+"\n")
		return
	}
	width, _, err := term.GetSize(int(p.terminal.Fd()))
	for i, line := range lines {
		if err == nil && width >= 20 { // a line that wraps would be two
			line = cli.Clip(line, width-1)
		}
		lines[i] = p.paint(lineColour(line), line)
	}
	p.draw("", lines)
}

// rate returns the recent number of pages per second.
func (p *View) rate(now sample) float64 {
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
func (p *View) draw(text string, view []string) {
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
