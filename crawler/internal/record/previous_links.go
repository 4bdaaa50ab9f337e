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

// previousLinks are the links of the crawl before a recrawl. A page with status 304 still
// has them, but its response does not.
//
// Memory has some 40 bytes for each page of that crawl. The zero previousLinks knows no
// page.
type previousLinks struct {
	lineReader // of links.1.jsonl or a later one

	seed maphash.Seed
	at   map[uint64]int64 // where the line of each page begins, by the hash of its URL; or noLinks
}

// noLinks is the place of a page that has no links.
const noLinks = -1

// LoadPreviousLinks loads the links of pages, for those that have not changed. Number is
// the number of the last [crawldir.Rotate]. Call it after Open.
func (r *Recorder) LoadPreviousLinks(number int) error {
	file := func(name string) string { return filepath.Join(r.cfg.Dir, crawldir.RotatedName(name, number)) }
	e := &r.previousLinks
	e.name, e.seed, e.at = file(crawldir.LinksFile), maphash.MakeSeed(), make(map[uint64]int64)
	cut := make(map[uint64]bool) // pages of which some links are not known
	err := Each(r, file(crawldir.PagesFile), func(_ int64, p *output.Page) error {
		switch page := maphash.String(e.seed, p.URL); {
		case slices.ContainsFunc(p.LimitsReached, func(limit string) bool { return !strings.HasPrefix(limit, "field-") }):
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

// addTo adds the line of links of a page that has not changed to a batch. The line of a page
// without links says so: no line would mean that its links are not known.
func (e *previousLinks) addTo(b *crawldir.Batch, p *output.Page) error {
	if e.at == nil || p.Status != http.StatusNotModified {
		return nil
	}
	at, known := e.at[maphash.String(e.seed, p.URL)]
	if !known {
		return nil
	}
	links := &output.Links{URL: p.URL, To: []string{}}
	if at != noLinks {
		if err := e.read(at, links); err != nil {
			return err
		}
	}
	return b.Links(links)
}
