package report

import (
	"cmp"
	"maps"
	"math"
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

	latest   map[string]latest // by the names of files of fetches
	outdated map[reading]bool
}

// latest has the URLs with lines in several directories, for one file, and the number of the directory with the
// last fetch. Few leases expire, so there are few.
type latest map[key]uint16

func (l latest) counts(s *workerDir, k key) bool {
	dir, several := l[k]
	return !several || dir == s.number
}

// A reading is a sitemap file as one worker read it. It is outdated if other workers read the
// file later for each host that lists it: then their entries count.
type reading struct {
	sitemap key
	dir     uint16
}

func newMerger(f *facts, files *sitemapFiles, all workerDirs) *merger {
	return &merger{facts: f, sitemaps: files, dirs: all, latest: make(map[string]latest), outdated: make(map[reading]bool)}
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

// fetchKey stands for the URL of a fetch. Each origin that lists a sitemap file has a line of its own.
func fetchKey(url, origin string) key {
	if origin == "" {
		return keyOf(url)
	}
	return sitemapKey(url, origin)
}

// addFetches finds the URLs that several directories have in a file of fetches, and the outdated
// readings.
func (u *merger) addFetches() error {
	if len(u.dirs) == 1 {
		return nil
	}
	for _, name := range []string{results.Pages.Name(), results.Checks.Name(), results.Permissions.Name(), results.Sitemaps.Name()} {
		if err := u.findLatest(name); err != nil {
			return err
		}
	}
	latest := u.latest[results.Sitemaps.Name()]
	err := read(u.dirs, results.Sitemaps.Name(), every, func(s *workerDir, m *output.Sitemap) {
		r := reading{keyOf(m.URL), s.number}
		if outdated, known := u.outdated[r]; !known || outdated {
			u.outdated[r] = !latest.counts(s, fetchKey(m.URL, m.Origin))
		}
	})
	maps.DeleteFunc(u.outdated, func(_ reading, yes bool) bool { return !yes })
	return err
}

// every counts every line.
func every[T any](*workerDir, *T) bool { return true }

// findLatest finds the directory of the last fetch for each URL in a file that several
// directories have.
func (u *merger) findLatest(file string) error {
	claims := make(map[key]claim) // freed before the facts of all URLs are collected
	found := make(latest)
	err := read(u.dirs, file, every, func(s *workerDir, f *fetch) {
		k := fetchKey(f.URL, f.Origin)
		other, claimed := claims[k]
		if claimed && other.dir() != s.number {
			found[k] = 0
		}
		claims[k] = max(other, claimOf(s, f.FetchedAt))
	})
	for k := range found {
		found[k] = claims[k].dir()
	}
	u.latest[file] = found
	return err
}

// addRejections finds the directory whose rejection of each URL counts. Pages and sitemap
// files come first.
func (u *merger) addRejections() error {
	if len(u.dirs) == 1 {
		return nil
	}
	return read(u.dirs, results.Rejected.Name(), every, func(s *workerDir, r *output.Rejection) {
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

// eachLatest calls f for each line of a file of fetches that counts.
func eachLatest[T any](u *merger, file string, keyOf func(*T) key, f func(*workerDir, *T)) error {
	latest := u.latest[file]
	return read(u.dirs, file, func(s *workerDir, v *T) bool { return latest.counts(s, keyOf(v)) }, f)
}

// eachSitemap calls f for each line of sitemaps.jsonl that counts.
func (u *merger) eachSitemap(f func(*workerDir, *output.Sitemap)) error {
	return eachLatest(u, results.Sitemaps.Name(), func(m *output.Sitemap) key { return fetchKey(m.URL, m.Origin) }, f)
}

// eachCheck calls f for each line of checks.jsonl that counts.
func (u *merger) eachCheck(f func(*workerDir, *output.Check)) error {
	return eachLatest(u, results.Checks.Name(), func(c *output.Check) key { return keyOf(c.URL) }, f)
}

// eachLinks calls f for each line of links.jsonl that counts: a line counts if its page's line does.
func (u *merger) eachLinks(f func(*workerDir, *linksLine)) error {
	pages, checks := u.latest[results.Pages.Name()], u.latest[results.Checks.Name()]
	return read(u.dirs, results.Links.Name(), func(s *workerDir, l *linksLine) bool {
		k := keyOf(l.URL)
		return pages.counts(s, k) && checks.counts(s, k) // it may be a stylesheet that was only checked
	}, f)
}

// eachAnchors calls f for each line of anchors.jsonl that counts: a line counts if its page's line does.
func (u *merger) eachAnchors(f func(*workerDir, *output.Anchors)) error {
	pages := u.latest[results.Pages.Name()]
	return read(u.dirs, results.Anchors.Name(), func(s *workerDir, a *output.Anchors) bool { return pages.counts(s, keyOf(a.URL)) }, f)
}

// eachEntry calls f for each line of entries.jsonl that counts.
func (u *merger) eachEntry(f func(*workerDir, *output.Entry)) error {
	return read(u.dirs, results.Entries.Name(), func(s *workerDir, e *output.Entry) bool {
		return len(u.outdated) == 0 || !u.outdated[reading{keyOf(e.Sitemap), s.number}]
	}, f)
}

// eachRejection calls f for each line of rejected.jsonl that counts. A URL that another worker
// fetched is a page.
func (u *merger) eachRejection(f func(*workerDir, *output.Rejection)) error {
	return read(u.dirs, results.Rejected.Name(), func(s *workerDir, r *output.Rejection) bool {
		k, page := u.key(r)
		f := u.facts.byURL[k]
		return (!page || f.status == 0) && (f.dir == 0 || f.dir == s.number)
	}, f)
}
