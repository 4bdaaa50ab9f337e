package crawler

import (
	"fmt"
	"slices"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// closedPattern is a pattern of URLs that was closed, as the journal has it. What
// happened on the way there is not kept: a crawl that goes on begins to count anew for
// the patterns that are open, which costs a trap trap-pages more each time.
type closedPattern struct {
	Host    frontier.Host `json:"host"`
	Pattern string        `json:"pattern"`
	Pages   int           `json:"pages"` // fetched until then
	Free    int           `json:"free"`  // trap-pages
	At      time.Time     `json:"at"`
}

// trapped leaves a URL alone whose pattern is closed.
func (c *Crawler) trapped(v *visit) (frontier.Outcome, bool, error) {
	if !v.prov.MayBeTrap() {
		return frontier.Outcome{}, false, nil
	}
	name, pages, closed := c.traps.closedFor(v.lease.Host, v.lease.URL)
	if !closed {
		return frontier.Outcome{}, false, nil
	}
	r := v.rejection(output.Trap, nil)
	r.Detail = fmt.Sprintf("%s: %d pages were fetched, the last of which had nothing new and led to ever more (trap-pages %d)", name, pages, c.cfg.TrapPages)
	return frontier.Outcome{Lease: v.lease.ID, Result: frontier.Drop}, true, c.reject(v, r)
}

// countPage counts a page for its pattern, which may close that. Links are what it leads
// to, and not in the frontier yet.
func (c *Crawler) countPage(v *visit, text []byte, links []frontier.Item) error {
	if !v.prov.MayBeTrap() || !c.traps.fetched(v.lease.Host, v.lease.URL) {
		return nil
	}
	leads, err := c.leadsOn(links)
	if err != nil {
		return err
	}
	name, pages, closes := c.traps.judge(v.lease.Host, v.lease.URL, text, leads)
	if !closes {
		return nil
	}
	c.log.Warn("URLs of a pattern are left alone", "host", v.lease.Host, "pattern", name, "pages", pages)
	c.notice(fmt.Sprintf("%s: after %d pages like %s, which had nothing new in the end and led to ever more, others that links lead to are left alone (trap-pages)",
		v.lease.Host, pages, name))
	_, err = c.out.journal.append(&entry{Trap: &closedPattern{
		Host: v.lease.Host, Pattern: name, Pages: pages, Free: c.cfg.TrapPages, At: time.Now(),
	}})
	return err
}

// maxLeads is how many URLs the frontier is asked about at once.
const maxLeads = 1000

// leadsOn tells whether there is a URL among links that nobody knew, of a pattern that
// has had its free pages: of any host, since a trap may go to and fro between the
// origins of a site, such as http and https.
func (c *Crawler) leadsOn(links []frontier.Item) (bool, error) {
	var more []string
	for _, item := range links {
		if c.traps.spent(item.Host, item.URL) {
			more = append(more, item.URL)
		}
	}
	for some := range slices.Chunk(more, maxLeads) {
		known, err := c.frontier.Known(c.books, some)
		if err != nil || slices.Contains(known, false) {
			return err == nil, err
		}
	}
	return false, nil
}

// closeAgain closes a pattern that an earlier process has closed, unless more is
// allowed now, or another round has begun.
func (c *Crawler) closeAgain(p *closedPattern) {
	if c.cfg.TrapPages > 0 && p.Free >= c.cfg.TrapPages && !p.At.Before(c.roundBegan) {
		c.traps.close(p.Host, p.Pattern, p.Pages)
	}
}
