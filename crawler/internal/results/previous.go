package results

import (
	"errors"
	"fmt"
	"hash/maphash"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// previous finds the lines of pages in the crawl before a recrawl, since the response of a page
// with status 304 has no content. It needs about 60 bytes of memory for each page of that crawl. The
// zero previous has no lines.
type previous struct {
	pages, links, permissions lineReader // opened by load, since an open file outlives its deletion

	listsLinks bool // links are read too
	seed       maphash.Seed
	at         map[uint64]places // by the hash of the page's URL
}

// places are the offsets of a page's lines; noLine: it has none.
type places struct{ page, links, permission int64 }

const noLine = -1

// LoadPrevious finds the lines of the previous crawl, for pages that have not changed. Number is the
// number of the last [Rotate]. Without links, those of a page need not be known. Call it
// after Open.
func (r *Writer) LoadPrevious(number int, links bool) error {
	e := &r.previous
	e.listsLinks, e.seed, e.at = links, maphash.MakeSeed(), make(map[uint64]places)
	rotated := func(name string) string {
		return filepath.Join(r.cfg.Dir, RotatedName(name, number))
	}
	err := loadPrevious(r, &e.pages, rotated(PagesFile), func(at int64, p *struct{ URL string }) {
		e.at[e.key(p.URL)] = places{at, noLine, noLine}
	})
	if err != nil {
		return err
	}
	// note changes the places of a page that has a line in pages.jsonl.
	note := func(url string, change func(*places)) {
		if known, ok := e.at[e.key(url)]; ok {
			change(&known)
			e.at[e.key(url)] = known
		}
	}
	err = loadPrevious(r, &e.permissions, rotated(PermissionsFile), func(at int64, p *struct{ URL string }) {
		note(p.URL, func(known *places) { known.permission = at })
	})
	if err != nil || !links {
		return err
	}
	return loadPrevious(r, &e.links, rotated(LinksFile), func(at int64, l *struct{ URL string }) {
		note(l.URL, func(known *places) { known.links = at })
	})
}

// loadPrevious opens a file, and calls found for each line.
func loadPrevious[T any](r *Writer, l *lineReader, name string, found func(at int64, line *T)) (err error) {
	l.name = name
	if l.file, err = os.Open(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return Each(r, name, func(at int64, line *T) error {
		found(at, line)
		return nil
	})
}

func (e *previous) key(url string) uint64 { return maphash.String(e.seed, url) }

// PreviousPage returns the line of a page in the previous crawl. It is nil if a 304 would leave a part of
// the page unknown: its line has no content, a limit cut it, or its links or its permission are missing.
func (r *Writer) PreviousPage(url string) (*output.Page, error) {
	e := &r.previous
	if e.at == nil {
		return nil, nil
	}
	at, known := e.at[e.key(url)]
	if !known || at.permission == noLine {
		return nil, nil
	}
	p := new(output.Page)
	if err := e.pages.read(at.page, p); err != nil {
		return nil, err
	}
	switch {
	case p.Bytes == 0: // HasContent cannot tell an empty page with status 304 from one with unknown content
		return nil, nil
	case p.URL != url, !p.HasContent(), p.Truncated != "", slices.ContainsFunc(p.LimitsReached, cutsContent):
		return nil, nil
	case e.listsLinks && p.Withheld == "" && p.Links > 0 && at.links == noLine:
		return nil, nil
	}
	return p, nil
}

// cutsContent reports whether a page that has reached a limit may lack links.
func cutsContent(limit string) bool {
	return !strings.HasPrefix(limit, "field-") && limit != "hreflang-bytes"
}

// PreviousPermission returns the permission of a page that PreviousPage returns.
func (r *Writer) PreviousPermission(url string) (*output.Permission, error) {
	p := new(output.Permission)
	return p, r.previous.readLine(&r.previous.permissions, url, r.previous.at[r.previous.key(url)].permission, p, &p.URL)
}

// PreviousLinks returns the links of a page that PreviousPage returns. Nil: the crawl lists none.
func (r *Writer) PreviousLinks(url string) (*output.Links, error) {
	e := &r.previous
	links := &output.Links{URL: url, To: []output.Link{}}
	at := e.at[e.key(url)].links
	switch {
	case !e.listsLinks:
		return nil, nil
	case at == noLine:
		return links, nil
	}
	return links, e.readLine(&e.links, url, at, links, &links.URL)
}

// readLine reads the line of a page, and checks that it is the one, since the file may have been edited.
func (e *previous) readLine(l *lineReader, url string, at int64, line any, got *string) error {
	if err := l.read(at, line); err != nil {
		return err
	}
	if *got != url {
		return fmt.Errorf("%q: the line at byte %d is not that of %q; the file was changed during the crawl; resume the crawl, which reads the file again", l.name, at, url)
	}
	return nil
}

func (e *previous) close() error {
	return errors.Join(e.pages.close(), e.links.close(), e.permissions.close())
}
