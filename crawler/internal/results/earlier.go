package results

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// lineReader reads single lines of a JSON Lines file.
type lineReader struct {
	name string
	file *os.File // opened by the first read; nil before
}

// read reads the line that begins at an offset.
func (l *lineReader) read(at int64, v any) (err error) {
	if l.file == nil {
		if l.file, err = os.Open(l.name); err != nil {
			return err
		}
	}
	rest := io.NewSectionReader(l.file, at, math.MaxInt64-at)
	if err := json.NewDecoder(rest).Decode(v); err != nil {
		return fmt.Errorf("%q: %w", l.name, err)
	}
	return nil
}

func (l *lineReader) close() error {
	if l.file == nil {
		return nil
	}
	return l.file.Close()
}

// duplicates has the hashes of the bodies of written pages, to mark pages with the same body.
type duplicates struct {
	lineReader // of pages.jsonl

	at map[uint64]int64 // hash → offset of the line of the first page with it
}

func newDuplicates(name string) *duplicates {
	return &duplicates{lineReader: lineReader{name: name}, at: make(map[uint64]int64)}
}

// bodyHash returns the hash of a page's body, unless the page has none, or only its beginning.
func bodyHash(p *output.Page) (hash uint64, ok bool) {
	hash, err := strconv.ParseUint(p.Hash, 16, 64)
	return hash, err == nil && p.Truncated == ""
}

// mark marks a page as a duplicate if an earlier page has the same body. The page will be
// written after pending, at the end of a file of a length.
func (d *duplicates) mark(p *output.Page, length int64, pending []byte) (err error) {
	hash, ok := bodyHash(p)
	if !ok {
		return nil
	}
	at, ok := d.at[hash]
	if !ok {
		d.at[hash] = length + int64(len(pending))
		return nil
	}
	var first struct {
		URL string `json:"url"`
	}
	if at >= length {
		err = json.NewDecoder(bytes.NewReader(pending[at-length:])).Decode(&first)
	} else {
		err = d.read(at, &first)
	}
	p.DuplicateOf = first.URL
	return err
}

// restore adds a page with a line that begins at an offset.
func (d *duplicates) restore(p *output.Page, at int64) {
	if hash, ok := bodyHash(p); ok && p.DuplicateOf == "" {
		d.at[hash] = at
	}
}

// previous finds the lines of pages in the crawl before a recrawl, since the response of a page
// with status 304 has no content. It needs about 60 bytes of memory for each page of that crawl. The
// zero previous has no lines.
type previous struct {
	files [previousFiles]lineReader // opened by LoadPrevious, since an open file outlives its deletion

	listsLinks bool // links are read too
	seed       maphash.Seed
	at         map[uint64]offsets // by the hash of the page's URL
}

// The files of previous.
const (
	previousPages = iota
	previousPermissions
	previousLinks
	previousFiles
)

// offsets are the offsets of a page's lines, or noLine where it has none.
type offsets [previousFiles]int64

const noLine = -1

// LoadPrevious finds the lines of the previous crawl, for pages that have not changed. Number is the
// number of the last [Rotate]. Without links, the links of a page need not be known. Call it after
// Open.
func (w *Writer) LoadPrevious(number int, links bool) error {
	e := &w.previous
	e.listsLinks, e.seed, e.at = links, maphash.MakeSeed(), make(map[uint64]offsets)
	names := [previousFiles]string{Pages.name, Permissions.name, Links.name}
	if !links {
		names[previousLinks] = ""
	}
	for i, name := range names {
		if name == "" {
			continue
		}
		l := &e.files[i]
		l.name = w.path(RotatedName(name, number))
		file, err := os.Open(l.name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		l.file = file
		err = Each(w, l.name, func(at int64, line *struct{ URL string }) error {
			lines, known := e.at[e.key(line.URL)]
			if i == previousPages {
				lines, known = offsets{noLine, noLine, noLine}, true
			}
			if lines[i] = at; known { // the page has a line in pages.jsonl
				e.at[e.key(line.URL)] = lines
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (e *previous) key(url string) uint64 { return maphash.String(e.seed, url) }

// PreviousPage returns the line of a page in the previous crawl. It is nil if a 304 would leave a part of
// the page unknown: its line has no content, a limit cut it, or its links or its permission are missing.
func (w *Writer) PreviousPage(url string) (*output.Page, error) {
	e := &w.previous
	if e.at == nil {
		return nil, nil
	}
	at, known := e.at[e.key(url)]
	if !known || at[previousPermissions] == noLine {
		return nil, nil
	}
	p := new(output.Page)
	if err := e.files[previousPages].read(at[previousPages], p); err != nil {
		return nil, err
	}
	switch {
	case p.Bytes == 0: // HasContent cannot tell an empty page with status 304 from one with unknown content
		return nil, nil
	case p.URL != url, !p.HasContent(), p.Truncated != "", slices.ContainsFunc(p.LimitsReached, cutsContent):
		return nil, nil
	case e.listsLinks && p.Withheld == "" && p.Links > 0 && at[previousLinks] == noLine:
		return nil, nil
	}
	return p, nil
}

// cutsContent reports whether a page that has reached a limit may lack links.
func cutsContent(limit string) bool {
	return !strings.HasPrefix(limit, "field-") && limit != "hreflang-bytes"
}

// PreviousPermission returns the permission of a page that PreviousPage returns.
func (w *Writer) PreviousPermission(url string) (*output.Permission, error) {
	p := new(output.Permission)
	return p, w.previous.read(previousPermissions, url, p, &p.URL)
}

// PreviousLinks returns the links of a page that PreviousPage returns, or nil if the crawl lists none.
func (w *Writer) PreviousLinks(url string) (*output.Links, error) {
	e := &w.previous
	links := &output.Links{URL: url, To: []output.Link{}}
	switch {
	case !e.listsLinks:
		return nil, nil
	case e.at[e.key(url)][previousLinks] == noLine:
		return links, nil
	}
	return links, e.read(previousLinks, url, links, &links.URL)
}

// read reads the line of a page, and checks that it is the one, since the file may have been edited.
func (e *previous) read(file int, url string, line any, got *string) error {
	l, at := &e.files[file], e.at[e.key(url)][file]
	if err := l.read(at, line); err != nil {
		return err
	}
	if *got != url {
		return fmt.Errorf("%q: the line at byte %d is not that of %q; the file was changed during the crawl; resume the crawl, which reads the file again", l.name, at, url)
	}
	return nil
}

func (e *previous) close() (err error) {
	for i := range e.files {
		err = errors.Join(err, e.files[i].close())
	}
	return err
}
