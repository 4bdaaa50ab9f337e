package crawler

import (
	"fmt"
	"slices"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/provenance"
	"github.com/politecrawl/politecrawl/crawler/internal/trap"
)

// countPage counts a page or a redirect for its pattern. It returns the pattern if the page
// closes it. Links are those of the page; they are not in the frontier yet.
func (w *worker) countPage(v *visit, page *reading, links []frontier.Item) (*trap.ClosedPattern, error) {
	c := w.c
	switch {
	case !v.prov.MayBeTrap():
		return nil, nil
	case page.Location != "":
		c.discovery.traps.Redirected(v.lease.Host, v.lease.URL)
		return nil, nil
	case page.text == nil || !c.discovery.traps.Fetched(v.lease.Host, v.lease.URL):
		return nil, nil
	}
	leads, err := w.leadsToNew(links)
	if err != nil {
		return nil, err
	}
	closed := c.discovery.traps.Judge(v.lease.Host, v.lease.URL, page.text, leads)
	if closed == nil {
		return nil, nil
	}
	c.log.Warn("spider trap detected", "host", closed.Host, "pattern", closed.Pattern, "pages", closed.Pages)
	c.notice(fmt.Sprintf("%s: after %d pages like %s, which show nothing new and lead to ever more, further ones are skipped (trap-pages)",
		closed.Host, closed.Pages, closed.Pattern))
	return closed, nil
}

// maxLeads is how many URLs one query to the frontier may have.
const maxLeads = 1000

// leadsToNew reports whether links has an unknown URL of a pattern that has used its
// trap-pages. The URL may be on any host, since a trap may alternate between the origins of
// a site.
func (w *worker) leadsToNew(links []frontier.Item) (bool, error) {
	c := w.c
	var more []frontier.Key
	for _, item := range links {
		if !provenance.IsCheck(item.Kind) && c.discovery.traps.Exhausted(item.Host, item.URL) {
			more = append(more, item.Key())
		}
	}
	for some := range slices.Chunk(more, maxLeads) {
		known, err := c.frontier.Known(c.lifecycle.CommitCtx, some)
		if err != nil || slices.Contains(known, false) {
			return err == nil, err
		}
	}
	return false, nil
}

// restoreTrap closes a pattern that an earlier process closed, unless trap-pages was raised
// or a recrawl has started.
func (c *Crawler) restoreTrap(p *trap.ClosedPattern) {
	if c.cfg.Limits.TrapPages > 0 && p.Free >= c.cfg.Limits.TrapPages && !p.At.Before(c.state.StartedAt) {
		c.discovery.traps.Close(p)
	}
}
