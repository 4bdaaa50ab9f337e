package report

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/jsonlines"
	"github.com/politecrawl/politecrawl/crawler/internal/results"
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

// Indexable are the indexable pages of a crawl.
type Indexable struct {
	// Pages are in the order of their URLs, so that pages of one origin follow each other.
	Pages []IndexablePage

	Fetched int // pages of the crawl, indexable or not

	// Caveats are reasons why indexable pages may be missing. It is empty if none is.
	Caveats []string

	// Incomplete reports whether any caveat has a cause other than the settings of the crawl: the
	// crawl has not finished, or its files have lost data.
	Incomplete bool
}

// FindIndexable reads the directory of a crawl, or the directories of all its workers. It returns
// the errors of [Generate]. It keeps the pages in memory.
//
// If a recrawl of an earlier release found a page unchanged (304), the facts of the page are those of
// the crawl that fetched it.
func FindIndexable(ctx context.Context, dirs []string, opts *Options) (*Indexable, error) {
	m, err := newModel(ctx, dirs, opts)
	if err != nil {
		return nil, err
	}
	x := &indexer{model: m, candidates: make(map[string]*candidate), listers: make(map[pair]bool)}
	if err := x.read(); err != nil {
		return nil, err
	}
	unknown := x.unknown()
	result := &Indexable{
		Pages: x.pages(), Fetched: m.counters.pages, Caveats: m.caveats(ofEntries | ofCrawl),
		Incomplete: m.unfinished() != "" || len(m.dirs.lost()) > 0 || unknown > 0,
	}
	if unknown > 0 {
		result.Caveats = append(result.Caveats, fmt.Sprintf("%s unchanged since an earlier crawl, whose files are missing", subject(unknown, "page", "is", "are")))
	}
	if n := x.unlistable; n > 0 {
		result.Caveats = append(result.Caveats, fmt.Sprintf("%s no URL that a sitemap can list, such as one of 2,048 characters", subject(n, "page", "has", "have")))
	}
	return result, nil
}

// An indexer finds the indexable pages.
type indexer struct {
	*model
	candidates map[string]*candidate // by URL
	listers    map[pair]bool         // of sitemap files and the origins that list them
	unlistable int                   // pages whose URLs no sitemap can list
}

// A candidate is a page that may be indexable. There may be a million, so its times are
// milliseconds since 1970.
type candidate struct {
	state   pageState
	earlier bool  // the state is that of an earlier crawl
	fetched int64 // when the page had the state
	header  int64 // when it changed; 0 if not known
	entry   int64 // the latest date in a sitemap; 0 if none
}

type pageState uint8

const (
	notIndexable pageState = iota
	isIndexable
	isUnchanged // as in an earlier crawl
)

func (x *indexer) stateOf(p *output.Page) pageState {
	switch f := (fact{marks: x.counters.marksOf(p)}); {
	case f.indexable():
		return isIndexable
	case statusOf(p) == http.StatusNotModified && !f.has(noindex|elsewhere):
		return isUnchanged
	}
	return notIndexable
}

func (x *indexer) read() error {
	err := errors.Join(
		x.merger.addFetches(),
		x.merger.eachSitemap(x.addSitemap),
		eachLatest(x.merger, results.Pages.Name(), func(p *output.Page) key { return keyOf(p.URL) }, x.addPage),
		x.merger.addRejections(),
		x.merger.eachRejection(x.addRejection),
		x.merger.eachEntry(x.addEntry),
	)
	for n := x.dirs.recrawls(); n > 0 && err == nil && x.unknown() > 0; n-- {
		err = x.readEarlier(results.RotatedName(results.Pages.Name(), n))
	}
	return err
}

func (x *indexer) addSitemap(s *workerDir, f *output.Sitemap) {
	x.model.addSitemap(s, f)
	x.listers[pairOf(keyOf(f.URL), keyOf(f.Origin))] = true
}

func (x *indexer) addPage(s *workerDir, p *output.Page) {
	s.page(p)
	x.counters.page(p)
	if len(x.dirs) > 1 { // the rejection of another worker does not count
		x.facts.page(keyOf(p.URL), p.Status, 0)
	}
	switch state := x.stateOf(p); {
	case state == notIndexable:
		delete(x.candidates, p.URL) // a killed crawl may have fetched it before
	case !listable(p.URL):
		x.unlistable++
	default:
		url := p.URL
		x.candidates[url] = &candidate{state: state, fetched: p.FetchedAt.UnixMilli(), header: lastModified(p)}
	}
}

func (x *indexer) addRejection(_ *workerDir, r *output.Rejection) {
	x.rejections.add(r)
	x.sitemaps.reject(r)
}

func (x *indexer) addEntry(_ *workerDir, e *output.Entry) {
	c := x.candidates[e.URL]
	if c == nil || e.LastMod.IsZero() || x.sitemaps.invalidLastmod(e) != "" {
		return
	}
	if origin := originOf(e.URL); origin == originOf(e.Sitemap) || x.listers[pairOf(keyOf(e.Sitemap), keyOf(origin))] {
		c.entry = max(c.entry, e.LastMod.UnixMilli())
	}
}

// unknown counts the pages that are unchanged since a crawl that was not read yet.
func (x *indexer) unknown() (n int) {
	for _, c := range x.candidates {
		if c.state == isUnchanged {
			n++
		}
	}
	return n
}

// readEarlier reads the pages of an earlier crawl that have not changed since. If several workers
// fetched a page, the last fetch counts.
func (x *indexer) readEarlier(file string) error {
	for _, s := range x.dirs {
		err := jsonlines.Each(filepath.Join(s.dir, file), func(_ int64, p *output.Page) error {
			c := x.candidates[p.URL]
			if c != nil && p.HasContent() && (c.state == isUnchanged || c.earlier && p.FetchedAt.UnixMilli() > c.fetched) {
				c.state, c.earlier, c.fetched, c.header = x.stateOf(p), true, p.FetchedAt.UnixMilli(), cmp.Or(c.header, lastModified(p))
			}
			return nil
		})
		if err = s.noteDamage(err); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// pages returns the indexable pages in the order of their URLs.
func (x *indexer) pages() []IndexablePage {
	maps.DeleteFunc(x.candidates, func(_ string, c *candidate) bool { return c.state != isIndexable })
	pages := make([]IndexablePage, 0, len(x.candidates))
	for url, c := range x.candidates {
		page := IndexablePage{URL: url}
		if lastMod := cmp.Or(c.header, c.entry); lastMod != 0 {
			page.LastMod = time.UnixMilli(lastMod).UTC()
		}
		pages = append(pages, page)
	}
	slices.SortFunc(pages, func(a, b IndexablePage) int { return strings.Compare(a.URL, b.URL) })
	return pages
}

// listable reports whether a sitemap can list a URL. The URL of a page has a path.
func listable(url string) bool {
	err := sitemap.NewWriter(io.Discard, sitemap.URLSet).Write(url, time.Time{})
	return err == nil && strings.HasPrefix(url, originOf(url)+"/")
}

// justNow is the age of a page that was generated for the request.
const justNow = time.Minute

// lastModified returns when a page changed by its header, or 0 if it does not say so or the time
// is not before the request.
func lastModified(p *output.Page) int64 {
	t, err := http.ParseTime(p.Headers["last-modified"])
	if err != nil || t.Before(firstWeb) || t.After(p.FetchedAt.Add(-justNow)) {
		return 0
	}
	return t.UnixMilli()
}
