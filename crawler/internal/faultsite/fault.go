package faultsite

import (
	"slices"
	"strconv"
	"time"
)

// Kind is what a fault befalls.
type Kind string

// The kinds.
const (
	Page    Kind = "page"
	Robots  Kind = "robots.txt"
	Sitemap Kind = "sitemap"
	Sound   Kind = "sound" // nothing: a host without a fault
)

// As is what a crawler takes an answer for.
type As string

// What an answer to a request for a page may be taken for.
const (
	Fetched     As = "fetched"     // an answer like any other, with its status
	Failed      As = "failed"      // no answer that could be read as a whole; a sitemap too
	Chained     As = "redirects"   // a chain of too many redirects
	Rules       As = "rules"       // robots.txt: there is one (ROB-GEN-01)
	AllowAll    As = "allow-all"   // robots.txt: there is none
	Unreachable As = "unreachable" // robots.txt: nobody knows, so nothing may be fetched
	Read        As = "read"        // a sitemap that was read to its end
	Faulty      As = "faulty"      // a sitemap of which something is wrong; what was read before counts
	Missing     As = "missing"     // no sitemap, by the status
)

// A Want is what a crawler should make of a fault. The zero Want says that the fault
// cannot befall this kind.
type Want struct {
	As     As
	Status int    // of HTTP, as it is to be recorded; 0: there is none
	Says   string // part of what the record tells a person; empty: it need not say anything
	// Follows tells whether what the answer leads to is queued: the links of a page, the
	// entries of a sitemap.
	Follows bool
	// Opens tells whether a robots.txt is one without rules: what the host meant to close
	// is open.
	Opens bool
	// Cut tells whether more comes than is read, which the record has to say.
	Cut bool
	// Twice tells whether the request comes a second time, after the delay, without
	// having failed: its connection went away before an answer began.
	Twice bool
}

// A Fault is one way in which a server misbehaves, as often as it is asked.
type Fault struct {
	Name string
	Does string // for a person, as in "the server …"

	// Endless tells that nothing but a time limit ends the answer.
	Endless bool

	Page, Robots, Sitemap Want

	act     act     // answers a request over HTTP/1
	act2    act2    // answers a request over HTTP/2; not nil: the host speaks that
	connect connect // spoils a connection before a request is read; see [host.spoils]
	secure  secure  // how the host shows who it is; not nil: it speaks TLS
}

// Want is what is to be made of the fault where it befalls k.
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

// TLS tells whether the hosts of the fault are https.
func (f *Fault) TLS() bool { return f.secure != nil || f.act2 != nil }

// Faults is the table of all faults, in the order of what they strike: silence, the
// connection, TLS, the status line, the header fields, interim answers, the framing of the
// body, its coding, what a status means, redirects, HTTP/2, and what stands in the body.
func Faults() []*Fault {
	return slices.Concat(silence(), broken(), insecure(), statusLines(), headers(), interim(),
		framing(), codings(), meanings(), redirects(), frames(), contents(), lists())
}

// OfConnections tells whether the fault befalls connections, and not what comes over them.
func (f *Fault) OfConnections() bool { return f.connect != nil || f.secure != nil }

// beat is the time between two bytes of what is slow, unless Options say otherwise.
const beat = 20 * time.Millisecond

// Short for the tables: what becomes of most answers.
func fetched(status int) Want      { return Want{As: Fetched, Status: status} }
func whole() Want                  { return Want{As: Fetched, Status: 200, Follows: true} }
func failed(says string) Want      { return Want{As: Failed, Says: says} }
func rules() Want                  { return Want{As: Rules, Status: 200} }
func open(status int) Want         { return Want{As: AllowAll, Status: status} }
func unreachable(says string) Want { return Want{As: Unreachable, Says: says} }
func read() Want                   { return Want{As: Read, Status: 200, Follows: true} }
func missing(status int) Want      { return Want{As: Missing, Status: status} }
func faulty(says string) Want      { return Want{As: Faulty, Status: 200, Says: says} }
func (w Want) following() Want     { w.Follows = true; return w }
func (w Want) status(n int) Want   { w.Status = n; return w }
func (w Want) opening() Want       { w.Opens = true; return w }
func (w Want) cut() Want           { w.Cut = true; return w }
func (w Want) twice() Want         { w.Twice = true; return w }

// fault is a fault by what becomes of each kind that it befalls.
func fault(name, does string, page, robots, sitemap Want, a act) *Fault {
	return &Fault{Name: name, Does: does, Page: page, Robots: robots, Sitemap: sitemap, act: a}
}

// lost is a fault that leaves no answer of any kind, for one reason.
func lost(name, does, says string, a act) *Fault {
	return fault(name, does, failed(says), unreachable(says), failed(says), a)
}

// waits is a fault that only a time limit ends.
func waits(name, does, says string, a act) *Fault { return endless(lost(name, does, says, a)) }

// fine is a fault that does no harm.
func fine(name, does string, a act) *Fault { return fault(name, does, whole(), rules(), read(), a) }

// refuses is an answer with a status by which nobody knows what robots.txt says.
func refuses(name, does string, status int, a act) *Fault {
	return fault(name, does, fetched(status), unreachable(strconv.Itoa(status)).status(status), missing(status), a)
}

// absent is an answer with a status by which there is no robots.txt.
func absent(name, does string, status int, a act) *Fault {
	return fault(name, does, fetched(status), open(status), missing(status), a)
}

// endless is for a fault that only a time limit ends.
func endless(f *Fault) *Fault {
	f.Endless = true
	return f
}

// again is for a fault that has the request for a page or a sitemap come twice. A
// robots.txt comes over a connection that nothing came over before.
func again(f *Fault) *Fault {
	f.Page, f.Sitemap = f.Page.twice(), f.Sitemap.twice()
	return f
}

// always is again, of a robots.txt too.
func always(f *Fault) *Fault {
	f.Robots = f.Robots.twice()
	return again(f)
}

// partly is for a fault that leaves the first half of an answer: what a sitemap lists
// there counts (ROB-SMP-22).
func partly(f *Fault) *Fault { return damaged(f, f.Sitemap.following()) }

// complete is for a fault behind the last byte of the body: a sitemap is read when its
// root element has ended.
func complete(f *Fault) *Fault { return damaged(f, read()) }

// damaged is for a fault of what stands in the body, which means something else for a
// sitemap: a thing to be told of, and no reason to ask for it again, or nothing at all.
func damaged(f *Fault, sitemap Want) *Fault {
	f.Sitemap = sitemap
	return f
}
