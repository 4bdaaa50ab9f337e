package record

import (
	"hash/maphash"
	"net/http"
	"slices"
	"strings"

	"github.com/politecrawl/politecrawl/crawler/internal/crawldir"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// previousLinks reads the links of the crawl before a recrawl, since the response of a page
// with status 304 has none.
type previousLinks struct{ previousLines }

// noLinks is the offset of a page that has no links.
const noLinks = -1

// LoadPreviousLinks finds the links of the previous crawl, for pages that have not changed.
// Number is the number of the last [crawldir.Rotate]. Call it after Open.
func (r *Recorder) LoadPreviousLinks(number int) error {
	e := &r.previousLinks
	e.seed, e.at = maphash.MakeSeed(), make(map[uint64]int64)
	cut := make(map[uint64]bool) // pages of which some links are not known
	err := Each(r, r.rotated(crawldir.PagesFile, number), func(_ int64, p *output.Page) error {
		switch page := e.key(p.URL); {
		case slices.ContainsFunc(p.LimitsReached, cutsLinks):
			cut[page] = true
		case p.Status/100 == 2 && p.Links == 0:
			e.at[page] = noLinks
		}
		return nil
	})
	if err != nil {
		return err
	}
	return loadPrevious(r, &e.previousLines, r.rotated(crawldir.LinksFile, number), func(l *output.Links) string {
		if cut[e.key(l.URL)] {
			return ""
		}
		return l.URL
	})
}

// cutsLinks reports whether a page that has reached a limit may lack links.
func cutsLinks(limit string) bool {
	return !strings.HasPrefix(limit, "field-") && limit != "hreflang-bytes"
}

// KnowsLinks reports whether the previous crawl has the links of a page, so that they remain
// known if the page has not changed. It is true unless LoadPreviousLinks was called.
func (r *Recorder) KnowsLinks(url string) bool {
	_, known := r.previousLinks.find(url)
	return known || r.previousLinks.at == nil
}

// addTo adds the links of a page that has not changed to a batch. A page without links gets an
// empty list: without a line its links would not be known.
func (e *previousLinks) addTo(b *crawldir.Batch, p *output.Page) error {
	at, known := e.find(p.URL)
	if !known || p.Status != http.StatusNotModified {
		return nil
	}
	links := &output.Links{URL: p.URL, To: []output.Link{}}
	if at != noLinks {
		if err := e.read(at, links); err != nil {
			return err
		}
	}
	return b.Links(links)
}
