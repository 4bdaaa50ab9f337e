// Package frontier holds what a crawl has still to fetch, and decides which of
// it may be fetched now.
//
// # What a frontier is
//
// A crawler that knows a few URLs soon knows millions, nearly all of them on
// hosts that want to be asked once a second. So it is seldom short of URLs and
// nearly always short of URLs that may be requested now. The frontier stands
// between the two. It knows every URL ever seen, so that none is fetched twice;
// it keeps a queue for each host, a clock that says when the host may be asked
// again, and a heap of hosts by that time.
//
// A worker leases a URL, fetches it, and finishes the lease with an outcome:
//
//	     Add                 Lease                Finish
//	──────────► pending ─────────────► leased ─────────────► done, dropped
//	               ▲                     │ │                     │
//	               │◄────────────────────┘ │ Retry, Defer,       │
//	               │  expired              │ Done: at a time     │
//	               │                       ▼                     │
//	               │◄────────────────── scheduled                │
//	               │  the time has come                          │
//	               └─────────────────────────────────────────────┘
//	                  Revisit
//
// A lease ends by itself when nobody finishes it in time: the worker may have
// died. The URL is then leased again, and the old lease is worth nothing.
//
// A store that outlives the process goes on where it was. A crawler that writes
// what it has fetched into files of its own gives Finish a note of how far these
// are written: after a crash the note says which of it belongs to URLs that are
// over, and the rest will be fetched again.
//
// # Politeness
//
// A host is a server, whatever the scheme and however its name is spelt: http://h/,
// https://h/ and http://h./ are URLs of one host (see Host). Each of its origins
// has a robots.txt of its own.
//
// A host has slots, one by default, and a clock. Each lease takes a slot until
// it ends, and what its outcome says of the delay sets the clock: with one
// slot the delay runs from the end of a request to the start of the next, with
// more from start to start (ROB-POL-02). A request that is made outside a lease,
// such as a robots.txt that redirects to another host, takes its slot by Hold.
// So pages, sitemaps and robots.txt share one limit (ROB-POL-01), and a worker
// never sleeps while it keeps a slot.
//
// How long the delay is, and what is a reason to slow down, is not decided
// here but by the caller, outcome by outcome.
//
// README.md in the folder of this package says what Memory costs.
package frontier
