package report

import (
	"cmp"
	"maps"
	"math"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/crawldir"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// union decides which line counts where several directories have one of the same: a page
// that was fetched again after the lease of its first worker had expired; a URL that one
// worker rejected and another fetched; a URL that several rejected, each at a place where
// it found it. All lines of one directory count.
type union struct {
	facts    *facts
	sitemaps *sitemapFiles
	segments segments

	// latest has the pages and sitemap files of several directories, with the number of
	// the directory with the last fetch. Few leases expire, so there are few.
	latest map[key]uint16
	pages  int // of these

	outdated map[reading]bool
}

// A reading is of a sitemap file by one worker. It is outdated when other workers have read
// the file later for each host that lists it; the entries are then theirs.
type reading struct {
	sitemap key
	segment uint16
}

func newUnion(f *facts, files *sitemapFiles, all segments) *union {
	return &union{facts: f, sitemaps: files, segments: all, latest: make(map[key]uint16), outdated: make(map[reading]bool)}
}

// A claim is the last fetch of something in a directory: the milliseconds since 1970 in the
// upper 48 bits, the number of the directory in the lower 16. The highest counts.
type claim uint64

func claimOf(s *segment, at time.Time) claim {
	return claim(max(at.UnixMilli(), 0))<<16 | claim(s.number)
}

func (c claim) segment() uint16 { return uint16(c) }

// A fetch is the part of a line that tells which of several is the last.
type fetch struct {
	URL       string    `json:"url"`
	Host      string    `json:"host"` // of a sitemap file: who lists it
	FetchedAt time.Time `json:"fetched_at"`
}

// learnFetches finds the pages and sitemap files of several directories, and the readings
// that are outdated.
func (u *union) learnFetches() error {
	if len(u.segments) == 1 {
		return nil
	}
	if err := u.elect(crawldir.PagesFile, func(f *fetch) key { return keyOf(f.URL) }); err != nil {
		return err
	}
	u.pages = len(u.latest)
	if err := u.elect(crawldir.SitemapsFile, func(f *fetch) key { return sitemapKey(f.URL, f.Host) }); err != nil {
		return err
	}
	err := read(u.segments, crawldir.SitemapsFile, every, func(s *segment, m *output.Sitemap) {
		r := reading{keyOf(m.URL), s.number}
		if outdated, known := u.outdated[r]; !known || outdated {
			u.outdated[r] = !u.sitemap(s, m)
		}
	})
	maps.DeleteFunc(u.outdated, func(_ reading, yes bool) bool { return !yes })
	return err
}

// every counts every line.
func every[T any](*segment, *T) bool { return true }

// elect finds the directory with the last fetch of everything in a file that several
// directories have.
func (u *union) elect(file string, keyOf func(*fetch) key) error {
	claims := make(map[key]claim) // freed before anything else is kept of every URL
	several := make(map[key]bool)
	err := read(u.segments, file, every, func(s *segment, f *fetch) {
		k := keyOf(f)
		other, claimed := claims[k]
		if claimed && other.segment() != s.number {
			several[k] = true
		}
		claims[k] = max(other, claimOf(s, f.FetchedAt))
	})
	for k := range several {
		u.latest[k] = claims[k].segment()
	}
	return err
}

// learnRejections finds the directory whose rejection of each URL says most. It comes after
// the pages and sitemap files.
func (u *union) learnRejections() error {
	if len(u.segments) == 1 {
		return nil
	}
	return read(u.segments, crawldir.RejectedFile, every, func(s *segment, r *output.Rejection) {
		k, _ := u.key(r)
		old := u.facts.byURL[k]
		depth := uint8(min(max(r.Depth, 0), math.MaxUint8))
		if old.segment == 0 || says(r.Reason, depth, u.facts.reason(old), old.depth) {
			u.facts.reject(k, r.Reason)
			u.facts.update(k, func(f *fact) { f.segment, f.depth = s.number, depth })
		}
	})
}

// key stands for the URL of a rejection. It is no page where it is a sitemap file; there may
// be a page of the same URL.
func (u *union) key(r *output.Rejection) (k key, page bool) {
	if u.sitemaps.rejected(r) {
		return sitemapKey(r.URL, r.FoundOn), false
	}
	return keyOf(r.URL), true
}

// says reports whether a reason says more of a URL than another one: the higher weight, then
// the lower depth.
func says(more output.Reason, depth uint8, than output.Reason, thanDepth uint8) bool {
	return cmp.Or(weight(than)-weight(more), cmp.Compare(depth, thanDepth), cmp.Compare(more, than)) < 0
}

// weight ranks reasons as a crawl of one worker would: the outcome of a request over a URL
// that was not due yet, over one that was never to be requested, over what holds only where
// the URL was found.
func weight(r output.Reason) int {
	switch r {
	case output.Nofollow, output.NotAuthorized, output.Unchanged:
		return 0
	case output.OutOfScope, output.MaxDepth, output.TooManyRedirects:
		return 1
	case output.RobotsUnreachable, output.Deferred:
		return 2
	}
	return 3
}

// page reports whether a line of pages.jsonl counts.
func (u *union) page(s *segment, p *output.Page) bool { return u.counts(s, keyOf(p.URL)) }

// links reports whether a line of links.jsonl counts, which it does with that of its page.
func (u *union) links(s *segment, l *output.Links) bool { return u.counts(s, keyOf(l.URL)) }

// sitemap reports whether a line of sitemaps.jsonl counts.
func (u *union) sitemap(s *segment, m *output.Sitemap) bool {
	return u.counts(s, sitemapKey(m.URL, m.Host))
}

// entry reports whether a line of entries.jsonl counts.
func (u *union) entry(s *segment, e *output.Entry) bool {
	return len(u.outdated) == 0 || !u.outdated[reading{keyOf(e.Sitemap), s.number}]
}

func (u *union) counts(s *segment, k key) bool {
	latest, several := u.latest[k]
	return !several || latest == s.number
}

// rejection reports whether a line of rejected.jsonl counts. A URL that was fetched after
// all is a page.
func (u *union) rejection(s *segment, r *output.Rejection) bool {
	k, page := u.key(r)
	f := u.facts.byURL[k]
	return (!page || f.status == 0) && (f.segment == 0 || f.segment == s.number)
}
