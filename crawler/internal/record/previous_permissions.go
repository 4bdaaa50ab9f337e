package record

import (
	"sync"

	"github.com/politecrawl/politecrawl/crawler/internal/crawldir"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// previousPermissions reads what the pages of the crawl before a recrawl said about their use,
// since the response of a page with status 304 does not repeat it.
type previousPermissions struct {
	previousLines
	mu sync.Mutex // guards lineReader
}

// LoadPreviousPermissions finds the permissions of the previous crawl. Number is the number of the
// last [crawldir.Rotate]. Call it after Open.
func (r *Recorder) LoadPreviousPermissions(number int) error {
	return loadPrevious(r, &r.previousPermissions.previousLines, r.rotated(crawldir.PermissionsFile, number), func(p *output.Permission) string { return p.URL })
}

// KnowsPermission reports whether the previous crawl has the permission of a page. It is true
// unless LoadPreviousPermissions was called.
func (r *Recorder) KnowsPermission(url string) bool {
	_, known := r.previousPermissions.find(url)
	return known || r.previousPermissions.at == nil
}

// PreviousPermission returns the permission of a page in the previous crawl; nil: it is not known.
func (r *Recorder) PreviousPermission(url string) (*output.Permission, error) {
	e := &r.previousPermissions
	at, known := e.find(url)
	if !known {
		return nil, nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	p := new(output.Permission)
	return p, e.read(at, p)
}
