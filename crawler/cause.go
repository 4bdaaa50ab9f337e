package crawler

import (
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/politeness"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
)

// maxHostNotices is the number of hosts and kinds that hostNotices name. In a crawl of many hosts some
// always have problems.
const maxHostNotices = 20

// hostNotices tell the operator something about hosts as soon as it is known, such as the causes why
// they are not read: each kind once for a host.
type hostNotices struct {
	notice func(line string)
	rest   string // the last line, if there are more than maxHostNotices

	mu   sync.Mutex      // guards seen
	seen map[string]bool // by host and kind
}

// notify gives the notice, unless the host had one of this kind or too many were given, and returns
// whether it is the first of this kind for the host. The kind must not have text that varies, such as
// a time.
func (n *hostNotices) notify(host, kind, line string) (first bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	key := host + " " + kind
	if n.seen[key] {
		return false
	}
	if n.seen == nil {
		n.seen = make(map[string]bool)
	}
	n.seen[key] = true
	switch {
	case len(n.seen) <= maxHostNotices:
		n.notice(line)
	case len(n.seen) == maxHostNotices+1:
		n.notice(n.rest)
	}
	return true
}

// notifyOutage reports that an origin waits for its robots.txt until a time, with the error why.
func (c *Crawler) notifyOutage(o robotsext.Origin, detail string, until time.Time, err error) {
	line := fmt.Sprintf("%s is unreachable: %s; it is requested again at %s", o.RobotsURL(), detail, clock(until))
	c.causes.notify(string(weburl.ServerOf(string(o))), "outage", line+ownCA(err))
}

// notifyWaiting reports the outages of an earlier run that have not passed.
func (c *Crawler) notifyWaiting() error {
	origins, noted := c.record.Deferred.All()
	for _, o := range origins {
		host, err := c.frontier.Host(c.lifecycle.CommitCtx, weburl.ServerOf(string(o)))
		if err != nil {
			return err
		}
		rec, err := politeness.ReadRecord(host, o)
		if err != nil {
			return err
		}
		if rec == nil || rec.Outcome != robotsext.OutcomeUnreachable {
			continue
		}
		if until := latest(host.BlockedUntil, rec.RetryAt); until.After(time.Now()) {
			c.notifyOutage(o, noted[o].Rejection.Detail, until, nil)
		}
	}
	return nil
}

// ownCA says what to do about a certificate of an unknown authority.
func ownCA(err error) string {
	if _, unknown := errors.AsType[x509.UnknownAuthorityError](err); !unknown {
		return ""
	}
	return "; if you trust the CA, name the file of its certificate in SSL_CERT_FILE"
}

// notifyStart reports that robots.txt disallows a start URL, or where one redirects to, or that the
// requests for it failed.
func (w *worker) notifyStart(v *visit, r *output.Rejection) {
	switch {
	case !v.prov.FromStart:
	case r.Reason == output.Disallowed:
		w.c.causes.notify(string(v.lease.Host), r.Rule, fmt.Sprintf("%s is skipped: line %d of %s says %q", v.url, r.Line, r.RobotsURL, r.Rule))
	case r.Reason == output.Failed:
		w.c.causes.notify(string(v.lease.Host), "failed", fmt.Sprintf("%s failed: %s", v.url, r.Detail))
	}
}

// notifyLogin reports that the server of a page requires a login.
func (w *worker) notifyLogin(v *visit, status int) {
	if status != http.StatusUnauthorized {
		return
	}
	line := "%s requires a login (status 401): give it with --basic-auth or another flag for credentials"
	if w.c.discovery.credentials.Has(v.origin) {
		line = "%s refuses the login (status 401): correct --basic-auth, or the other credentials"
	}
	w.c.causes.notify(string(v.lease.Host), "login", fmt.Sprintf(line, v.origin))
}

// observe adjusts the delay of a host to the status of a response, and reports how long the host is not
// requested if it is slowed down.
func (w *worker) observe(v *visit, status int) error {
	c, host := w.c, v.lease.Host
	err := c.network.delays.Observe(c.lifecycle.CommitCtx, host, v.origin, v.group, status)
	if err != nil || !politeness.Slows(status) || !c.discovery.scope.HoldsServer(weburl.ServerOf(string(v.origin))) {
		return err
	}
	rec, err := c.frontier.Host(c.lifecycle.CommitCtx, host)
	if err != nil {
		return err
	}
	next := latest(rec.BlockedUntil, time.Now().Add(rec.Delay)) // that of Retry-After, if it is later
	c.causes.notify(string(host), fmt.Sprint(status), fmt.Sprintf("%s sent status %d: its delay is raised to %v, and the next request is at %s", v.origin, status, rec.Delay, clock(next)))
	return nil
}

// clock is a time as the summary of the program has it.
func clock(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05 -07:00") }
