package crawler

import (
	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/provenance"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// cleaned returns a URL that was found in a page or a sitemap without the query
// parameters that do not change the page: those of drop-params and, with
// clean-param, those that the robots.txt of its host names. A nil file is one that
// is not known yet.
//
// Start URLs and the targets of redirects stay as they are: somebody wants just
// these, and where a site adds a parameter by a redirect, the URL without it would
// be no page at all.
func (c *Crawler) cleaned(url string, file *robotstxt.File) string {
	if !c.cfg.CleanParam {
		file = nil
	}
	if file == nil && len(c.cfg.DropParams) == 0 {
		return url
	}
	return c.params.Clean(url, file)
}

// alias tells whether the URL of a visit stands for another one, now that the
// robots.txt of its host is known, and leaves it alone for that.
func (c *Crawler) alias(v *visit) (frontier.Outcome, bool, error) {
	outcome := frontier.Outcome{Lease: v.lease.ID, Result: frontier.Drop}
	if v.prov.IsSitemap() || v.prov.Source != provenance.Link && v.prov.Source != provenance.Sitemap {
		return outcome, false, nil
	}
	url := c.cleaned(v.lease.URL, v.file)
	if url == v.lease.URL {
		return outcome, false, nil
	}
	item := v.lease.Item
	item.URL = url
	outcome.Links = []frontier.Item{item}
	r := v.rejection(output.Alias, nil)
	r.Detail = "for " + url
	return outcome, true, c.reject(v, r)
}
