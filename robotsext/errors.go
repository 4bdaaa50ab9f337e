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

// BlockedError is the refusal of one URL. For both reasons
// errors.Is(err, colly.ErrRobotsTxtBlocked) holds, so that code written for
// colly's own check goes on working; errors.As with a *BlockedError gives the
// detail.
type BlockedError struct {
	// URL is what was to be fetched, as it was given but for a password. Where
	// Visit refuses before all else, as Attach says, only the host of the URL is
	// known, and URL is an Origin: it has no path, not even the "/" that every
	// URL of colly has.
	URL       string
	Reason    Verdict         // Disallowed or Later
	Rule      *robotstxt.Rule // Disallowed: the rule that decided, with its line; else nil
	Group     string          // Disallowed: the product token of the group in force, or "*"
	Origin    Origin          // whose robots.txt decided
	RobotsURL string          // where that file is asked for
	RetryAt   time.Time       // Later: when robots.txt will be asked again
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

// Is makes both refusals a colly.ErrRobotsTxtBlocked, and a later one whatever
// Err is, except the end of a context: that it took too long to connect for
// robots.txt is not to be taken for the end of the caller's own time.
func (e *BlockedError) Is(target error) bool {
	switch target {
	case colly.ErrRobotsTxtBlocked:
		return true
	case context.DeadlineExceeded, context.Canceled:
		return false
	}
	return errors.Is(e.Err, target)
}

// As finds target in Err. There is no Unwrap, which would undo what Is leaves out.
func (e *BlockedError) As(target any) bool { return errors.As(e.Err, target) }

// Errors of a collector that is no longer, or cannot be, checked.
var (
	// ErrDetached is why nothing is sent by a collector whose client was replaced
	// after Attach and not adopted since, as that of a clone, which has no OnRequest
	// callback to adopt it: its requests would not be checked any more.
	ErrDetached = errors.New("the collector has another transport than Attach gave it, so robots.txt is not checked: call Attach again after SetClient")
	// ErrUnsealed is why nothing is sent by a collector whose context was set after
	// Attach, or of which not it but a clone was attached, where robotsext does not
	// know the version of colly: a later replacement of the transport would go
	// unnoticed. For the same reason colly's own question for robots.txt gets this
	// error and no answer.
	ErrUnsealed = errors.New("the collector does not have the context that Attach gave it: set its context before Attach, and attach it before cloning it")
	// ErrUncheckable is the class of requests whose path cannot be compared with
	// rules, and which are therefore not sent: CONNECT, OPTIONS *, opaque URLs,
	// an https request that asks for another protocol.
	ErrUncheckable = errors.New("request has no path that robots.txt could speak of")
	// ErrProxy is why nothing is sent by a collector without a transport of its own
	// on which SetProxy was called while Options.Transport takes no proxy.
	ErrProxy = errors.New("SetProxy needs Options.Transport to be nil or an *http.Transport")
)
