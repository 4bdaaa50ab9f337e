package report

import (
	"encoding/binary"
	"slices"
)

// A linkGraph has the links of pages, and the assets that they use, for the page of the report. It
// needs a few bytes for each link, and each URL once.
type linkGraph struct {
	count   int // links in the graph
	omitted int // links of the pages after those in the graph

	numbers map[key]uint32 // of the URLs
	urls    []byte         // all URLs, one after the other
	ends    []uint32       // where each URL ends in urls

	// pages has for each page varints: its number, the number of its links, the number of
	// the first target, the differences to the next ones in ascending order, and for each
	// link the number of its text.
	pages []byte

	targets []uint32 // of the page that is added
}

// The bounds of a linkGraph. The page of a crawl with so many links has about 50 MB.
const (
	maxGraphLinks = 2_000_000
	maxGraphBytes = 32 << 20 // of its URLs
)

func newLinkGraph() *linkGraph { return &linkGraph{numbers: make(map[key]uint32)} }

// add adds the links of a page. After the first page that it omits, it omits all.
func (g *linkGraph) add(l *linksLine) {
	n := len(l.To) + len(l.Resources)
	if g.omitted > 0 || g.count+n > maxGraphLinks || len(g.urls) > maxGraphBytes {
		g.omitted += n
		return
	}
	g.targets = g.targets[:0]
	for _, all := range [...]links{l.To, l.Resources} {
		for _, to := range all {
			g.targets = append(g.targets, g.number(to.URL))
		}
	}
	slices.Sort(g.targets)
	g.targets = slices.Compact(g.targets)
	g.count += len(g.targets)
	g.pages = binary.AppendUvarint(g.pages, uint64(g.number(l.URL)))
	g.pages = binary.AppendUvarint(g.pages, uint64(len(g.targets)))
	var before uint32
	for _, to := range g.targets {
		g.pages = binary.AppendUvarint(g.pages, uint64(to-before))
		before = to
	}
	g.pages = append(g.pages, make([]byte, len(g.targets))...)
}

func (g *linkGraph) number(url string) uint32 {
	k := keyOf(url)
	n, ok := g.numbers[k]
	if !ok {
		n = uint32(len(g.ends))
		g.numbers[k] = n
		g.urls = append(g.urls, url...)
		g.ends = append(g.ends, uint32(len(g.urls)))
	}
	return n
}

// url returns the URL with a number.
func (g *linkGraph) url(n uint32) string {
	begin := uint32(0)
	if n > 0 {
		begin = g.ends[n-1]
	}
	return string(g.urls[begin:g.ends[n]])
}
