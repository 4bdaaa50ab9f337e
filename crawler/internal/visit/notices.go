package visit

import (
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/notice"
	"github.com/politecrawl/politecrawl/crawler/internal/provenance"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
)

// NoticeOutage reports that an origin waits for its robots.txt until a time, with the error why.
func (v *Visitor) NoticeOutage(o robotsext.Origin, detail string, until time.Time, err error) {
	line := fmt.Sprintf("%s is unreachable: %s; it is requested again at %s", o.RobotsURL(), detail, notice.Clock(until))
	v.Causes.Show(string(weburl.ServerOf(string(o))), "outage", line+ownCA(err))
}

// ownCA says what to do about a certificate of an unknown authority.
func ownCA(err error) string {
	if _, unknown := errors.AsType[x509.UnknownAuthorityError](err); !unknown {
		return ""
	}
	return "; if you trust the CA, name the file of its certificate in SSL_CERT_FILE"
}

// noticeStart reports that robots.txt disallows a start URL, or where one redirects to, or that the
// requests for it failed, or that it is at a blocked address.
func (v *Visitor) noticeStart(it *item, r *output.Rejection) {
	host := string(it.lease.Host)
	switch {
	case r.Reason == output.BlockedAddress && it.prov.Source == provenance.Start:
		v.Log.Warn("start URL blocked", "url", r.URL, "error", r.Detail)
		if v.set.StartURLs > 1 {
			v.Board.Show(r.URL + " is skipped: " + r.Detail + "; see allow-addr")
		}
	case !it.prov.FromStart:
	case r.Reason == output.Disallowed:
		v.Causes.Show(host, r.Rule, fmt.Sprintf("%s is skipped: line %d of %s says %q", it.url, r.Line, r.RobotsURL, r.Rule))
	case r.Reason == output.Failed:
		v.Causes.Show(host, "failed", fmt.Sprintf("%s failed: %s", it.url, r.Detail))
	}
}

// noticeLogin reports that the server of a page requires a login.
func (v *Visitor) noticeLogin(it *item, status int) {
	if status != http.StatusUnauthorized {
		return
	}
	line := "%s requires a login (status 401): give it with --basic-auth or another flag for credentials"
	if v.Credentials.Has(it.origin) {
		line = "%s refuses the login (status 401): correct --basic-auth, or the other credentials"
	}
	v.Causes.Show(string(it.lease.Host), "login", fmt.Sprintf(line, it.origin))
}
