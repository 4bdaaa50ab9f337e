package record

import (
	"errors"
	"hash/maphash"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/politecrawl/politecrawl/crawler/internal/crawldir"
)

// previousLines finds the lines of pages in a file of the crawl before a recrawl. It needs about
// 40 bytes of memory per page of that crawl. The zero previousLines has none.
type previousLines struct {
	lineReader // of links.1.jsonl or a later one

	seed maphash.Seed
	at   map[uint64]int64 // hash of the page's URL → offset of its line
}

// rotated returns the path of a file of the previous crawl. Number is the number of the last
// [crawldir.Rotate].
func (r *Recorder) rotated(name string, number int) string {
	return filepath.Join(r.cfg.Dir, crawldir.RotatedName(name, number))
}

// loadPrevious finds the lines of a file. URL returns the page of a line; empty: none.
func loadPrevious[T any](r *Recorder, e *previousLines, name string, url func(*T) string) (err error) {
	e.name = name
	if e.at == nil {
		e.seed, e.at = maphash.MakeSeed(), make(map[uint64]int64)
	}
	// An open file outlives its deletion.
	if e.file, err = os.Open(e.name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return Each(r, e.name, func(at int64, line *T) error {
		if page := url(line); page != "" {
			e.at[e.key(page)] = at
		}
		return nil
	})
}

func (e *previousLines) key(url string) uint64 { return maphash.String(e.seed, url) }

// find returns the offset of the line of a page.
func (e *previousLines) find(url string) (at int64, known bool) {
	if e.at == nil {
		return 0, false
	}
	at, known = e.at[e.key(url)]
	return at, known
}
