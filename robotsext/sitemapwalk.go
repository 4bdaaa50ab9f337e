package robotsext

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"

	"github.com/politecrawl/politecrawl/robotsext/secret"
	"github.com/politecrawl/politecrawl/robotsext/sitemap"
)

const (
	// maxSitemapDepth allows an index within an index, which the protocol forbids, but some sites
	// have (ROB-SMP-20).
	maxSitemapDepth = 2
	// maxSitemapRetries limits the retries of a file that failed (ROB-POL-08).
	maxSitemapRetries = 3
	// maxEntryFindings limits the findings about the entries of one file.
	maxEntryFindings = 1000
)

// sitemapWalk reads the sitemaps of an origin, depth first.
type sitemapWalk struct {
	robots  *Robots         // which decides what may be requested
	options *SitemapOptions // of robots
	asked   *Record         // of the origin whose sitemaps the caller wants
	yield   func(sitemap.Entry, error) bool

	filesRemaining int                    // remaining files of Options.Sitemaps.MaxFiles
	known          map[string]*sitemapJob // started and pending files, by address, also those of their redirects
	pending        []*sitemapJob          // files to start, the next one last
	deferred       []*sitemapJob          // files to retry at RetryAt
	retryBudget    time.Duration          // remaining time to wait for deferred files
	refused        map[string]bool        // files that an index must not list, by address
	listing        listing
}

// sitemapJob is one file of a walk.
type sitemapJob struct {
	SitemapFile
	addresses []string // the keys in known: of the URL and of its redirects
	parent    *sitemapJob
	depth     int  // number of parents
	guess     bool // requested because of Options.Sitemaps.Probe
	started   bool
	tries     int

	end      *url.URL         // where its redirects end
	scope    sitemap.Scope    // for that URL
	listedBy []string         // origins whose entries count
	rejected map[Origin]error // why the entries of other origins do not

	accepted      int             // entries that count
	kept          []sitemap.Entry // see take
	refusals      int             // files that it must not list
	problem       error           // the first finding
	entryFindings int
	tooDeep       bool // it lists files that are nested too deeply

	next           int              // Index of the first unread entry
	reportedOffset int64            // Offset of the last reported finding
	heldFinding    *sitemap.Finding // finding of an interrupted reading, reported only if retries fail
}

var errLoopEnded = errors.New("the caller ended the loop")

// temporaryError is a temporary failure.
type temporaryError struct {
	err     error
	retryAt time.Time // time of the next try
	notSent bool      // no request was sent, because it was too early
}

func (p *temporaryError) Error() string { return p.err.Error() }
func (p *temporaryError) Unwrap() error { return p.err }

// job returns a job for a file, or nil if the walk has it already.
func (w *sitemapWalk) job(file, foundOn string) *sitemapJob {
	address := addressOf(file)
	if w.known[address] != nil {
		return nil
	}
	j := &sitemapJob{SitemapFile: SitemapFile{URL: secret.StripUserinfo(file), FoundOn: foundOn}, reportedOffset: -1}
	w.know(j, address)
	return j
}

// know adds an address of a job.
func (w *sitemapWalk) know(j *sitemapJob, address string) {
	w.known[address] = j
	j.addresses = append(j.addresses, address)
}

// nested returns a job for a file that the index j lists, or nil if it is not read.
func (w *sitemapWalk) nested(j *sitemapJob, e sitemap.Entry) *sitemapJob {
	if known := w.known[addressOf(e.Loc)]; known != nil {
		for up := j; up != nil; up = up.parent {
			if up == known {
				w.reportEntry(j, sitemap.Loop, e, nil)
			}
		}
		return nil
	}
	if j.depth == maxSitemapDepth {
		j.tooDeep = true
		return nil
	}
	file := w.job(e.Loc, j.URL)
	file.parent, file.depth = j, j.depth+1
	return file
}

// addressOf returns the same key for URLs of the same file.
func addressOf(file string) string {
	u, err := url.Parse(file)
	if err != nil {
		return file
	}
	if u, err = CleanURL(u); err != nil {
		return file
	}
	o, err := OriginOf(u)
	if err != nil {
		return file
	}
	return string(o) + u.RequestURI()
}

// push adds files before the pending ones. It drops files at the end that exceed the
// limit, except one that reports the limit.
func (w *sitemapWalk) push(files []*sitemapJob) {
	slices.Reverse(files)
	w.pending = append(w.pending, files...)
	if beyond := len(w.pending) - (w.filesRemaining + 1); beyond > 0 {
		for _, j := range w.pending[:beyond] {
			for _, address := range j.addresses {
				delete(w.known, address)
			}
		}
		w.pending = slices.Delete(w.pending, 0, beyond)
	}
}

// run reads all files, until the caller ends the loop.
func (w *sitemapWalk) run(ctx context.Context) {
	for {
		j, err := w.pull(ctx)
		if j == nil {
			return
		}
		if err == nil {
			err = w.visit(ctx, j)
		}
		switch {
		case errors.Is(err, errLoopEnded):
			w.done(j, nil)
			return
		case ctx.Err() != nil:
			w.done(j, context.Cause(ctx))
			w.yield(sitemap.Entry{}, context.Cause(ctx))
			return
		}
		var p *temporaryError
		if errors.As(err, &p) {
			if p.notSent || j.tries <= maxSitemapRetries {
				j.RetryAt, j.Err = p.retryAt, p.err
				w.deferred = append(w.deferred, j)
				continue
			}
			err = p.err
		}
		if !w.finish(j, err) {
			return
		}
	}
}

// pull returns the next job, after waiting if necessary, or nil at the end of the walk.
// It returns an error with a job that is not tried again.
func (w *sitemapWalk) pull(ctx context.Context) (*sitemapJob, error) {
	if n := len(w.pending); n > 0 {
		j := w.pending[n-1]
		w.pending = w.pending[:n-1]
		return j, nil
	}
	if len(w.deferred) == 0 {
		return nil, nil
	}
	first := 0
	for i, j := range w.deferred {
		if j.RetryAt.Before(w.deferred[first].RetryAt) {
			first = i
		}
	}
	j := w.deferred[first]
	w.deferred = slices.Delete(w.deferred, first, first+1)
	wait := max(time.Until(j.RetryAt), 0)
	if wait > w.retryBudget {
		w.retryBudget = 0 // do not wait for the others either
		return j, j.Err
	}
	w.retryBudget -= wait
	j.RetryAt, j.Err = time.Time{}, nil
	due := time.NewTimer(wait)
	defer due.Stop()
	select {
	case <-due.C:
		return j, nil
	case <-ctx.Done():
		return j, context.Cause(ctx)
	}
}

// visit tries a file once.
func (w *sitemapWalk) visit(ctx context.Context, j *sitemapJob) error {
	if !j.started {
		if w.filesRemaining == 0 {
			w.pending = nil
			return ErrSitemapBudget
		}
		w.filesRemaining--
		j.started = true
	}
	j.tries++
	err := w.read(ctx, j)
	var p *temporaryError
	if errors.As(err, &p) && p.notSent {
		j.tries--
	}
	return err
}

// finish ends a job and yields its error. It reports whether the caller continues.
func (w *sitemapWalk) finish(j *sitemapJob, err error) bool {
	w.done(j, err)
	if err == nil || j.guess && isAbsent(j, err) {
		return true
	}
	return w.yield(sitemap.Entry{}, &SitemapError{j.SitemapFile})
}

// done reports the result of a file.
func (w *sitemapWalk) done(j *sitemapJob, err error) {
	j.Err, j.rejected = err, nil
	if j.heldFinding != nil && err != nil {
		w.options.OnFinding(j.URL, *j.heldFinding)
	}
	w.robots.log.Debug("sitemap", "url", j.URL, "status", j.Status, "entries", j.Summary.Entries, "error", err)
	w.options.OnFile(j.SitemapFile)
}

// isAbsent reports whether a guessed file does not exist: 4xx, no sitemap, or
// disallowed.
func isAbsent(j *sitemapJob, err error) bool {
	var blocked *BlockedError
	return errors.As(err, &blocked) && blocked.Reason == Disallowed ||
		j.Status >= 400 && j.Status <= 499 && j.Status != 408 && j.Status != 429 ||
		errors.Is(err, sitemap.NotASitemap) || errors.Is(err, sitemap.Empty)
}

// read fetches a file, yields the pages it lists and pushes the files.
func (w *sitemapWalk) read(ctx context.Context, j *sitemapJob) error {
	u, err := url.Parse(j.URL)
	if err != nil { // its text would contain the password
		j.URL = secret.RedactInvalidURL(j.URL)
		return errors.New("invalid URL")
	}
	body, err := w.open(ctx, u, j)
	if body == nil || err != nil {
		return err
	}
	defer body.close()
	if err := w.setScope(j); err != nil {
		return err
	}
	var nested []*sitemapJob
	defer func() { w.push(nested) }()
	reportedBefore := j.reportedOffset
	j.heldFinding = nil
	opts := &sitemap.Options{
		URL:       j.end.String(),
		Strict:    w.options.Strict,
		OnEnd:     func(s sitemap.Summary) { j.Summary = s },
		OnFinding: func(f sitemap.Finding) { w.reportFinding(j, body, f, reportedBefore) },
	}
	var end error
	for entry, err := range sitemap.Read(body, opts) {
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			end = err
		case entry.Index < j.next: // read by an earlier try
		default:
			j.next = entry.Index + 1
			file, err := w.take(ctx, j, entry, len(nested), false)
			if err != nil {
				return err
			}
			if file != nil {
				nested = append(nested, file)
			}
		}
	}
	if errors.Is(end, sitemap.Unreadable) && body.incomplete() {
		return &temporaryError{err: end, retryAt: w.nextTry(j, nil)}
	}
	if err := w.takeKept(ctx, j); err != nil {
		return err
	}
	switch {
	case end != nil:
		return end
	case j.tooDeep:
		return ErrSitemapDepth
	case j.accepted == 0 && j.refusals == 0 && j.problem != nil:
		return fmt.Errorf("%w: %w", ErrSitemapUseless, j.problem)
	}
	return nil
}

// reportFinding reports a finding within a file, once.
func (w *sitemapWalk) reportFinding(j *sitemapJob, body *download, f sitemap.Finding, reportedBefore int64) {
	switch {
	case f.Kind == sitemap.Unreadable && body.incomplete():
		j.heldFinding = &f
		return
	case f.Offset <= reportedBefore:
		return
	}
	j.reportedOffset = max(j.reportedOffset, f.Offset)
	w.report(j, f)
}

// report reports a finding in j.
func (w *sitemapWalk) report(j *sitemapJob, f sitemap.Finding) {
	if j.problem == nil {
		j.problem = &f
	}
	w.options.OnFinding(j.URL, f)
}

// reportEntry reports a finding about an entry.
func (w *sitemapWalk) reportEntry(j *sitemapJob, kind sitemap.Kind, e sitemap.Entry, err error) {
	switch j.entryFindings++; {
	case j.entryFindings <= maxEntryFindings:
		fix := "remove it"
		if kind == sitemap.NotAuthorized {
			fix = "list the sitemap in the robots.txt of that origin, or remove the entry"
		}
		w.report(j, sitemap.Finding{Kind: kind, Line: e.Line, Column: e.Column, Text: e.Loc, Err: err, Fix: fix})
	case j.entryFindings == maxEntryFindings+1:
		w.report(j, sitemap.Finding{Kind: sitemap.FindingsDropped, Line: e.Line})
	}
}
