package report

import (
	"math"
	"strings"
)

// references are links and uses of URLs that may be findings. Each takes two numbers.
type references struct {
	numbers map[key]uint32 // of the URLs
	targets []referred     // by number
	pages   []string       // that refer to them
	blocks  [][]reference  // blocks do not move as they become more

	limit   int // of references to URLs that may be findings; more are counted, and read again to name their pages
	kept    int
	omitted bool

	page  string // of the current line
	named bool   // pages ends with it
	lines uint32 // read so far
}

// referred is a URL to which pages refer: their number, and the last of their lines.
type referred struct{ pages, last uint32 }

const taken = math.MaxUint32 // for referred.last

// A reference has the numbers of a page and of a URL.
type reference struct{ from, to uint32 }

const (
	referenceBlock = 1 << 14
	maxReferences  = 1 << 20 // 8 MB, and the URLs of at most as many pages
)

func newReferences() *references {
	return &references{numbers: make(map[key]uint32), limit: maxReferences}
}

// begin begins a line with references of a page.
func (r *references) begin(page string) {
	r.page, r.named = page, false
	r.lines++
}

// addLink adds a link to a URL that may be a finding, or a use of it: links.jsonl has both.
func (r *references) addLink(k key) {
	r.omitted = r.omitted || r.kept >= r.limit
	r.add(k, !r.omitted)
}

// add counts a reference to a URL, once however often the line has it, and may keep it.
func (r *references) add(k key, keep bool) {
	n, known := r.numbers[k]
	if !known {
		n = uint32(len(r.targets))
		r.numbers[k] = n
		r.targets = append(r.targets, referred{})
	}
	to := &r.targets[n]
	if to.last == r.lines {
		return
	}
	if to.pages, to.last = to.pages+1, r.lines; !keep {
		return
	}
	if !r.named {
		r.pages, r.named = append(r.pages, r.page), true
	}
	if r.kept%referenceBlock == 0 {
		r.blocks = append(r.blocks, make([]reference, 0, referenceBlock))
	}
	r.kept++
	last := &r.blocks[len(r.blocks)-1]
	*last = append(*last, reference{uint32(len(r.pages) - 1), n})
}

// count returns how many lines refer to a URL.
func (r *references) count(k key) int {
	if n, known := r.numbers[k]; known {
		return int(r.targets[n].pages)
	}
	return 0
}

// take is count, but returns 0 for a URL that was taken.
func (r *references) take(k key) int {
	n, known := r.numbers[k]
	if !known || r.targets[n].last == taken {
		return 0
	}
	r.targets[n].last = taken
	return int(r.targets[n].pages)
}

// name finds the first pages that refer to each of some URLs.
func (r *references) name(urls map[key]*topRows[string]) {
	wanted := make([]*topRows[string], len(r.targets))
	for k, pages := range urls {
		if n, known := r.numbers[k]; known {
			wanted[n] = pages
		}
	}
	for _, block := range r.blocks {
		for _, x := range block {
			if pages := wanted[x.to]; pages != nil {
				pages.add(r.pages[x.from])
			}
		}
	}
}

// newExamples keeps the first pages, each once.
func newExamples() *topRows[string] {
	pages := newTopRows(maxExamples, strings.Compare)
	pages.same = func(a, b string) bool { return a == b }
	return pages
}

// nameReferences names the pages that refer to the URLs of all rows.
func (m *model) nameReferences() error {
	from := make(map[key]*topRows[string])
	each := func(f func(*Finding, key)) {
		for _, l := range m.lists {
			rows := l.finish().Rows
			for i := range rows {
				if rows[i].Pages > 0 && rows[i].FoundOn == nil {
					f(&rows[i], l.keyOf(rows[i].URL))
				}
			}
		}
	}
	each(func(_ *Finding, k key) { from[k] = newExamples() })
	m.references.name(from)
	var err error
	if m.references.omitted {
		err = m.merger.eachLinks(func(_ *workerDir, l *linksLine) {
			l.eachTarget(func(k key, _ *link) {
				if pages := from[k]; pages != nil && !pages.rejects(l.URL) {
					pages.add(l.URL)
				}
			})
		})
	}
	each(func(row *Finding, k key) { row.FoundOn = from[k].list().Rows })
	return err
}

// eachTarget calls f for each URL to which a line refers; asset is nil for a link. It does not for a link
// of the page to itself, but returns whether there is one.
func (l *linksLine) eachTarget(f func(k key, asset *link)) (itself bool) {
	from := keyOf(l.URL)
	for _, to := range l.To {
		if k := keyOf(to.URL); k != from {
			f(k, nil)
		} else {
			itself = true
		}
	}
	for i := range l.Resources {
		f(keyOf(l.Resources[i].URL), &l.Resources[i])
	}
	return itself
}
