package record

import (
	"errors"
	"hash/maphash"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/politecrawl/politecrawl/crawler/internal/crawldir"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// previousLinks reads the links of the crawl before a recrawl, since the response of a page
// with status 304 has none. It needs about 40 bytes of memory per page of that crawl. The zero
// previousLinks has no links.
type previousLinks struct {
	lineReader // of links.1.jsonl or a later one

	seed maphash.Seed
	at   map[uint64]int64 // hash of the page's URL → offset of its line, or noLinks
}

// noLinks is the offset of a page that has no links.
const noLinks = -1

// LoadPreviousLinks finds the links of the previous crawl, for pages that have not changed.
// Number is the number of the last [crawldir.Rotate]. Call it after Open.
func (r *Recorder) LoadPreviousLinks(number int) error {
	file := func(name string) string { return filepath.Join(r.cfg.Dir, crawldir.RotatedName(name, number)) }
	e := &r.previousLinks
	e.name, e.seed, e.at = file(crawldir.LinksFile), maphash.MakeSeed(), make(map[uint64]int64)
	cut := make(map[uint64]bool) // pages of which some links are not known
	err := Each(r, file(crawldir.PagesFile), func(_ int64, p *output.Page) error {
		switch page := maphash.String(e.seed, p.URL); {
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
	// An open file outlives its deletion.
	if e.file, err = os.Open(e.name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return Each(r, e.name, func(at int64, l *output.Links) error {
		if page := maphash.String(e.seed, l.URL); !cut[page] {
			e.at[page] = at
		}
		return nil
	})
}

// cutsLinks reports whether a page that has reached a limit may lack links.
func cutsLinks(limit string) bool {
	return !strings.HasPrefix(limit, "field-") && limit != "hreflang-bytes"
}

// KnowsLinks reports whether the previous crawl has the links of a page, so that they remain
// known if the page has not changed. It is true unless LoadPreviousLinks was called.
func (r *Recorder) KnowsLinks(url string) bool {
	e := &r.previousLinks
	if e.at == nil {
		return true
	}
	_, known := e.at[maphash.String(e.seed, url)]
	return known
}

// addTo adds the links of a page that has not changed to a batch. A page without links gets an
// empty list: without a line its links would not be known.
func (e *previousLinks) addTo(b *crawldir.Batch, p *output.Page) error {
	if e.at == nil || p.Status != http.StatusNotModified {
		return nil
	}
	at, known := e.at[maphash.String(e.seed, p.URL)]
	if !known {
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
