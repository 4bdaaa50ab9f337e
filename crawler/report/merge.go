package report

import (
	"cmp"
	"maps"
	"math"
	"math/bits"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/results"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// A merger decides which line counts if several directories have a line about the same URL.
// Several workers fetch a page if the first one's lease expires. Several may reject a URL, or
// one rejects and another fetches it. All lines of a single directory count.
type merger struct {
	facts    *facts
	sitemaps *sitemapFiles
	dirs     workerDirs

	// latest has the pages, permissions and sitemap files that are in several directories, with the number
	// of the directory of the last fetch. Few leases expire, so there are few.
	latest map[key]uint16
	pages  int // of these

	outdated map[reading]bool
}

// A reading is a sitemap file as one worker read it. It is outdated if other workers read the
// file later for each host that lists it: then their entries count.
type reading struct {
	sitemap key
	dir     uint16
}

func newMerger(f *facts, files *sitemapFiles, all workerDirs) *merger {
	return &merger{facts: f, sitemaps: files, dirs: all, latest: make(map[key]uint16), outdated: make(map[reading]bool)}
}

// A claim is the last fetch of a URL in a directory: the milliseconds since 1970 in the upper
// 48 bits, the number of the directory in the lower 16. The highest counts.
type claim uint64

func claimOf(s *workerDir, at time.Time) claim {
	return claim(max(at.UnixMilli(), 0))<<16 | claim(s.number)
}

func (c claim) dir() uint16 { return uint16(c) }

// A fetch is the part of a line that decides which of several is the last.
type fetch struct {
	URL       string    `json:"url"`
	Origin    string    `json:"origin"` // of a sitemap file: the origin that lists it
	FetchedAt time.Time `json:"fetched_at"`
}

// addFetches finds the pages, permissions and sitemap files that are in several directories, and the
// outdated readings.
func (u *merger) addFetches() error {
	if len(u.dirs) == 1 {
		return nil
	}
	if err := u.findLatest(results.PagesFile, func(f *fetch) key { return keyOf(f.URL) }); err != nil {
		return err
	}
	u.pages = len(u.latest)
	if err := u.findLatest(results.ChecksFile, func(f *fetch) key { return checkKey(f.URL) }); err != nil {
		return err
	}
	if err := u.findLatest(results.PermissionsFile, func(f *fetch) key { return permissionKey(f.URL) }); err != nil {
		return err
	}
	if err := u.findLatest(results.SitemapsFile, func(f *fetch) key { return sitemapKey(f.URL, f.Origin) }); err != nil {
		return err
	}
	err := read(u.dirs, results.SitemapsFile, every, func(s *workerDir, m *output.Sitemap) {
		r := reading{keyOf(m.URL), s.number}
		if outdated, known := u.outdated[r]; !known || outdated {
			u.outdated[r] = !u.sitemap(s, m)
		}
	})
	maps.DeleteFunc(u.outdated, func(_ reading, yes bool) bool { return !yes })
	return err
}

// checkKey stands for a URL that was only checked. A page may have the same URL.
func checkKey(url string) key { return ^keyOf(url) }

// permissionKey stands for a line of permissions.jsonl. A withheld page has no other line.
func permissionKey(url string) key { return key(bits.ReverseBytes64(uint64(keyOf(url)))) }

// every counts every line.
func every[T any](*workerDir, *T) bool { return true }

// findLatest finds the directory of the last fetch for each URL in a file that several
// directories have.
func (u *merger) findLatest(file string, keyOf func(*fetch) key) error {
	claims := make(map[key]claim) // freed before the facts of all URLs are collected
	several := make(map[key]bool)
	err := read(u.dirs, file, every, func(s *workerDir, f *fetch) {
		k := keyOf(f)
		other, claimed := claims[k]
		if claimed && other.dir() != s.number {
			several[k] = true
		}
		claims[k] = max(other, claimOf(s, f.FetchedAt))
	})
	for k := range several {
		u.latest[k] = claims[k].dir()
	}
	return err
}

// addRejections finds the directory whose rejection of each URL counts. Pages and sitemap
// files come first.
func (u *merger) addRejections() error {
	if len(u.dirs) == 1 {
		return nil
	}
	return read(u.dirs, results.RejectedFile, every, func(s *workerDir, r *output.Rejection) {
		k, _ := u.key(r)
		old := u.facts.byURL[k]
		depth := uint8(min(max(r.Depth, 0), math.MaxUint8))
		if old.dir == 0 || outranks(r.Reason, depth, u.facts.reason(old), old.depth) {
			u.facts.reject(k, r.Reason)
			u.facts.update(k, func(f *fact) { f.dir, f.depth = s.number, depth })
		}
	})
}

// key returns the key of a rejected URL, and whether it is a page. A sitemap file and a page
// may have the same URL.
func (u *merger) key(r *output.Rejection) (k key, page bool) {
	if u.sitemaps.rejected(r) {
		return sitemapKey(r.URL, r.FoundOn), false
	}
	return keyOf(r.URL), true
}

// outranks reports whether a reason counts before another one: the higher weight, then the
// lower depth.
func outranks(more output.Reason, depth uint8, than output.Reason, thanDepth uint8) bool {
	return cmp.Or(weight(than)-weight(more), cmp.Compare(depth, thanDepth), cmp.Compare(more, than)) < 0
}

// weight ranks reasons as a crawl of one worker would: first the outcome of a request, then
// a URL that was not due yet, then one out of scope, then reasons of a single link or entry.
func weight(r output.Reason) int {
	switch r {
	case output.Nofollow, output.NotAuthorized, output.BeforeSince:
		return 0
	case output.OutOfScope, output.MaxDepth, output.TooManyRedirects:
		return 1
	case output.RobotsUnreachable, output.Deferred:
		return 2
	}
	return 3
}

// page reports whether a line of pages.jsonl counts.
func (u *merger) page(s *workerDir, p *output.Page) bool { return u.counts(s, keyOf(p.URL)) }

// links reports whether a line of links.jsonl counts: if that of its page does.
func (u *merger) links(s *workerDir, l *linksLine) bool {
	return u.counts(s, keyOf(l.URL)) && u.counts(s, checkKey(l.URL)) // it may be a stylesheet that was only checked
}

// anchors reports whether a line of anchors.jsonl counts: if that of its page does.
func (u *merger) anchors(s *workerDir, a *output.Anchors) bool { return u.counts(s, keyOf(a.URL)) }

// check reports whether a line of checks.jsonl counts.
func (u *merger) check(s *workerDir, c *output.Check) bool { return u.counts(s, checkKey(c.URL)) }

// sitemap reports whether a line of sitemaps.jsonl counts.
func (u *merger) sitemap(s *workerDir, m *output.Sitemap) bool {
	return u.counts(s, sitemapKey(m.URL, m.Origin))
}

// entry reports whether a line of entries.jsonl counts.
func (u *merger) entry(s *workerDir, e *output.Entry) bool {
	return len(u.outdated) == 0 || !u.outdated[reading{keyOf(e.Sitemap), s.number}]
}

func (u *merger) counts(s *workerDir, k key) bool {
	latest, several := u.latest[k]
	return !several || latest == s.number
}

// rejection reports whether a line of rejected.jsonl counts. A URL that another worker
// fetched is a page.
func (u *merger) rejection(s *workerDir, r *output.Rejection) bool {
	k, page := u.key(r)
	f := u.facts.byURL[k]
	return (!page || f.status == 0) && (f.dir == 0 || f.dir == s.number)
}
