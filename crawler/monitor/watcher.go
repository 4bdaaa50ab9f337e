package monitor

import (
	"cmp"
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

const (
	refreshEvery = time.Second
	hostTime     = 2 * time.Second // timeout for reading the hosts from the frontier
	maxRecent    = 50              // rows per list
	maxCounts    = 12              // entries per list of counts
)

// A watcher collects the state of a crawl and publishes it as events and metrics.
type watcher struct {
	token   string // the crawl's product token
	metrics *metrics
	events  *events
	wake    chan struct{} // triggers a refresh before the next tick; buffer of one

	refreshing sync.Mutex // held while events are published

	mu      sync.Mutex // guards all below
	crawl   Crawl      // nil if not started, or closed
	viewers int
	status  *crawler.Status // the latest one; nil if none yet
	ended   *crawler.Summary
	rate    rate
	health  health

	hosts      hosts
	pages      recent[pageRow]
	rejections recent[rejectionRow]
	errors     recent[errorRow]
	total      struct{ pages, rejections, errors int } // number of rows so far
}

func newWatcher(userAgent string) *watcher {
	token, err := robotstxt.ProductToken(cmp.Or(userAgent, crawler.DefaultUserAgent))
	if err != nil {
		token = "*" // a crawl would not start
	}
	w := &watcher{
		token: token, metrics: newMetrics(), events: newEvents(),
		wake:       make(chan struct{}, 1),
		hosts:      hosts{known: make(map[string]*host)},
		pages:      recent[pageRow]{most: maxRecent},
		rejections: recent[rejectionRow]{most: maxRecent},
		errors:     recent[errorRow]{most: maxRecent},
	}
	w.metrics.registry.MustRegister(&gauges{w})
	return w
}

// Write implements output.Sink.
func (w *watcher) Write(f *output.Results) error {
	w.metrics.found(f)
	now := time.Now()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.health.progressAt = now
	for _, r := range f.Robots {
		h := w.hosts.touch(r.Origin)
		h.robots, h.loaded = robotsRowOf(r, w.token), true
		switch {
		case isRefused(r):
			w.addError(r.FetchedAt, r.URL, "robots.txt is at a blocked address"+because(0, robotsError(r)))
		case r.Outcome == unreachable:
			w.addError(r.FetchedAt, r.URL, "robots.txt cannot be reached"+because(r.Status, robotsError(r)))
		}
	}
	for _, p := range f.Pages {
		w.total.pages++
		w.pages.add(pageRowOf(p, w.total.pages))
		if origin := weburl.OriginOf(p.URL); origin != "" {
			h := w.hosts.touch(string(origin))
			h.status, h.at = p.Status, p.FetchedAt
		}
		if p.Status >= 400 {
			w.addError(p.FetchedAt, p.URL, "error"+because(p.Status, ""))
		}
	}
	for _, r := range rejections(f) {
		w.total.rejections++
		w.rejections.add(rejectionRowOf(r, w.total.rejections, now))
		if r.Reason == output.Failed || r.Reason == output.InvalidURL {
			w.addError(now, r.URL, string(r.Reason)+because(0, r.Detail))
		}
	}
	return nil
}

// addError adds a row. w.mu is held.
func (w *watcher) addError(at time.Time, url, message string) {
	w.total.errors++
	w.errors.add(errorRow{Number: w.total.errors, At: at, URL: addressOf(url), Message: message})
}

// Commit implements output.Sink. A watcher has no state to resume from.
func (w *watcher) Commit(bool) ([]byte, error) { return nil, nil }

// Close implements output.Sink. The crawl can still be read, so this publishes its final
// state. The server outlives the sink.
func (w *watcher) Close() error {
	w.refreshing.Lock()
	defer w.refreshing.Unlock()
	w.mu.Lock()
	c := w.crawl
	w.mu.Unlock()
	if c == nil {
		return nil
	}
	w.poll(c, false)
	w.publish() // also for later viewers
	w.mu.Lock()
	w.crawl = nil
	w.mu.Unlock()
	return nil
}

// begin sets the crawl to watch.
func (w *watcher) begin(c Crawl) {
	w.mu.Lock()
	w.crawl = c
	w.health.responseAt = time.Now()
	w.health.progressAt = w.health.responseAt
	w.mu.Unlock()
	w.refreshSoon()
}

// refreshSoon triggers a refresh now.
func (w *watcher) refreshSoon() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// run refreshes the events until done is closed.
func (w *watcher) run(done <-chan struct{}) {
	tick := time.NewTicker(refreshEvery)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case <-w.wake:
			w.refresh(false)
		case <-tick.C:
			w.refresh(true)
		}
	}
}

// refresh polls the crawl and publishes the events if there are viewers. Each full second
// adds a bar to the chart.
func (w *watcher) refresh(fullSecond bool) {
	w.refreshing.Lock()
	defer w.refreshing.Unlock()
	w.mu.Lock()
	c, over := w.crawl, w.ended != nil
	w.mu.Unlock()
	if over {
		return
	}
	if c != nil {
		w.poll(c, fullSecond)
	}
	w.mu.Lock()
	viewers := w.viewers
	w.mu.Unlock()
	if viewers > 0 {
		w.publish()
	}
}

// poll reads the status of the crawl.
func (w *watcher) poll(c Crawl, fullSecond bool) {
	status, err := c.Status()
	if err != nil {
		return
	}
	now := time.Now()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.status = status
	w.rate.add(now, status.Pages, fullSecond)
	w.health.update(status, now)
}

// publish writes what viewers are to see. w.refreshing is held.
func (w *watcher) publish() {
	w.mu.Lock()
	c, list, now := w.crawl, w.hosts.byActivity(), time.Now()
	fresh := w.parts(now)
	w.mu.Unlock()

	if c != nil {
		ctx, cancel := context.WithTimeout(context.Background(), hostTime)
		defer cancel()
		rows, records := hostRows(ctx, c, list, now)
		fresh[partHosts] = rows
		w.restoreRobots(records)
	}
	fresh[partRobots] = robotsRows(list)
	w.events.put(encode(fresh))
}

// parts returns copies of the events that need the lock, so that they are encoded without
// it. w.mu is held.
func (w *watcher) parts(now time.Time) (fresh [parts]any) {
	fresh[partStatus] = w.overview(now)
	fresh[partPages] = w.pages.list()
	fresh[partRejections] = w.rejections.list()
	fresh[partErrors] = w.errors.list()
	return fresh
}

// restoreRobots loads robots.txt files of an earlier process from the frontier.
func (w *watcher) restoreRobots(records map[string]frontier.HostRecord) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for origin, rec := range records {
		if h := w.hosts.known[origin]; h != nil && !h.loaded {
			h.robots, h.loaded = storedRobots(rec, origin, w.token), true
		}
	}
}

// robotsRows returns the robots.txt files of hosts, at most maxRecent.
func robotsRows(list []host) []*robotsRow {
	rows := []*robotsRow{}
	for _, h := range list {
		if h.robots != nil && len(rows) < maxRecent {
			rows = append(rows, h.robots)
		}
	}
	return rows
}

// end takes the summary of the crawl and publishes the last events. A nil summary means that
// the crawl did not start or its result is unknown.
func (w *watcher) end(sum *crawler.Summary) {
	w.refreshing.Lock()
	defer w.refreshing.Unlock()
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
	stats.InFlight = 0
	w.status = &crawler.Status{Summary: *sum, Frontier: stats}
	last := w.parts(time.Now())
	w.mu.Unlock()

	last[partEnded] = struct{}{} // the status says how
	w.events.put(encode(last))
}

// encode encodes parts as JSON; nil stays nil. Texts, numbers and times always encode.
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
