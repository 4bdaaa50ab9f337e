package crawler

import (
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
