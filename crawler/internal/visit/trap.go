package visit

import (
	"slices"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/provenance"
	"github.com/politecrawl/politecrawl/crawler/internal/trap"
)

// judgeTrap counts a page or a redirect for its pattern. It returns the pattern if the page closes
// it. Links are the links of the page, which are not in the frontier yet.
func (v *Visitor) judgeTrap(it *item, page *reading, links []frontier.Item) (*trap.ClosedPattern, error) {
	switch {
	case !it.prov.MayBeTrap():
		return nil, nil
	case page.Location != "":
		v.Traps.Redirected(it.lease.Host, it.lease.URL)
		return nil, nil
	case page.text == nil || !v.Traps.Fetched(it.lease.Host, it.lease.URL):
		return nil, nil
	}
	leads, err := v.leadsToNew(links)
	if err != nil {
		return nil, err
	}
	closed := v.Traps.Judge(it.lease.Host, it.lease.URL, page.text, leads)
	if closed == nil {
		return nil, nil
	}
	v.Lifecycle.Notice("spider trap detected", closed.Notice(), "host", closed.Host, "pattern", closed.Pattern, "pages", closed.Pages)
	return closed, nil
}

// maxLeads is how many URLs one query to the frontier may have.
const maxLeads = 1000

// leadsToNew reports whether links has an unknown URL of a pattern that has used its
// trap-pages. The URL may be on any host, since a trap may alternate between the origins of
// a site.
func (v *Visitor) leadsToNew(links []frontier.Item) (bool, error) {
	var more []frontier.Key
	for _, item := range links {
		if !provenance.IsCheck(item.Kind) && v.Traps.Exhausted(item.Host, item.URL) {
			more = append(more, item.Key())
		}
	}
	for some := range slices.Chunk(more, maxLeads) {
		known, err := v.Frontier.Known(v.Lifecycle.CommitCtx, some)
		if err != nil || slices.Contains(known, false) {
			return err == nil, err
		}
	}
	return false, nil
}
