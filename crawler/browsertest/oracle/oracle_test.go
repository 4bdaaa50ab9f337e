// Package oracle holds what the program reads from pages against what Chromium shows without
// scripts: links, title, canonical URL, base URL, refresh and encoding.
//
// The pages are from a grammar: legal markup that is odd, and markup that is not legal but that the
// HTML standard tells how to read. A page depends only on a seed and its index, so these make a
// difference appear again:
//
//	go test ./oracle -seed 7 -pages 500
//
// A difference is reported with the smallest page that shows it.
//
// Chromium loads each page in a sandboxed frame. Its document tells what it shows, with these
// exceptions:
//
//   - URLs have no fragment and no userinfo, as in the program. A | or ^ in a path is escaped, and a %
//     that begins no escape, as net/http does.
//   - Only http and https URLs count. A page with another base, such as ftp, is compared as if it had
//     its own: the program then resolves no reference that is not absolute.
//   - Hosts that DNS cannot have do not count, such as a..b and {x}: the program requests none. Chromium
//     also takes a space and * in a host, against the URL standard.
//   - An iframe element without a src, or with a blank one, loads nothing and is no link.
//   - Links in an open declarative shadow root count, since visitors see them. Its link and meta
//     elements do not: HTML processes those of the document tree only.
//   - Chromium does not show the URL of a refresh. The harness follows the HTML standard: the first
//     refresh counts, and no base element after it.
//   - A page that declares no encoding gets the encoding of the frame around it. This frame has the
//     encoding that the program detects: UTF-8 for valid UTF-8 that is not ASCII, else windows-1252.
//   - A type that Chromium shows as text or downloads, and one that the program does not read, is no
//     page.
//
// The grammar leaves out where Chromium does not follow the standards:
//
//   - a type such as "/", which is invalid but which Chromium does not sniff;
//   - a meta element with two attributes charset, where Chromium takes the last one as its encoding;
//   - a meta element with a charset in the text of a script or title, which Chromium does not find;
//   - characters outside ASCII in the query of a base URL, which Chromium encodes in UTF-8;
//   - a base URL that is not valid, with which Chromium resolves no reference that is not absolute;
//   - a NUL between the elements of the head, with which Chromium does not begin the body;
//   - an element foreignObject that is not in a drawing but has one, which its end tag does not close in
//     Chromium;
//   - hosts with invalid Punycode, such as xn--a, which Chromium takes;
//   - what golang.org/x/net/html reads in its own way: templates together with drawings, formulas or columns
//     of a table, drawings together with formulas, and scripts with a comment that contains a script;
//   - invalid bytes in encodings of several bytes a character, which golang.org/x/text replaces in its own way;
//   - shadow roots that the rules for misplaced elements move: in the tree, their host is another;
//   - URLs longer than 8 KiB or with more than 200 segments, and more than 512 open elements, which the
//     program does not take.
package oracle

import (
	"flag"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var (
	seed  = flag.Uint64("seed", 1, "seed of the pages")
	pages = flag.Uint64("pages", 2000, "number of pages")
)

const (
	batch    = 100 // pages that are read at a time
	perTab   = 250 // pages that a tab reads: it is open for two minutes at most
	reported = 1   // pages of a tab that are reduced and printed
	maxLoads = 200 // pages that Chromium loads at most to reduce one, by parts and again by bytes
	parallel = 6   // pages that Chromium loads at a time
)

func TestPagesAsInChromium(t *testing.T) {
	for first := uint64(0); first < *pages; first += perTab {
		last := min(first+perTab, *pages) - 1
		t.Run(fmt.Sprintf("%d-%d", first, last), func(t *testing.T) {
			c := newChromium(t)
			different := 0
			for first := first; first <= last; first += batch {
				var read []page
				for i := first; i <= min(last, first+batch-1); i++ {
					read = append(read, generate(*seed, i))
				}
				for i, d := range c.compare(read) {
					if d == nil {
						continue
					}
					if different++; different > reported {
						continue
					}
					smallest, d := c.reduce(read[i], d)
					t.Errorf("seed %d, page %d: %s differs (-program +Chromium):\n%s\nThe smallest page with this difference:\n%s", *seed, first+uint64(i), d.field, d.diff, smallest)
				}
			}
			if different > reported {
				t.Errorf("seed %d: %d more pages differ", *seed, different-reported)
			}
		})
	}
}

// A difference is what the readers do not agree about.
type difference struct {
	field string // the first that differs
	diff  string
}

// compare reads pages with both readers. A page that they agree about has no difference.
func (c *chromium) compare(pages []page) []*difference {
	differences := make([]*difference, len(pages))
	seen, urls := c.read(pages)
	for i, p := range pages {
		got, want := read(urls[i], p.header(), p.body()), seen[i]
		if diff := cmp.Diff(got, want); diff != "" {
			differences[i] = &difference{field(got, want), diff}
		}
	}
	return differences
}

// field returns the first field that differs.
func field(a, b observation) string {
	switch {
	case a.Error != b.Error:
		return "Error"
	case a.Encoding != b.Encoding:
		return "Encoding"
	case a.Base != b.Base:
		return "Base"
	case a.Title != b.Title:
		return "Title"
	case !slices.Equal(a.Canonical, b.Canonical):
		return "Canonical"
	case !slices.Equal(a.Refresh, b.Refresh):
		return "Refresh"
	case !slices.Equal(a.Related, b.Related):
		return "Related"
	}
	return "Links"
}

// reduce removes parts of a page while the readers disagree about the same field: those of the grammar,
// then single bytes, and the header at last, since a body without a type may not be a page.
func (c *chromium) reduce(p page, d *difference) (page, *difference) {
	header, body := p.split()
	body, d = c.remove(body, d, func(body page) page { return slices.Concat(header, body) })
	var bytes page
	for _, b := range body.body() {
		bytes = append(bytes, part{text: string([]byte{b})})
	}
	bytes, d = c.remove(bytes, d, func(body page) page { return slices.Concat(header, body) })
	header, d = c.remove(header, d, func(header page) page { return slices.Concat(header, bytes) })
	return slices.Concat(header, bytes), d
}

// remove removes parts of a page, many at a time first, then fewer.
func (c *chromium) remove(p page, d *difference, whole func(page) page) (page, *difference) {
	loads := 0
	for size := (len(p) + 1) / 2; size > 0; size /= 2 {
		for start := 0; start < len(p); {
			var smaller []page
			for from := start; from < len(p) && len(smaller) < parallel; from += size {
				smaller = append(smaller, slices.Concat(p[:from], p[min(len(p), from+size):]))
			}
			if loads += len(smaller); loads > maxLoads {
				return p, d
			}
			var pages []page
			for _, p := range smaller {
				pages = append(pages, whole(p))
			}
			for i, next := range c.compare(pages) {
				if next != nil && next.field == d.field {
					p, d = smaller[i], next
					break
				}
				start += size
			}
		}
	}
	return p, d
}
