package report

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/crawldir"
	"github.com/politecrawl/politecrawl/crawler/internal/extsort"
	"github.com/politecrawl/politecrawl/crawler/internal/jsonlines"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext/sitemap"
)

// An IndexablePage is a page that a search engine may list: an HTML page with status 2xx, without
// noindex, and without another page as its canonical one.
type IndexablePage struct {
	URL string

	// LastMod is when the page changed last: the Last-Modified header, else the date in a sitemap
	// of its site. It is zero if neither is plausible.
	LastMod time.Time
}

// Indexable are the indexable pages of a crawl. The caller closes it.
type Indexable struct {
	Fetched int // pages of the crawl, indexable or not

	// Caveats are reasons why indexable pages may be missing; empty: none is.
	Caveats []string

	// Incomplete reports whether one of them is not a setting of the crawl: it has not finished,
	// or its files have lost data.
	Incomplete bool

	lines *extsort.Sorter
}

// FindIndexable reads the directory of a crawl, or the directories of all its workers. Its errors
// are those of [Generate].
//
// If a recrawl found a page unchanged (304), the facts of the page are those of the crawl that
// fetched it.
func FindIndexable(dirs []string, opts *Options) (*Indexable, error) {
	m, err := newMaker(dirs, opts)
	if err != nil {
		return nil, err
	}
	x := &indexer{maker: m, lines: extsort.New(0), unchanged: make(map[key]bool), listers: make(map[fileOrigin]bool)}
	if err := x.read(); err != nil {
		return nil, errors.Join(err, x.lines.Close())
	}
	result := &Indexable{
		Fetched: m.counters.pages, Caveats: m.caveats(ruleSitemapNotListed), lines: x.lines,
		Incomplete: m.unfinished() != "" || len(m.dirs.lost()) > 0 || len(x.unchanged) > 0,
	}
	if n := len(x.unchanged); n > 0 {
		result.Caveats = append(result.Caveats, fmt.Sprintf("%s unchanged since an earlier crawl, whose files are missing", subject(n, "page", "is", "are")))
	}
	if n := x.unlistable; n > 0 {
		result.Caveats = append(result.Caveats, fmt.Sprintf("%s no URL that a sitemap can list, such as one of 2,048 characters", subject(n, "page", "has", "have")))
	}
	return result, nil
}

// An indexer finds the indexable pages. It joins pages, earlier pages and sitemap entries by
// sorting a line for each of them by its URL.
type indexer struct {
	*maker
	lines      *extsort.Sorter
	failed     error               // of lines
	unchanged  map[key]bool        // pages with status 304 whose earlier lines were not read yet
	listers    map[fileOrigin]bool // which origins list a sitemap file
	unlistable int                 // pages whose URLs no sitemap can list
}

type fileOrigin struct {
	file   key
	origin string
}

func (x *indexer) read() error {
	err := errors.Join(
		x.merger.addFetches(),
		read(x.dirs, crawldir.SitemapsFile, x.merger.sitemap, x.addSitemap),
		read(x.dirs, crawldir.PagesFile, x.merger.page, x.addPage),
		x.merger.addRejections(),
		read(x.dirs, crawldir.RejectedFile, x.merger.rejection, x.addRejection),
		read(x.dirs, crawldir.EntriesFile, x.merger.entry, x.addEntry),
	)
	for n := x.dirs.recrawls(); n > 0 && len(x.unchanged) > 0 && err == nil && x.failed == nil; n-- {
		err = x.readEarlier(crawldir.RotatedName(crawldir.PagesFile, n))
	}
	return errors.Join(err, x.failed)
}

func (x *indexer) addSitemap(s *workerDir, f *output.Sitemap) {
	x.maker.addSitemap(s, f)
	x.listers[fileOrigin{keyOf(f.URL), f.Origin}] = true
}

func (x *indexer) addPage(s *workerDir, p *output.Page) {
	s.page(p)
	x.counters.page(p)
	if len(x.dirs) > 1 { // the rejection of another worker does not count
		x.facts.page(keyOf(p.URL), p.Status, 0)
	}
	use := x.useOf(p)
	switch {
	case use != useSkipped && !listable(p.URL):
		x.unlistable++
		return
	case use == useEarlier:
		x.unchanged[keyOf(p.URL)] = true
	}
	x.add(&indexLine{p.URL, use, p.FetchedAt, lastModified(p)})
}

func (x *indexer) addRejection(_ *workerDir, r *output.Rejection) {
	x.rejections.add(r)
	x.sitemaps.reject(r)
}

func (x *indexer) addEntry(_ *workerDir, e *output.Entry) {
	origin := originOf(e.URL)
	own := origin == originOf(e.Sitemap) || x.listers[fileOrigin{keyOf(e.Sitemap), origin}]
	if own && !e.LastMod.IsZero() && x.comparison.invalidLastmod(e) == "" {
		x.add(&indexLine{e.URL, useDate, time.Time{}, e.LastMod})
	}
}

// readEarlier reads the pages of an earlier crawl that have not changed since.
func (x *indexer) readEarlier(file string) error {
	found := make(map[key]bool)
	for _, s := range x.dirs {
		err := jsonlines.Each(filepath.Join(s.dir, file), func(_ int64, p *output.Page) error {
			k := keyOf(p.URL)
			if x.unchanged[k] && p.Status/100 == 2 {
				found[k] = true // several workers may have fetched it
				if x.useOf(p) == useListed {
					x.add(&indexLine{p.URL, useIfUnchanged, p.FetchedAt, lastModified(p)})
				}
			}
			return nil
		})
		if err = s.noteDamage(err); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	for k := range found {
		delete(x.unchanged, k)
	}
	return nil
}

func (x *indexer) add(l *indexLine) {
	if x.failed == nil && !strings.ContainsAny(l.url, " \n") { // else it is no URL
		x.failed = x.lines.Add(l.String())
	}
}

// listable reports whether a sitemap can list a URL. That of a page has a path.
func listable(url string) bool {
	err := sitemap.NewWriter(io.Discard, sitemap.URLSet, "").Write(url, time.Time{})
	return err == nil && strings.HasPrefix(url, originOf(url)+"/")
}

// A use is how a line of a URL is used.
type use byte

const (
	useListed      use = 'l' // indexable
	useSkipped     use = 's' // not indexable
	useEarlier     use = 'e' // unchanged: as in an earlier crawl
	useIfUnchanged use = 'u' // indexable in an earlier crawl
	useDate        use = 'd' // a date from a sitemap
)

func (x *indexer) useOf(p *output.Page) use {
	switch f := (fact{marks: x.counters.marksOf(p)}); {
	case f.indexable():
		return useListed
	case p.Status == http.StatusNotModified && !f.has(noindex|elsewhere):
		return useEarlier
	}
	return useSkipped
}

// justNow is the age of a page that was generated for the request.
const justNow = time.Minute

// lastModified returns when a page changed by its header; zero: it does not say, or it says a time
// that is not before the request.
func lastModified(p *output.Page) time.Time {
	t, err := http.ParseTime(p.Headers["last-modified"])
	if err != nil || t.Before(firstWeb) || t.After(p.FetchedAt.Add(-justNow)) {
		return time.Time{}
	}
	return t
}

// An indexLine is a line to sort. Its text begins with the URL.
type indexLine struct {
	url     string
	use     use
	at      time.Time // of the fetch
	lastMod time.Time
}

// String returns the line.
func (l *indexLine) String() string {
	return fmt.Sprintf("%s %c %d %d", l.url, l.use, unixMilli(l.at), unixMilli(l.lastMod))
}

func unixMilli(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func parseIndexLine(text string) (*indexLine, error) {
	fields := strings.Split(text, " ")
	if len(fields) != 4 || len(fields[1]) != 1 {
		return nil, fmt.Errorf("invalid line %q of a temporary file", clip(text))
	}
	at, err := strconv.ParseInt(fields[2], 10, 64)
	lastMod, bad := strconv.ParseInt(fields[3], 10, 64)
	l := &indexLine{url: fields[0], use: use(fields[1][0]), at: time.UnixMilli(at)}
	if lastMod != 0 {
		l.lastMod = time.UnixMilli(lastMod).UTC()
	}
	return l, errors.Join(err, bad)
}

// All yields the pages in the order of their URLs, so that pages of one origin follow each
// other. It may be called again.
func (x *Indexable) All() iter.Seq2[IndexablePage, error] {
	return func(yield func(IndexablePage, error) bool) {
		var u indexURL
		for text, err := range x.lines.All() {
			var l *indexLine
			if err == nil {
				l, err = parseIndexLine(text)
			}
			if err != nil {
				yield(IndexablePage{}, err)
				return
			}
			if l.url != u.url {
				if page, ok := u.page(); ok && !yield(page, nil) {
					return
				}
				u = indexURL{url: l.url}
			}
			u.add(l)
		}
		if page, ok := u.page(); ok {
			yield(page, nil)
		}
	}
}

// Close removes temporary files.
func (x *Indexable) Close() error { return x.lines.Close() }

// An indexURL joins the lines of a URL.
type indexURL struct {
	url     string
	now     *indexLine // of the crawl; nil: it was not fetched
	earlier *indexLine // of an earlier crawl, if it was indexable then; else nil
	date    time.Time  // the latest in a sitemap
}

func (u *indexURL) add(l *indexLine) {
	switch l.use {
	case useDate:
		if l.lastMod.After(u.date) {
			u.date = l.lastMod
		}
	case useIfUnchanged:
		u.earlier = latest(u.earlier, l)
	default:
		u.now = latest(u.now, l)
	}
}

func latest(a, b *indexLine) *indexLine {
	if a == nil || b.at.After(a.at) {
		return b
	}
	return a
}

// page returns the page, and reports whether it is indexable.
func (u *indexURL) page() (IndexablePage, bool) {
	switch {
	case u.now == nil:
	case u.now.use == useListed:
		return IndexablePage{u.url, cmp.Or(u.now.lastMod, u.date)}, true
	case u.now.use == useEarlier && u.earlier != nil:
		return IndexablePage{u.url, cmp.Or(u.now.lastMod, u.earlier.lastMod, u.date)}, true
	}
	return IndexablePage{}, false
}
