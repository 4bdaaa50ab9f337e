package faultsite

import (
	"slices"
	"strconv"
	"time"
)

// Kind is what a fault affects.
type Kind string

// The kinds.
const (
	Page    Kind = "page"
	Robots  Kind = "robots.txt"
	Sitemap Kind = "sitemap"
	Healthy Kind = "healthy" // a host without a fault
)

// Outcome is how a crawler should treat a response.
type Outcome string

// The outcomes.
const (
	Fetched     Outcome = "fetched"     // page: a response with its status
	Failed      Outcome = "failed"      // page or sitemap: no complete response
	Chained     Outcome = "redirects"   // page: a chain of too many redirects
	Rules       Outcome = "rules"       // robots.txt: it has rules (ROB-GEN-01)
	AllowAll    Outcome = "allow-all"   // robots.txt: it does not exist
	Unreachable Outcome = "unreachable" // robots.txt: unknown, so nothing may be fetched
	Read        Outcome = "read"        // sitemap: it was read completely
	Faulty      Outcome = "faulty"      // sitemap: it has an error; entries before the error count
	Missing     Outcome = "missing"     // sitemap: it does not exist
)

// A Want is how a crawler should handle a fault. The zero Want says that the fault cannot affect
// this kind.
type Want struct {
	Outcome Outcome
	Status  int    // recorded HTTP status; 0 if none
	Detail  string // a part of the recorded explanation; empty if none is needed
	// Follows says that links of the page, or entries of the sitemap, are queued.
	Follows bool
	// NoRules says that the robots.txt has no valid rules, so that everything is allowed.
	NoRules bool
	// Truncated says that the response is longer than the limit, which must be recorded.
	Truncated bool
	// Repeated says that the request is sent again after the delay, without counting as failed: the
	// connection was closed before a response.
	Repeated bool
	// Retried says that a robots.txt is requested again, since its connection failed.
	Retried bool
}

// A Fault is one way in which a server misbehaves, at each request.
type Fault struct {
	Name        string
	Description string // completes a sentence that starts with "the server"

	// Endless says that only a timeout ends the response.
	Endless bool

	Page, Robots, Sitemap Want

	act     responder  // responds over HTTP/1
	act2    responder2 // responds over HTTP/2; nil if the host does not use HTTP/2
	connect connect    // breaks a connection before a request is read; see [host.hasConnFault]
	secure  secure     // the TLS fault; nil if none
}

// Want returns how a crawler should handle the fault if it affects k.
func (f *Fault) Want(k Kind) Want {
	switch k {
	case Page:
		return f.Page
	case Robots:
		return f.Robots
	case Sitemap:
		return f.Sitemap
	}
	return Want{}
}

// TLS reports whether the hosts of the fault use https.
func (f *Fault) TLS() bool { return f.secure != nil || f.act2 != nil }

// Faults returns all faults, in the order of what they affect: timeouts, connections, TLS, status
// lines, headers, interim responses, framing, content codings, statuses, redirects, HTTP/2,
// contents.
func Faults() []*Fault {
	return slices.Concat(silence(), broken(), insecure(), statusLines(), headers(), interim(),
		framing(), codings(), statuses(), redirects(), frames(), contents(), lists())
}

// InConnection reports whether the fault affects connections instead of responses.
func (f *Fault) InConnection() bool { return f.connect != nil || f.secure != nil }

// byteInterval is the time between two bytes of slow responses.
const byteInterval = 20 * time.Millisecond

// fetched and the functions below are short forms for the tables.
func fetched(status int) Want      { return Want{Outcome: Fetched, Status: status} }
func whole() Want                  { return Want{Outcome: Fetched, Status: 200, Follows: true} }
func failed(says string) Want      { return Want{Outcome: Failed, Detail: says} }
func rules() Want                  { return Want{Outcome: Rules, Status: 200} }
func open(status int) Want         { return Want{Outcome: AllowAll, Status: status} }
func unreachable(says string) Want { return Want{Outcome: Unreachable, Detail: says} }
func read() Want                   { return Want{Outcome: Read, Status: 200, Follows: true} }
func missing(status int) Want      { return Want{Outcome: Missing, Status: status} }
func faulty(says string) Want      { return Want{Outcome: Faulty, Status: 200, Detail: says} }
func (w Want) followed() Want      { w.Follows = true; return w }
func (w Want) status(n int) Want   { w.Status = n; return w }
func (w Want) withoutRules() Want  { w.NoRules = true; return w }
func (w Want) truncated() Want     { w.Truncated = true; return w }
func (w Want) repeated() Want      { w.Repeated = true; return w }
func (w Want) retried() Want       { w.Retried = true; return w }

// fault returns a fault with the Want for each kind.
func fault(name, does string, page, robots, sitemap Want, a responder) *Fault {
	return &Fault{Name: name, Description: does, Page: page, Robots: robots, Sitemap: sitemap, act: a}
}

// noResponse returns a fault without a readable response of any kind.
func noResponse(name, does, says string, a responder) *Fault {
	return fault(name, does, failed(says), unreachable(says).retried(), failed(says), a)
}

// notRetried marks a fault after which a robots.txt is not requested again: its response arrived.
func notRetried(f *Fault) *Fault {
	f.Robots.Retried = false
	return f
}

// stalls returns a fault that only a timeout ends.
func stalls(name, does, says string, a responder) *Fault {
	return endless(noResponse(name, does, says, a))
}

// harmless returns a fault that does no harm.
func harmless(name, does string, a responder) *Fault {
	return fault(name, does, whole(), rules(), read(), a)
}

// errorStatus returns a fault with a status that makes robots.txt unreachable.
func errorStatus(name, does string, status int, a responder) *Fault {
	return fault(name, does, fetched(status), unreachable(strconv.Itoa(status)).status(status), missing(status), a)
}

// notFound returns a fault with a status that means that robots.txt does not exist.
func notFound(name, does string, status int, a responder) *Fault {
	return fault(name, does, fetched(status), open(status), missing(status), a)
}

// endless marks a fault that only a timeout ends.
func endless(f *Fault) *Fault {
	f.Endless = true
	return f
}

// repeated marks a fault after which a page or sitemap is requested again at once. A robots.txt
// is not, since its connection is new.
func repeated(f *Fault) *Fault {
	f.Page, f.Sitemap = f.Page.repeated(), f.Sitemap.repeated()
	return f
}

// alwaysRepeated marks a fault after which a robots.txt is requested again too.
func alwaysRepeated(f *Fault) *Fault {
	f.Robots = f.Robots.repeated()
	return repeated(f)
}

// firstHalf marks a fault in the middle of the response: the sitemap entries before it count
// (ROB-SMP-22).
func firstHalf(f *Fault) *Fault { return withSitemap(f, f.Sitemap.followed()) }

// wholeBody marks a fault after the body: the sitemap is complete when its root element has
// ended.
func wholeBody(f *Fault) *Fault { return withSitemap(f, read()) }

// withSitemap sets the Want for a sitemap, if it differs from a page.
func withSitemap(f *Fault, sitemap Want) *Fault {
	f.Sitemap = sitemap
	return f
}
