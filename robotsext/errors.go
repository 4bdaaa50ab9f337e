package robotsext

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/politecrawl/politecrawl/robotsext/internal/hook"
	"github.com/politecrawl/politecrawl/robotsext/record"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
	"github.com/politecrawl/politecrawl/robotsext/usage"
)

// BlockedError reports a refused URL. It matches colly.ErrRobotsTxtBlocked.
type BlockedError struct {
	URL       string           // the refused URL without password; for an unreachable robots.txt, colly's Visit reports only its origin
	Reason    Verdict          // Disallowed, Later or Usage
	Rule      *robotstxt.Rule  // Disallowed: the rule that decided, with its line; else nil
	Group     string           // Disallowed: the product token of the group, or "*"
	Origin    Origin           // the origin whose robots.txt decided
	RobotsURL string           // the URL of that file
	RetryAt   time.Time        // Later: when robots.txt is requested again
	Err       error            // Later: why robots.txt could not be read
	Purpose   usage.Purpose    // Usage: the purpose that is disallowed
	Statement *usage.Statement // Usage: what disallows it
}

func (e *BlockedError) Error() string {
	switch {
	case e.Reason == Usage:
		return fmt.Sprintf("%s is disallowed for %s by %q, %s of %s", e.URL, e.Purpose, e.Statement.Raw, e.Statement.Source, e.Origin)
	case e.Reason == Later:
		text := e.URL + " must wait"
		if !e.RetryAt.IsZero() {
			text += " until " + e.RetryAt.UTC().Format(time.RFC3339)
		}
		text += ": " + e.RobotsURL + " is unreachable"
		if e.Err != nil {
			text += ": " + e.Err.Error()
		}
		return text
	case e.Rule == nil:
		return e.URL + " is disallowed"
	}
	return fmt.Sprintf("%s is disallowed by %q, line %d of %s, for user agent %q", e.URL, "Disallow: "+e.Rule.Pattern, e.Rule.Line, e.RobotsURL, e.Group)
}

// Is matches colly.ErrRobotsTxtBlocked and the errors in Err, except context errors.
func (e *BlockedError) Is(target error) bool {
	switch target {
	case colly.ErrRobotsTxtBlocked:
		return true
	case context.DeadlineExceeded, context.Canceled:
		return false
	}
	return errors.Is(e.Err, target)
}

// As matches the errors in Err.
func (e *BlockedError) As(target any) bool { return errors.As(e.Err, target) }

// Errors, for errors.Is.
var (
	// ErrUnsupportedScheme and ErrInvalidHost mean that no robots.txt can exist for the URL.
	ErrUnsupportedScheme = record.ErrUnsupportedScheme // neither http, https nor ftp
	ErrInvalidHost       = record.ErrInvalidHost       // the host or port of the URL is invalid

	// ErrDetached and the next three mean that the request cannot be checked and is not sent.
	ErrDetached        = hook.ErrDetached        // the collector's transport was replaced: call Attach again after SetClient
	ErrContextReplaced = hook.ErrContextReplaced // only in an unsupported version of colly: set the context before Attach, and call Attach before Clone
	ErrUncheckable     = hook.ErrUncheckable     // CONNECT, OPTIONS *, opaque URL, invalid path, https with Upgrade header
	ErrProxy           = hook.ErrProxy           // SetProxy needs Options.Transport to be nil or an *http.Transport

	// ErrRedirectLoop and ErrTooManyRedirects are returned by Record.RedirectError; a *SitemapError wraps the first.
	ErrRedirectLoop     = record.ErrRedirectLoop
	ErrTooManyRedirects = record.ErrTooManyRedirects

	// ErrSitemapDepth and the next four are wrapped by a *SitemapError.
	ErrSitemapDepth   = errors.New("sitemap index nested too deeply, its sitemaps are skipped")
	ErrSitemapBudget  = errors.New("too many sitemap files, this one and all later ones are skipped")
	ErrSitemapTimeout = errors.New("timeout while receiving the sitemap")
	ErrSitemapRefused = errors.New("the index is not authorized to list this sitemap, it is skipped")
	ErrSitemapUseless = errors.New("no entry of the sitemap counts")
)
