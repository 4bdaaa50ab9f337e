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

// batch is how many pages are read at a time.
const batch = 100

// reported is how many pages are reduced and printed, and maxLoads how often Chromium loads parts of
// such a page.
const (
	reported = 5
	maxLoads = 200
	parallel = 6
)

func TestPagesAsInChromium(t *testing.T) {
	c := newChromium(t)
	differ, shown := 0, make(map[string]bool)
	for first := uint64(0); first < *pages; first += batch {
		var read []page
		for i := first; i < min(*pages, first+batch); i++ {
			read = append(read, generate(*seed, i))
		}
		for i, f := range c.compare(read) {
			if f == nil {
				continue
			}
			differ++
			if len(shown) >= reported {
				continue
			}
			smallest, d := c.reduce(read[i], f)
			if key := fmt.Sprint(smallest); !shown[key] {
				shown[key] = true
				t.Errorf("seed %d, page %d is read differently (-program +Chromium):\n%s\nThe smallest page that is:\n%s", *seed, first+uint64(i), d.diff, smallest)
			}
		}
	}
	if differ > 0 {
		t.Errorf("%d of %d pages differ", differ, *pages)
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
	case a.Canonical != b.Canonical:
		return "Canonical"
	case a.Refresh != b.Refresh:
		return "Refresh"
	case !cmp.Equal(a.Related, b.Related):
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
