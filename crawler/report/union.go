package report

import (
	"cmp"
	"maps"
	"math"
	"time"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// union decides which line counts where several directories have one of the same:
// a page that was fetched twice, since the lease of the first worker had expired; a
// URL that one worker left alone and another fetched; a URL that several left alone,
// each at a place where it found it. What one directory has counts as it stands
// there.
type union struct {
	facts    *facts
	sitemaps *sitemapFiles
	segments segments

	// latest is, of the pages and sitemap files that several directories have, the
	// number of the directory with the last fetch. The leases of few URLs expire, so
	// there are few.
	latest map[key]uint16
	pages  int // of these

	outdated map[reading]bool
}

// A reading is of a sitemap file, by a worker whose readings of it all were done again
// later by others: those have its entries.
type reading struct {
	sitemap key
	segment uint16
}

func newUnion(f *facts, files *sitemapFiles, all segments) *union {
	return &union{facts: f, sitemaps: files, segments: all, latest: make(map[key]uint16), outdated: make(map[reading]bool)}
}

// A claim is that of a directory to the last fetch of something: the milliseconds
// since 1970 in the upper 48 bits, its number in the lower 16. The highest counts.
type claim uint64

func claimOf(s *segment, at time.Time) claim {
	return claim(max(at.UnixMilli(), 0))<<16 | claim(s.number)
}

func (c claim) segment() uint16 { return uint16(c) }

// A fetch is what has to be known of a line to tell which of several is the last.
type fetch struct {
	URL       string    `json:"url"`
	Host      string    `json:"host"` // of a sitemap file: who listed it
	FetchedAt time.Time `json:"fetched_at"`
}

// learnFetches finds the pages and sitemap files that several directories have.
func (u *union) learnFetches() error {
	if len(u.segments) == 1 {
		return nil
	}
	pages, err := u.elect(output.PagesFile, func(f *fetch) key { return keyOf(f.URL) })
	if err != nil {
		return err
	}
	u.pages = len(pages)
	files, err := u.elect(output.SitemapsFile, func(f *fetch) key { return keyOfSitemap(f.URL, f.Host) })
	if err != nil {
		return err
	}
	maps.Copy(u.latest, pages)
	maps.Copy(u.latest, files)
	return u.learnReadings()
}

// elect returns, of all that several directories have a line of in a file, the number
// of the directory with the last fetch.
func (u *union) elect(file string, keyOf func(*fetch) key) (map[key]uint16, error) {
	claims := make(map[key]claim) // which will be gone before anything else is kept of every URL
	several := make(map[key]uint16)
	err := read(u.segments, file, func(s *segment, f *fetch) {
		k, mine := keyOf(f), claimOf(s, f.FetchedAt)
		other, claimed := claims[k]
		if claimed && other.segment() != s.number {
			several[k] = 0
		}
		claims[k] = max(other, mine)
	})
	for k := range several {
		several[k] = claims[k].segment()
	}
	return several, err
}

// learnReadings finds the readings of sitemap files that are outdated. A file that two
// hosts list is read once for each.
func (u *union) learnReadings() error {
	err := read(u.segments, output.SitemapsFile, func(s *segment, m *output.Sitemap) {
		r := reading{keyOf(m.URL), s.number}
		if _, known := u.outdated[r]; !known || u.sitemap(s, m) {
			u.outdated[r] = !u.sitemap(s, m)
		}
	})
	maps.DeleteFunc(u.outdated, func(_ reading, yes bool) bool { return !yes })
	return err
}

// learnRejections finds, of each URL that was left alone, the directory whose line says
// most. It comes after the pages and sitemap files.
func (u *union) learnRejections() error {
	if len(u.segments) == 1 {
		return nil
	}
	return read(u.segments, output.RejectedFile, func(s *segment, r *output.Rejection) {
		k, _ := u.key(r)
		old := u.facts.byURL[k]
		depth := uint8(min(max(r.Depth, 0), math.MaxUint8))
		if old.segment == 0 || says(r.Reason, depth, u.facts.reason(old), old.depth) {
			u.facts.leave(k, r.Reason)
			u.facts.elect(k, s.number, depth)
		}
	})
}

// key stands for what a line of rejected.jsonl is about. Page is false for a sitemap
// file, of which there may be a page, too.
func (u *union) key(r *output.Rejection) (k key, page bool) {
	if u.sitemaps.rejected(r) {
		return placeOf(r.URL, r.Via), false
	}
	return keyOf(r.URL), true
}

// says tells whether a reason says more of a URL than another one that was found for
// it, as a crawl of one worker would have it: what came of the URL when it was its
// turn, over that its turn had still to come, over why it was not to have one, over
// what holds only for the place where it was found; and of the same, the one that was
// found nearer to the start.
func says(more output.Reason, depth uint8, than output.Reason, thanDepth uint8) bool {
	return cmp.Or(cmp.Compare(weight(than), weight(more)), cmp.Compare(depth, thanDepth), cmp.Compare(more, than)) < 0
}

func weight(r output.Reason) int {
	switch r {
	case output.Nofollow, output.NotEntitled, output.Unchanged:
		return 0
	case output.OutOfScope, output.TooDeep, output.TooManyHops:
		return 1
	case output.Later:
		return 2
	}
	return 3
}

// page tells whether a line of pages.jsonl counts.
func (u *union) page(s *segment, p *output.Page) bool { return u.counts(s, keyOf(p.URL)) }

// links tells whether a line of links.jsonl counts: that of the page which counts does.
func (u *union) links(s *segment, l *output.Links) bool { return u.counts(s, keyOf(l.URL)) }

// sitemap tells whether a line of sitemaps.jsonl counts.
func (u *union) sitemap(s *segment, m *output.Sitemap) bool {
	return u.counts(s, keyOfSitemap(m.URL, m.Host))
}

// entry tells whether a line of entries.jsonl counts.
func (u *union) entry(s *segment, e *output.Entry) bool {
	return len(u.outdated) == 0 || !u.outdated[reading{keyOf(e.Sitemap), s.number}]
}

func (u *union) counts(s *segment, k key) bool {
	latest, several := u.latest[k]
	return !several || latest == s.number
}

// rejection tells whether a line of rejected.jsonl counts. A URL that was fetched after
// all is a page.
func (u *union) rejection(s *segment, r *output.Rejection) bool {
	k, page := u.key(r)
	f := u.facts.byURL[k]
	if page && f.status != 0 {
		return false
	}
	return f.segment == 0 || f.segment == s.number
}

// keyOfSitemap stands for a sitemap file as one host lists it.
func keyOfSitemap(url, host string) key { return keyOf(url + "\n" + host) }
