package monitor

import (
	"cmp"
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/escape"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

const (
	lookEvery = time.Second
	hostTime  = 2 * time.Second // for asking after the hosts to be shown
	maxRecent = 50              // rows of a list
	maxCounts = 12              // numbers of a kind
)

// A watch gathers what there is to know of a crawl, and writes it on the board.
type watch struct {
	token   string // the crawl's product token
	stuck   time.Duration
	metrics *metrics
	board   *board
	wake    chan struct{} // asks for a look before the next is due; holds one

	looking sync.Mutex // held while the board is written

	mu      sync.Mutex // guards all below
	crawl   Crawl      // nil: it has not begun, or cannot be asked any more
	viewers int
	status  *crawler.Status // as it was last seen; nil: never
	ended   *crawler.Summary
	pace    pace
	health  health

	hosts      hosts
	pages      recent[pageRow]
	rejections recent[rejectionRow]
	faults     recent[faultRow]
	numbers    struct{ pages, rejections, faults int } // of rows so far
}

func newWatch(userAgent string, stuck time.Duration) *watch {
	token, err := robotstxt.ProductToken(cmp.Or(userAgent, crawler.DefaultUserAgent))
	if err != nil {
		token = "*" // a crawl would not begin
	}
	w := &watch{
		token: token, stuck: cmp.Or(stuck, defaultStuck), metrics: newMetrics(), board: newBoard(),
		wake:       make(chan struct{}, 1),
		hosts:      hosts{known: make(map[string]*host)},
		pages:      recent[pageRow]{most: maxRecent},
		rejections: recent[rejectionRow]{most: maxRecent},
		faults:     recent[faultRow]{most: maxRecent},
	}
	w.metrics.registry.MustRegister(&gauges{w})
	return w
}

// Write implements output.Sink.
func (w *watch) Write(f *output.Found) error {
	w.metrics.found(f)
	now := time.Now()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.health.moved = now
	for _, r := range f.Robots {
		h := w.hosts.hear(r.Origin)
		h.robots, h.asked = robotsRowOf(r, w.token), true
		switch {
		case isRefused(r):
			w.fault(r.FetchedAt, r.URL, "robots.txt is not to be read from there"+because(0, robotsError(r)))
		case r.Outcome == unreachable:
			w.fault(r.FetchedAt, r.URL, "robots.txt cannot be reached"+because(r.Status, robotsError(r)))
		}
	}
	for _, p := range f.Pages {
		w.numbers.pages++
		w.pages.add(pageRowOf(p, w.numbers.pages))
		if origin := weburl.OriginOf(p.URL); origin != "" {
			h := w.hosts.hear(string(origin))
			h.status, h.at = p.Status, p.FetchedAt
		}
		if p.Status >= 400 {
			w.fault(p.FetchedAt, p.URL, "answered"+because(p.Status, ""))
		}
	}
	for _, r := range rejections(f) {
		w.numbers.rejections++
		w.rejections.add(rejectionRowOf(r, w.numbers.rejections, now))
		if r.Reason == output.Failed || r.Reason == output.InvalidURL {
			w.fault(now, r.URL, string(r.Reason)+because(0, r.Detail))
		}
	}
	for _, r := range f.Withdrawn {
		w.rejections.remove(func(row rejectionRow) bool {
			return row.URL == addressOf(r.URL) && row.Reason == escape.Text(string(r.Reason))
		})
	}
	return nil
}

// fault adds a row. w.mu is held.
func (w *watch) fault(at time.Time, url, what string) {
	w.numbers.faults++
	w.faults.add(faultRow{Number: w.numbers.faults, At: at, URL: addressOf(url), What: what})
}

// Commit implements output.Sink. There is nothing to go on with.
func (w *watch) Commit(bool) ([]byte, error) { return nil, nil }

// Close implements output.Sink. Nothing changes any more and the crawl can still be asked:
// what it says now is the last that viewers see of it. The server outlives the sink.
func (w *watch) Close() error {
	w.looking.Lock()
	defer w.looking.Unlock()
	w.mu.Lock()
	c := w.crawl
	w.mu.Unlock()
	if c == nil {
		return nil
	}
	w.ask(c, false)
	w.publish() // for who comes later too
	w.mu.Lock()
	w.crawl = nil
	w.mu.Unlock()
	return nil
}

// begin takes the crawl to be watched.
func (w *watch) begin(c Crawl) {
	w.mu.Lock()
	w.crawl = c
	w.health.answered = time.Now()
	w.health.moved = w.health.answered
	w.mu.Unlock()
	w.soon()
}

// soon asks for a look now.
func (w *watch) soon() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// run looks at the crawl until done is closed.
func (w *watch) run(done <-chan struct{}) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case <-w.wake:
			w.look(false)
		case <-tick.C:
			w.look(true)
		}
	}
}

// look asks the crawl how it is getting on, and writes what viewers are to see. Full
// seconds have a bar of the chart each.
func (w *watch) look(fullSecond bool) {
	w.looking.Lock()
	defer w.looking.Unlock()
	w.mu.Lock()
	c, over := w.crawl, w.ended != nil
	w.mu.Unlock()
	if over {
		return
	}
	if c != nil {
		w.ask(c, fullSecond)
	}
	w.mu.Lock()
	viewers := w.viewers
	w.mu.Unlock()
	if viewers > 0 {
		w.publish()
	}
}

// ask asks the crawl how it is getting on.
func (w *watch) ask(c Crawl, fullSecond bool) {
	status, err := c.Status()
	if err != nil {
		return
	}
	now := time.Now()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.status = status
	w.pace.pass(now, status.Pages, fullSecond)
	w.health.see(status, now)
}

// publish writes what viewers are to see. w.looking is held.
func (w *watch) publish() {
	w.mu.Lock()
	c, list, now := w.crawl, w.hosts.last(), time.Now()
	fresh := w.parts(now)
	w.mu.Unlock()

	if c != nil {
		ctx, cancel := context.WithTimeout(context.Background(), hostTime)
		defer cancel()
		rows, records := hostRows(ctx, c, list, now)
		fresh[partHosts] = rows
		w.recall(records)
	}
	fresh[partRobots] = robotsRows(list)
	w.board.put(encode(fresh))
}

// parts returns a copy of what viewers see of the crawl itself, to be encoded without the
// lock. w.mu is held.
func (w *watch) parts(now time.Time) (fresh [parts]any) {
	fresh[partNow] = w.overview(now)
	fresh[partPages] = w.pages.list()
	fresh[partRejections] = w.rejections.list()
	fresh[partFaults] = w.faults.list()
	return fresh
}

// recall takes the robots.txt files of an earlier process from what the frontier
// knows of hosts.
func (w *watch) recall(records map[string]frontier.HostRecord) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for origin, rec := range records {
		if h := w.hosts.known[origin]; h != nil && !h.asked {
			h.robots, h.asked = storedRobots(rec, origin, w.token), true
		}
	}
}

// robotsRows returns the robots.txt files of hosts, as many as are shown.
func robotsRows(list []host) []*robotsRow {
	rows := []*robotsRow{}
	for _, h := range list {
		if h.robots != nil && len(rows) < maxRecent {
			rows = append(rows, h.robots)
		}
	}
	return rows
}

// end takes the summary of the crawl; nil: it did not begin, or is not known. The last
// that viewers see is written, and nothing after it.
func (w *watch) end(sum *crawler.Summary) {
	w.looking.Lock()
	defer w.looking.Unlock()
	w.mu.Lock()
	if w.ended != nil {
		w.mu.Unlock()
		return
	}
	if sum == nil {
		sum = &crawler.Summary{}
		if w.status != nil {
			sum = &w.status.Summary
		}
	}
	w.ended = sum
	if w.status == nil {
		w.status = &crawler.Status{}
	}
	stats := w.status.Frontier
	stats.Leased = 0
	w.status = &crawler.Status{Summary: *sum, Frontier: stats}
	last := w.parts(time.Now())
	w.mu.Unlock()

	last[partEnded] = ending{End: string(sum.End), Pages: sum.Pages, Left: sum.Left}
	w.board.put(encode(last))
}

// encode writes parts as JSON; nil stays nil. They are made of texts, numbers and times, so
// they can be written.
func encode(fresh [parts]any) (data [parts][]byte) {
	for i, part := range fresh {
		if part == nil {
			continue
		}
		var err error
		if data[i], err = json.Marshal(part); err != nil {
			panic(err)
		}
	}
	return data
}
