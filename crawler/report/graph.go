package report

import (
	"encoding/binary"
	"slices"
	"strings"
)

// A linkGraph has the links of pages, and the assets that they use, for the page of the report. It
// needs a few bytes for each link, and each URL and description once.
type linkGraph struct {
	unbounded bool // it omits no links

	count   int // links in the graph
	omitted int // links of the pages after those in the graph

	numbers map[key]uint32 // of the URLs
	urls    []byte         // all URLs, one after the other
	ends    []int          // where each URL ends in urls

	texts       [][3]string // descriptions of links: text, rel and kind; the first one is empty
	textNumbers map[[3]key]uint32
	textBytes   int // of all descriptions, with their overhead

	// pages has for each page varints: its number, the number of its links, the number of
	// the first target, the differences to the next ones in ascending order, and the number of
	// the description of each link.
	pages []byte

	targets []uint64 // of the page that is added: number, and place in its line
}

// The bounds of a linkGraph. The page of a crawl with so many links has about 50 MB.
const (
	maxGraphLinks = 2_000_000
	maxGraphBytes = 32 << 20 // of its URLs and descriptions
)

// textOverhead is the size of a description without its text, in bytes.
const textOverhead = 48

func newLinkGraph() *linkGraph {
	return &linkGraph{numbers: make(map[key]uint32), texts: make([][3]string, 1), textNumbers: make(map[[3]key]uint32)}
}

// add adds the links of a page. After the first page that it omits, it omits all.
func (g *linkGraph) add(l *linksLine) {
	n := len(l.To) + len(l.Resources)
	full := g.count+n > maxGraphLinks || len(g.urls)+g.textBytes > maxGraphBytes
	if g.omitted > 0 || full && !g.unbounded {
		g.omitted += n
		return
	}
	g.targets = g.targets[:0]
	for _, all := range [...]links{l.To, l.Resources} {
		for _, to := range all {
			g.targets = append(g.targets, uint64(g.number(to.URL))<<32|uint64(len(g.targets)))
		}
	}
	slices.Sort(g.targets)
	g.targets = slices.CompactFunc(g.targets, func(a, b uint64) bool { return a>>32 == b>>32 })
	g.count += len(g.targets)
	g.pages = binary.AppendUvarint(g.pages, uint64(g.number(l.URL)))
	g.pages = binary.AppendUvarint(g.pages, uint64(len(g.targets)))
	var before uint64
	for _, to := range g.targets {
		g.pages = binary.AppendUvarint(g.pages, to>>32-before)
		before = to >> 32
	}
	for _, to := range g.targets {
		place, all := int(uint32(to)), l.To
		if place >= len(all) {
			place, all = place-len(all), l.Resources
		}
		g.pages = binary.AppendUvarint(g.pages, uint64(g.textNumber(&all[place])))
	}
}

// textNumber returns the number of the description of a link.
func (g *linkGraph) textNumber(l *link) uint32 {
	text := [3]string{l.Text, l.Rel, l.Kind}
	if text == g.texts[0] {
		return 0
	}
	k := [3]key{keyOf(l.Text), keyOf(l.Rel), keyOf(l.Kind)}
	n, ok := g.textNumbers[k]
	if !ok {
		n = uint32(len(g.texts))
		for i := range text {
			text[i] = strings.Clone(text[i]) // it shares the memory of its line
			g.textBytes += len(text[i])
		}
		g.textBytes += textOverhead
		g.textNumbers[k] = n
		g.texts = append(g.texts, text)
	}
	return n
}

func (g *linkGraph) number(url string) uint32 {
	k := keyOf(url)
	n, ok := g.numbers[k]
	if !ok {
		n = uint32(len(g.ends))
		g.numbers[k] = n
		g.urls = append(g.urls, url...)
		g.ends = append(g.ends, len(g.urls))
	}
	return n
}

// url returns the URL with a number.
func (g *linkGraph) url(n uint32) string {
	begin := 0
	if n > 0 {
		begin = g.ends[n-1]
	}
	return string(g.urls[begin:g.ends[n]])
}

// linksOf returns the links to a URL, at most limit of in, and those of its page, each as the other URL, text,
// rel and kind. Total counts all links to it.
func (g *linkGraph) linksOf(url string, limit int) (in, out [][4]string, total int) {
	wanted, known := g.numbers[keyOf(url)]
	if !known {
		return nil, nil, 0
	}
	rest := g.pages
	next := func() uint32 {
		v, n := binary.Uvarint(rest)
		rest = rest[n:]
		return uint32(v)
	}
	var targets []uint32
	for len(rest) > 0 {
		page, n := next(), int(next())
		targets = slices.Grow(targets[:0], n)[:n]
		for i, to := 0, uint32(0); i < n; i++ {
			to += next()
			targets[i] = to
		}
		for _, to := range targets {
			text := next()
			if to == wanted {
				if total++; total <= limit {
					in = append(in, g.link(page, text))
				}
			}
			if page == wanted {
				out = append(out, g.link(to, text))
			}
		}
	}
	return in, out, total
}

func (g *linkGraph) link(url, text uint32) [4]string {
	t := g.texts[text]
	return [4]string{g.url(url), t[0], t[1], t[2]}
}
