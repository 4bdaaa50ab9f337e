package robotsext

import (
	"context"
	"fmt"
	"iter"
	"net/url"
	"time"

	"github.com/politecrawl/politecrawl/robotsext/internal/hook"
	"github.com/politecrawl/politecrawl/robotsext/sitemap"
)

// SitemapError says why a sitemap could not be read completely.
type SitemapError struct{ SitemapFile }

func (e *SitemapError) Error() string {
	if e.RetryAt.IsZero() {
		return fmt.Sprintf("sitemap %s: %v", e.URL, e.Err)
	}
	return fmt.Sprintf("sitemap %s: %v; retry after %s", e.URL, e.Err, e.RetryAt.UTC().Format(time.RFC3339))
}

func (e *SitemapError) Unwrap() error { return e.Err }

// SitemapFile reports how one sitemap was read.
type SitemapFile struct {
	URL           string
	FoundOn       string          // the robots.txt or index that lists it; "": none
	Attempts      int             // requests, not counting redirects
	Status        int             // of the last response; 0 if there was none
	Summary       sitemap.Summary // of the last attempt
	NotAuthorized int             // entries rejected by Options.Sitemaps.Policy
	RetryAt       time.Time       // earliest useful retry, if Sitemaps did not wait for it; zero if unknown
	Err           error           // why reading stopped before the end
}

// Sitemaps yields the pages that the sitemaps of u's origin list, as they arrive. It
// fetches one file at a time with a delay, if robots.txt allows it, and retries three
// times. A listed page may still be disallowed. SitemapOptions.Policy says which entries count. An
// error has a zero Entry. A *SitemapError concerns one file, which was not read or has no entry
// that counts; the next file follows. If ctx is the Context of an attached collector, Sitemaps uses its transport, proxy
// and cookies.
func (r *Robots) Sitemaps(ctx context.Context, u *url.URL) iter.Seq2[sitemap.Entry, error] {
	return r.walk(ctx, u, func(w *sitemapWalk) (files []*sitemapJob) {
		if w.asked.File != nil {
			for _, line := range w.asked.File.Sitemaps {
				if j := w.job(line.URL, w.asked.Origin.RobotsURL()); j != nil {
					files = append(files, j)
				}
			}
		}
		if len(files) == 0 && w.options.Probe {
			j := w.job(string(w.asked.Origin)+"/sitemap.xml", "")
			j.guess = true
			files = append(files, j)
		}
		return files
	})
}

// Sitemap is like Sitemaps for the single sitemap at u, listed or not.
func (r *Robots) Sitemap(ctx context.Context, u *url.URL) iter.Seq2[sitemap.Entry, error] {
	return r.walk(ctx, u, func(w *sitemapWalk) []*sitemapJob {
		plain := *u
		plain.Fragment, plain.RawFragment = "", ""
		return []*sitemapJob{w.job(plain.String(), "")}
	})
}

// walk reads the sitemaps that first returns, and those that they list. If the robots.txt of u is
// unreachable, it yields the error.
func (r *Robots) walk(ctx context.Context, u *url.URL, first func(*sitemapWalk) []*sitemapJob) iter.Seq2[sitemap.Entry, error] {
	return func(yield func(sitemap.Entry, error) bool) {
		ctx, release := hook.Open(ctx)
		defer release()
		rec, err := r.Record(ctx, u)
		if err == nil && rec.Outcome == OutcomeUnreachable {
			err = Decision{Verdict: Later, Record: rec}.refusal(u.Redacted())
		}
		if err != nil {
			yield(sitemap.Entry{}, err)
			return
		}
		w := &sitemapWalk{
			robots: r, options: &r.options.Sitemaps, asked: rec, yield: yield,
			filesRemaining: r.options.Sitemaps.MaxFiles, retryBudget: r.lookup.Outage.RetryMax,
			known: make(map[string]*sitemapJob), refused: make(map[string]bool),
			listing: listing{lines: make(map[Origin]map[string]bool), unlisted: make(map[Origin]bool)},
		}
		w.push(first(w))
		w.run(ctx)
	}
}
