package robotsext

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// BlockedError is the refusal of one URL, and a colly.ErrRobotsTxtBlocked.
type BlockedError struct {
	URL       string          // without password; an Origin if Visit refuses before all else
	Reason    Verdict         // Disallowed or Later
	Rule      *robotstxt.Rule // Disallowed: the rule that decided, with its line; else nil
	Group     string          // Disallowed: the product token of the group in force, or "*"
	Origin    Origin          // whose robots.txt decided
	RobotsURL string          // where that file is
	RetryAt   time.Time       // Later: when robots.txt is requested again
	Err       error           // Later: why robots.txt could not be read
}

func (e *BlockedError) Error() string {
	var b strings.Builder
	if e.Reason == Later {
		fmt.Fprintf(&b, "%s must wait", e.URL)
		if !e.RetryAt.IsZero() {
			fmt.Fprintf(&b, " until %s", e.RetryAt.UTC().Format(time.RFC3339))
		}
		fmt.Fprintf(&b, ": %s is unreachable", e.RobotsURL)
		if e.Err != nil {
			fmt.Fprintf(&b, ": %v", e.Err)
		}
		return b.String()
	}
	fmt.Fprintf(&b, "%s is disallowed", e.URL)
	if e.Rule != nil {
		fmt.Fprintf(&b, " by %q, line %d of %s, for user agent %q", "Disallow: "+e.Rule.Pattern, e.Rule.Line, e.RobotsURL, e.Group)
	}
	return b.String()
}

// Is finds colly.ErrRobotsTxtBlocked, and target in Err, but never the end of a context.
func (e *BlockedError) Is(target error) bool {
	switch target {
	case colly.ErrRobotsTxtBlocked:
		return true
	case context.DeadlineExceeded, context.Canceled:
		return false
	}
	return errors.Is(e.Err, target)
}

// As finds target in Err.
func (e *BlockedError) As(target any) bool { return errors.As(e.Err, target) }

// Errors of URLs, of collectors and requests that cannot be checked and are not sent, of
// Record.RedirectError, and of Sitemaps, there inside a *SitemapError.
var (
	ErrUnsupportedScheme = errors.New("unsupported scheme") // neither http, https nor ftp
	ErrInvalidHost       = errors.New("invalid host")       // or port

	// ErrDetached: the client of the collector was replaced after Attach.
	ErrDetached = errors.New("the collector has another transport than Attach gave it, so robots.txt is not checked: call Attach again after SetClient")
	// ErrUnsealed: its context was replaced, in a version of colly that robotsext does not know.
	ErrUnsealed = errors.New("the collector does not have the context that Attach gave it: set its context before Attach, and attach it before cloning it")
	// ErrUncheckable: CONNECT, OPTIONS *, opaque URLs, https with an Upgrade field.
	ErrUncheckable = errors.New("request has no path that robots.txt could speak of")
	ErrProxy       = errors.New("SetProxy needs Options.Transport to be nil or an *http.Transport")

	ErrRedirectLoop     = errors.New("redirects in a loop")
	ErrTooManyRedirects = fmt.Errorf("more than %d redirects", maxRedirects)

	ErrSitemapDepth   = errors.New("index nested too deep, what it lists is not read")
	ErrSitemapBudget  = errors.New("too many sitemap files, this one and those after it are not read")
	ErrSitemapTimeout = errors.New("sitemap takes too long to arrive")
)
