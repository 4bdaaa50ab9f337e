package robotsext

import (
	"context"
	"fmt"
	"iter"
	"net/url"
	"time"

	"github.com/politecrawl/politecrawl/robotsext/sitemap"
)

// SitemapError says why a file could not be read, wholly or partly.
type SitemapError struct{ SitemapFile }

func (e *SitemapError) Error() string {
	if e.RetryAt.IsZero() {
		return fmt.Sprintf("sitemap %s: %v", e.URL, e.Err)
	}
	return fmt.Sprintf("sitemap %s: %v; not to be asked for again before %s", e.URL, e.Err, e.RetryAt.UTC().Format(time.RFC3339))
}

func (e *SitemapError) Unwrap() error { return e.Err }

// SitemapFile is what came of one sitemap file.
type SitemapFile struct {
	URL        string
	Via        string          // the robots.txt or index that lists it; "": none
	Attempts   int             // requests, redirects not counted
	Status     int             // of the last response; 0: there was none
	Summary    sitemap.Summary // of the last reading
	OutOfScope int             // entries that Options.Sitemaps.Policy leaves out
	RetryAt    time.Time       // when another try makes sense, later than Sitemaps waits; zero: unknown
	Err        error           // why it was not read to its end
}

// Sitemaps yields the pages that the sitemaps of u's origin list, as they arrive. It
// fetches one file at a time, paced, what its robots.txt allows, and retries
// three times. A page may still be disallowed. Errors come with
// a zero Entry, of a file as a *SitemapError; the walk goes on if the loop does.
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

// Sitemap is Sitemaps for one file, listed or not.
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
