package robotsext

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"time"

	"github.com/politecrawl/politecrawl/robotsext/sitemap"
)

// Errors of Sitemaps, each inside a *SitemapError.
var (
	ErrSitemapDepth   = errors.New("index nested too deep, what it lists is not read")
	ErrSitemapBudget  = errors.New("too many sitemap files, this one and those after it are not read")
	ErrSitemapTimeout = errors.New("sitemap takes too long to arrive")
)

// Kinds of findings that only a walk can tell.
const (
	// OutOfScope is about an entry, or a nested sitemap, that is left out because
	// of Options.Sitemaps.Policy (ROB-SMP-18 to ROB-SMP-20).
	OutOfScope sitemap.Kind = "the sitemap has no right to list this, left out"
	// SitemapLoop is about an index that lists itself, or one that led to it; it
	// is not read again (ROB-SMP-20).
	SitemapLoop sitemap.Kind = "the index lists itself, or one that led to it"
)

// SitemapError tells which file could not be read, wholly or partly.
type SitemapError struct {
	URL string
	// RetryAt is when the file may be asked for again, set if it was given up
	// because that is longer than Sitemaps waits; zero: nobody knows.
	RetryAt time.Time
	Err     error
}

func (e *SitemapError) Error() string {
	if e.RetryAt.IsZero() {
		return fmt.Sprintf("sitemap %s: %v", e.URL, e.Err)
	}
	return fmt.Sprintf("sitemap %s: %v; not to be asked for again before %s", e.URL, e.Err, e.RetryAt.UTC().Format(time.RFC3339))
}

// Unwrap returns Err.
func (e *SitemapError) Unwrap() error { return e.Err }

// SitemapFile is what came of one sitemap file.
type SitemapFile struct {
	URL      string
	Via      string // the robots.txt or the index that lists it; empty: nobody, it was tried
	Attempts int    // how often it was requested, redirects not counted; 0: never
	Status   int    // of the last answer; 0: there was none
	// Summary is of the last reading; zero if there was none.
	Summary    sitemap.Summary
	OutOfScope int       // entries left out because of Options.Sitemaps.Policy
	RetryAt    time.Time // as in SitemapError
	Err        error     // why it was not read to its end; nil: it was, or the caller left
}

// Sitemaps yields the pages of all sitemaps that the robots.txt of u's origin
// lists, as they arrive: each Entry says by File where it stands. Indexes are
// walked, each file once, and only what the robots.txt of its own origin allows
// is fetched (ROB-SMP-04); entries that Options.Sitemaps.Policy does not cover are
// left out. A listed page may still be disallowed: nothing here overrides a rule
// (ROB-SMP-23).
//
// One file is fetched at a time, when its server is due: Options.Sitemaps.Delay
// and Crawl-delay count together with the pages that go through this Robots, as
// Pace says. A file is received as fast as it comes, so the loop may take its
// time; what it has not taken yet is kept in memory, as it came, compressed
// maybe, 50 MiB at most. 408, 429, 5xx and network errors are asked again up to three
// times, with the back-off of Options.Outage.RetryMin or at Retry-After, while other
// files go on (ROB-POL-08, ROB-SMP-24). A file that breaks off is then read on
// where it did.
//
// An error is yielded with a zero Entry, and tells of one file, as a
// *SitemapError, or of robots.txt itself; entries already read stand, and the
// walk goes on with the next file if the loop does.
func (r *Robots) Sitemaps(ctx context.Context, u *url.URL) iter.Seq2[sitemap.Entry, error] {
	return func(yield func(sitemap.Entry, error) bool) {
		ctx, release := unsealed(ctx)
		defer release()
		w, rec := r.sitemaps.walk(ctx, u, yield)
		if w == nil {
			return
		}
		var files []*sitemapJob
		if rec.File != nil {
			for _, line := range rec.File.Sitemaps {
				if j := w.job(line.URL, rec.Origin.RobotsURL()); j != nil {
					files = append(files, j)
				}
			}
		}
		if len(files) == 0 && w.options.Probe {
			j := w.job(string(rec.Origin)+"/sitemap.xml", "")
			j.guess = true
			files = append(files, j)
		}
		w.push(files)
		w.run(ctx)
	}
}

// Sitemap is Sitemaps for one file that the caller knows of, and, if it is an
// index, the files that it lists. It counts as listed by the robots.txt of its
// own origin.
func (r *Robots) Sitemap(ctx context.Context, u *url.URL) iter.Seq2[sitemap.Entry, error] {
	return func(yield func(sitemap.Entry, error) bool) {
		ctx, release := unsealed(ctx)
		defer release()
		if w, _ := r.sitemaps.walk(ctx, u, yield); w != nil {
			plain := *u
			plain.Fragment, plain.RawFragment = "", ""
			w.push([]*sitemapJob{w.job(plain.String(), "")})
			w.run(ctx)
		}
	}
}

// sitemapReader reads sitemaps for Robots.
type sitemapReader struct {
	options SitemapOptions // with defaults
	robots  *Robots        // which decides what may be requested
	silence time.Duration  // after which a response that sends nothing more is given up
	backoff backoff
	now     func() time.Time
}

// walk returns a walk for the origin of u. If robots.txt is unreachable, it yields
// that, and returns nil.
func (s *sitemapReader) walk(ctx context.Context, u *url.URL, yield func(sitemap.Entry, error) bool) (*sitemapWalk, *Record) {
	rec, err := s.robots.Record(ctx, u)
	if err == nil && rec.Outcome == Unreachable {
		err = later(rec, u.Redacted())
	}
	if err != nil {
		yield(sitemap.Entry{}, err)
		return nil, nil
	}
	return &sitemapWalk{
		sitemapReader: s, listing: rec.Origin, left: s.options.MaxFiles, patience: s.backoff.max,
		known: make(map[string]bool), yield: yield,
	}, rec
}
