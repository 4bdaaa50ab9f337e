package robotsext

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/robotsext/sitemap"
)

// SitemapScope says which pages a sitemap may list (ROB-SMP-18, D19).
type SitemapScope uint8

const (
	// ScopeListed holds the pages of the origin whose robots.txt lists the sitemap,
	// since that listing proves the sitemap's right to speak for it, and what
	// ScopeDirectory holds.
	ScopeListed SitemapScope = iota
	// ScopeDirectory holds the pages below the sitemap's own directory (ROB-SMP-19).
	ScopeDirectory
	// ScopeAny holds all.
	ScopeAny
)

// Limits of one walk over the sitemaps of an origin. An index within an index is
// outside the protocol, but there are some (ROB-SMP-20).
const (
	maxSitemapDepth     = 2
	maxSitemapRedirects = 5
)

// Errors of Sitemaps, each inside a *SitemapError.
var (
	ErrSitemapDepth  = errors.New("robotsext: index nested too deep")
	ErrSitemapBudget = errors.New("robotsext: too many sitemap files")
)

// SitemapError tells which file could not be read, wholly or partly.
type SitemapError struct {
	URL string
	Err error
}

func (e *SitemapError) Error() string { return fmt.Sprintf("robotsext: sitemap %s: %v", e.URL, e.Err) }

// Unwrap returns Err.
func (e *SitemapError) Unwrap() error { return e.Err }

// Sitemaps yields the pages of all sitemaps that the robots.txt of u's origin
// lists, as they are read. Indexes are walked, each file once, and each is
// fetched only if the robots.txt of its own origin allows it (ROB-SMP-04);
// pages outside Options.SitemapScope are left out. A listed page may still be
// disallowed: nothing here overrides a rule (ROB-SMP-23).
//
// An error is yielded with a zero Entry, and tells of one file, as a
// *SitemapError, or of robots.txt itself; entries already read stand, and the
// walk goes on with the next file if the loop does.
func (r *Robots) Sitemaps(ctx context.Context, u *url.URL) iter.Seq2[sitemap.Entry, error] {
	return func(yield func(sitemap.Entry, error) bool) {
		rec, err := r.Record(ctx, u)
		if err == nil && rec.Outcome == Unreachable {
			err = later(rec, u.Redacted())
		}
		if err != nil {
			yield(sitemap.Entry{}, err)
			return
		}
		if rec.File == nil {
			return
		}
		w := &sitemapWalk{robots: r, listing: rec.Origin, left: r.maxSitemaps, seen: make(map[string]bool), yield: yield}
		w.client = &http.Client{
			Transport: r.Transport(nil),
			CheckRedirect: func(_ *http.Request, via []*http.Request) error {
				if len(via) > maxSitemapRedirects {
					return fmt.Errorf("stopped after %d redirects", maxSitemapRedirects)
				}
				return nil
			},
		}
		for _, s := range rec.File.Sitemaps {
			if !w.walk(ctx, s.URL, 0) {
				return
			}
		}
	}
}

// sitemapWalk is one walk over the sitemaps of an origin.
type sitemapWalk struct {
	robots  *Robots
	client  *http.Client
	listing Origin          // whose robots.txt lists the sitemaps
	left    int             // files that may still be read
	seen    map[string]bool // URLs of files that were
	yield   func(sitemap.Entry, error) bool
}

// fail yields what went wrong with one file, or that the caller's context is
// over, and reports whether to go on.
func (w *sitemapWalk) fail(ctx context.Context, file string, err error) bool {
	if ctx.Err() != nil {
		w.yield(sitemap.Entry{}, context.Cause(ctx))
		return false
	}
	return w.yield(sitemap.Entry{}, &SitemapError{URL: file, Err: err})
}

// walk reads one file, and then the files it lists. It reports whether the
// caller of Sitemaps wants more.
func (w *sitemapWalk) walk(ctx context.Context, file string, depth int) bool {
	if w.seen[file] {
		return true
	}
	w.seen[file] = true
	if depth > maxSitemapDepth {
		return w.fail(ctx, file, ErrSitemapDepth)
	}
	if w.left == 0 {
		// One word about the end of the budget, not one for each file.
		w.left--
		return w.fail(ctx, file, ErrSitemapBudget)
	}
	if w.left < 0 {
		return true
	}
	w.left--
	nested, ok := w.read(ctx, file)
	if !ok {
		return false
	}
	for _, next := range nested {
		if !w.walk(ctx, next, depth+1) {
			return false
		}
	}
	return true
}

// read yields the pages of one file and returns the files it lists.
func (w *sitemapWalk) read(ctx context.Context, file string) (nested []string, more bool) {
	u, err := url.Parse(file)
	if err != nil {
		return nil, w.fail(ctx, file, err)
	}
	scope, err := w.scopeOf(u)
	if err != nil {
		return nil, w.fail(ctx, file, err)
	}
	fetch, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	body, err := w.open(fetch, u)
	if err != nil {
		return nil, w.fail(ctx, file, err)
	}
	defer body.Close()
	live := &liveReader{r: body, limit: w.robots.timeout, cancel: cancel}
	for entry, err := range sitemap.Read(live, nil) {
		switch {
		case err != nil:
			more = w.fail(ctx, file, err)
		case entry.Sitemap:
			more = true
			if scope.holdsFile(entry.Loc) {
				nested = append(nested, entry.Loc)
			}
		default:
			more = !scope.holdsPage(entry.Loc) || w.yield(entry, nil)
		}
		if !more {
			return nil, false
		}
	}
	return nested, true
}

// open requests a file through the gate.
func (w *sitemapWalk) open(ctx context.Context, u *url.URL) (io.ReadCloser, error) {
	if fetcher := w.robots.fetchers[u.Scheme]; fetcher != nil {
		if err := w.robots.Check(ctx, u); err != nil {
			return nil, err
		}
		return fetcher(ctx, u)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", w.robots.userAgent)
	resp, err := w.client.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		_ = resp.Body.Close()
		return nil, fmt.Errorf("status %d", resp.StatusCode)
	}
	return resp.Body, nil
}

// sitemapScope is where the entries of one file may lie.
type sitemapScope struct {
	policy  SitemapScope
	listing Origin
	own     Origin
	dir     string // of the file, with the slash at its end
}

func (w *sitemapWalk) scopeOf(u *url.URL) (*sitemapScope, error) {
	own, err := w.robots.originOf(u)
	if err != nil {
		return nil, err
	}
	dir, _ := path.Split(u.EscapedPath())
	return &sitemapScope{policy: w.robots.sitemapScope, listing: w.listing, own: own, dir: dir}, nil
}

func (s *sitemapScope) holdsPage(loc string) bool {
	return s.holds(loc, func(o Origin, below bool) bool {
		return o == s.own && below || s.policy == ScopeListed && o == s.listing
	})
}

// holdsFile: an index speaks for the sitemaps of its own host, and listing it
// extends that to the host that does.
func (s *sitemapScope) holdsFile(loc string) bool {
	return s.holds(loc, func(o Origin, below bool) bool {
		return o == s.own && (below || s.policy == ScopeListed) || s.policy == ScopeListed && o == s.listing
	})
}

func (s *sitemapScope) holds(loc string, within func(o Origin, below bool) bool) bool {
	if s.policy == ScopeAny {
		return true
	}
	u, err := url.Parse(loc)
	if err != nil {
		return false
	}
	o, err := OriginOf(u)
	if err != nil {
		return false
	}
	return within(o, strings.HasPrefix(removeDotSegments(or(u.EscapedPath(), "/")), s.dir))
}

var errStalled = errors.New("robotsext: no data for too long")

// liveReader gives up when a single read takes longer than limit. The time
// between reads is the caller's.
type liveReader struct {
	r      io.Reader
	limit  time.Duration
	cancel context.CancelCauseFunc
}

func (l *liveReader) Read(p []byte) (int, error) {
	stall := time.AfterFunc(l.limit, func() { l.cancel(errStalled) })
	defer stall.Stop()
	return l.r.Read(p)
}
