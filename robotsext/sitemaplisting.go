package robotsext

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"

	"github.com/politecrawl/politecrawl/robotsext/secret"
	"github.com/politecrawl/politecrawl/robotsext/sitemap"
)

// A walk requests the robots.txt of so many origins because of their entries. A sitemap may name 50,000 hosts,
// and the owner of its domain may let each of them list it.
const (
	maxUnlisted = 10    // that do not list the sitemap
	maxListing  = 1_000 // that list it
)

// listing remembers which robots.txt files list the sitemaps of a walk (ROB-SMP-25).
type listing struct {
	lines    map[Origin]map[string]bool // addresses of the sitemaps that the robots.txt of an origin lists
	unlisted map[Origin]bool            // origins whose robots.txt does not list a sitemap with entries there
}

var (
	errOutsideDirectory = errors.New("it is outside the directory of the sitemap")
	errNotKnown         = errors.New("the robots.txt of its origin is not known to list the sitemap")
	errManyOrigins      = fmt.Errorf("the sitemaps have entries of more than %d origins that do not list them, or of more than %d that do", maxUnlisted, maxListing)
)

// take yields a page, or returns the job of a sitemap; n is how many the index has listed before.
// It reports an entry that does not count. As long as no entry of j counts, it keeps the entries on origins whose
// robots.txt is not known: that is requested only if the file has no others.
func (w *sitemapWalk) take(ctx context.Context, j *sitemapJob, e sitemap.Entry, n int, ask bool) (*sitemapJob, error) {
	refusal := w.authorize(ctx, j, e, ask || e.Sitemap)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.Is(refusal, errNotKnown) && j.accepted == 0:
		j.kept = append(j.kept, e)
		return nil, nil
	case refusal != nil:
		j.NotAuthorized++
		w.reportEntry(j, sitemap.NotAuthorized, e, refusal)
		if e.Sitemap && !w.refuse(j, e, refusal) {
			return nil, errLoopEnded
		}
		return nil, nil
	}
	j.accepted++
	if err := w.takeKept(ctx, j); err != nil {
		return nil, err
	}
	switch {
	case !e.Sitemap:
		e.File = j.URL
		if !w.yield(e, nil) {
			return nil, errLoopEnded
		}
	case n <= w.filesRemaining: // else it is beyond the limit
		return w.nested(j, e), nil
	}
	return nil, nil
}

// takeKept decides about the entries that are kept. If others count, no robots.txt is requested.
func (w *sitemapWalk) takeKept(ctx context.Context, j *sitemapJob) error {
	kept, ask := j.kept, j.accepted == 0
	j.kept = nil
	for _, e := range kept {
		if _, err := w.take(ctx, j, e, 0, ask); err != nil {
			return err
		}
	}
	return nil
}

// refuse ends a file that the index j must not list, once. It reports whether the caller continues.
func (w *sitemapWalk) refuse(j *sitemapJob, e sitemap.Entry, err error) bool {
	j.refusals++
	address := addressOf(e.Loc)
	if w.known[address] != nil || w.refused[address] || j.refusals > maxEntryFindings {
		return true
	}
	w.refused[address] = true
	file := &sitemapJob{SitemapFile: SitemapFile{URL: secret.StripUserinfo(e.Loc), FoundOn: j.URL}}
	return w.finish(file, fmt.Errorf("%w: %w", ErrSitemapRefused, err))
}

// setScope sets the scope of a file, after its redirects. The origin that was asked lists it, or the
// caller names it.
func (w *sitemapWalk) setScope(j *sitemapJob) (err error) {
	if j.listedBy == nil {
		j.listedBy = []string{string(w.asked.Origin)}
		root := j
		for root.parent != nil {
			root = root.parent
		}
		if root.FoundOn == "" && !root.guess {
			j.listedBy = append(j.listedBy, root.end.String())
		}
	}
	j.scope, err = sitemap.NewScope(w.options.Policy, j.end.String(), j.listedBy...)
	return err
}

// authorize returns why an entry of j does not count, or nil if it does. Ask says that the robots.txt of the
// entry's origin may be requested; else the refusal is errNotKnown.
func (w *sitemapWalk) authorize(ctx context.Context, j *sitemapJob, e sitemap.Entry, ask bool) error {
	if j.scope.Accepts(e) {
		return nil
	}
	if w.options.Policy != sitemap.Listed {
		return errOutsideDirectory
	}
	u, err := url.Parse(e.Loc)
	if err != nil {
		return errors.New("invalid URL")
	}
	o, err := OriginOf(u)
	if err != nil {
		return err
	}
	refusal, judged := j.rejected[o]
	if !judged {
		if refusal = w.unlisted(ctx, j, o, u, ask); refusal == nil {
			j.listedBy = append(j.listedBy, string(o))
			return w.setScope(j)
		}
		if !errors.Is(refusal, errNotKnown) && !errors.Is(refusal, errManyOrigins) { // there may be 50,000
			if j.rejected == nil {
				j.rejected = make(map[Origin]error)
			}
			j.rejected[o] = refusal
		}
	}
	if e.Sitemap && w.listing.lines[o][addressOf(e.Loc)] {
		return nil
	}
	return refusal
}

// unlisted returns why the robots.txt of o, the origin of u, does not authorize j, or nil if it does. The
// robots.txt of the origin that the caller named counts for o too if it redirects there.
func (w *sitemapWalk) unlisted(ctx context.Context, j *sitemapJob, o Origin, u *url.URL, ask bool) error {
	if n := len(w.asked.RedirectChain); n > 0 && w.asked.RedirectChain[n-1] == o.RobotsURL() && w.lists(w.asked, j) {
		return nil
	}
	rec, err := w.robots.lookup.Known(o), error(nil)
	if rec == nil {
		switch {
		case !ask:
			return errNotKnown
		case !w.listing.unlisted[o] && len(w.listing.unlisted) == maxUnlisted || len(w.listing.lines) >= maxListing:
			return errManyOrigins
		}
		rec, err = w.robots.Record(ctx, u)
	}
	switch {
	case err != nil:
	case rec.Outcome == OutcomeUnreachable:
		err = fmt.Errorf("%s is unreachable: %w", o.RobotsURL(), rec.Err)
	case w.lists(rec, j):
		return nil
	default:
		err = fmt.Errorf("%s does not list the sitemap", o.RobotsURL())
	}
	w.listing.unlisted[o] = true
	return err
}

// lists reports whether a robots.txt lists j, a URL that redirects to it, or an index above it.
func (w *sitemapWalk) lists(rec *Record, j *sitemapJob) bool {
	lines := w.listing.lines[rec.Origin]
	if lines == nil && rec.File != nil {
		lines = make(map[string]bool)
		for _, line := range rec.File.Sitemaps {
			lines[addressOf(line.URL)] = true
		}
		w.listing.lines[rec.Origin] = lines
	}
	for up := j; up != nil; up = up.parent {
		if slices.ContainsFunc(up.addresses, func(address string) bool { return lines[address] }) {
			return true
		}
	}
	return false
}
