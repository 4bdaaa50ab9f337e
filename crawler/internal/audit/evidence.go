package audit

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/cespare/xxhash/v2"

	"github.com/politecrawl/politecrawl/crawler/internal/escape"
	"github.com/politecrawl/politecrawl/crawler/internal/jsonlines"
	"github.com/politecrawl/politecrawl/crawler/internal/results"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/usage"
)

// evidence is what the other files of a crawl say about permissions.jsonl: which pages have a line
// there, and which robots.txt applied. It keeps 9 bytes for each page, 17 in a recrawl.
type evidence struct {
	dir      string
	previous hashes // pages with a line in the crawl before the recrawl
	pages    hashes
	found    []bool // whether pages have a line
	robots   hashes // what applied at an origin

	// What the files have lost, or do not have, is no evidence.
	allPages, allRobots bool
}

// noText stands for the hash of a robots.txt if robots.jsonl does not name its text: the text is
// empty, or the site forbade to keep it (no-store).
const noText = "no text"

func newEvidence(c *Crawl) (*evidence, error) {
	whole := func(name string) bool {
		return !slices.ContainsFunc(c.Lost, func(l output.Loss) bool { return l.File == name })
	}
	e := &evidence{
		dir: c.Dir, allPages: whole(results.Pages.Name()) && whole(results.Rejected.Name()),
		allRobots: whole(results.RobotsFile) && !c.Shared, // another worker may have requested it
	}
	if c.Recrawls > 0 {
		err := eachLine(c.Dir, results.RotatedName(results.Permissions.Name(), c.Recrawls), func(p *struct{ URL string }) error {
			e.previous.add(p.URL, "")
			return nil
		})
		if err != nil {
			return nil, err
		}
		e.previous.sort()
	}
	err := e.eachPage(func(url, withheld string) error {
		e.pages.add(url, withheld)
		return nil
	})
	if err != nil {
		return nil, err
	}
	e.pages.sort()
	e.found = make([]bool, len(e.pages))
	err = eachLine(c.Dir, results.RobotsFile, func(r *struct{ Origin, Outcome, Hash string }) error {
		switch {
		case r.Hash != "" || r.Outcome == robotsext.OutcomeAllowAll.String():
			e.robots.add(r.Origin, r.Hash)
		case r.Outcome == robotsext.OutcomeRules.String():
			e.robots.add(r.Origin, noText)
		}
		return nil // no page was requested while it was unreachable
	})
	e.robots.sort()
	return e, err
}

// eachPage calls f for each page that has a line in permissions.jsonl. Withheld is why the page is in
// no other output, as rejected.jsonl has it.
func (e *evidence) eachPage(f func(url, withheld string) error) error {
	err := eachLine(e.dir, results.Pages.Name(), func(p *struct {
		URL, Location string
		Status        int
	}) error {
		// A page with status 304 keeps the statements of the previous crawl, if it made some.
		if p.Location != "" || p.Status/100 != 2 && (p.Status != 304 || e.previous.find(p.URL, "") < 0) {
			return nil
		}
		return f(p.URL, "")
	})
	if err != nil {
		return err
	}
	return eachLine(e.dir, results.Rejected.Name(), func(r *output.Rejection) error {
		if r.Reason != output.Usage || r.Rule != "" { // with a rule of its site it was not requested
			return nil
		}
		return f(r.URL, r.Detail)
	})
}

// has reports whether a page has this line, and notes that the line was found.
func (e *evidence) has(line *output.Permission) bool {
	i := e.pages.find(line.URL, escape.Detail(line.Withheld))
	if i < 0 {
		return !e.allPages
	}
	e.found[i] = true
	return true
}

// eachMissing calls f for each page without a line, with the file that lists the page.
func (e *evidence) eachMissing(f func(url, file string) error) error {
	if !slices.Contains(e.found, false) {
		return nil
	}
	return e.eachPage(func(url, withheld string) error {
		switch {
		case e.found[e.pages.find(url, withheld)]:
			return nil
		case withheld != "":
			return f(url, results.Rejected.Name())
		}
		return f(url, results.Pages.Name())
	})
}

// applied reports whether a robots.txt with this hash applied at an origin, by robots.jsonl, or with an
// empty hash whether there was none. NotKept says that its text is not kept because of no-store.
func (e *evidence) applied(origin, hash string, notKept bool) bool {
	switch {
	case !e.allRobots:
		return true
	case notKept, hash == usage.Hash(nil):
		return e.robots.find(origin, noText) >= 0 || !notKept && e.robots.find(origin, hash) >= 0
	}
	return e.robots.find(origin, hash) >= 0
}

// eachLine calls f for each readable line of a file in the directory of a crawl. A missing file has
// no lines.
func eachLine[T any](dir, name string, f func(*T) error) error {
	err := jsonlines.Each(filepath.Join(dir, name), func(_ int64, line *T) error { return f(line) })
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return jsonlines.Readable(err)
}

// hashes are a set of pairs of texts, in 8 bytes each.
type hashes []uint64

func hashOf(a, b string) uint64 { return xxhash.Sum64String(a + "\n" + b) }

func (h *hashes) add(a, b string) { *h = append(*h, hashOf(a, b)) }

// sort is necessary after add and before find.
func (h *hashes) sort() {
	slices.Sort(*h)
	*h = slices.Compact(*h)
}

// find returns the index of a pair, or -1.
func (h hashes) find(a, b string) int {
	if i, found := slices.BinarySearch(h, hashOf(a, b)); found {
		return i
	}
	return -1
}
