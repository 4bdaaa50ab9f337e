// Package frontier stores the URLs of a crawl and decides which of them may be fetched now.
//
// # What a frontier is
//
// A crawler that starts with a few URLs soon knows millions, nearly all on hosts that allow
// one request per second. It rarely lacks URLs, but often has none that it may request now.
// The frontier solves this. It knows every URL ever seen, so that none is fetched twice. It
// has a queue and a due time for each host, and a heap of hosts by due time. The due time is
// the earliest time of the host's next request.
//
// An item is a URL with a kind, such as a sitemap or a URL that is only checked, so that one URL
// can be requested for several purposes (see Key). Kinds have a meaning only for the caller.
//
// A worker leases a URL, fetches it, and finishes the lease with an outcome. Each URL is in one
// of these states:
//
//	state      meaning                       next states
//	pending    waits until its host is due   leased (Lease)
//	scheduled  waits for its NotBefore       pending (at that time)
//	leased     is being fetched              done, dropped, pending, scheduled (Finish)
//	done       was fetched                   pending (Revisit)
//	dropped    will never be fetched         pending (Revisit)
//
// An outcome with a NotBefore makes the URL scheduled. A lease that is not finished in time
// expires, since the worker may have died: the URL is pending again, and the lease is invalid.
//
// A crawl with a durable store can be resumed after a restart. A crawler that writes results into
// files passes a note to Finish: a checkpoint that says how much of the files is written.
// After a crash the note says which results belong to finished URLs. The other URLs are fetched
// again.
//
// # Politeness
//
// A host is a server, for all schemes and spellings of its name: http://h/, https://h/ and
// http://h./ are URLs of one host (see Host). Each of its origins has its own robots.txt.
//
// A host has request slots, one by default, and a due time. Each lease occupies a slot until it
// ends. The delay in its outcome sets the due time. With one slot the delay runs from the end
// of a request to the start of the next; with more slots, from start to start. A request
// without a lease, such as a robots.txt that redirects to another host, gets its slot from
// Hold. So pages, sitemaps and robots.txt share one limit, and a worker never sleeps while it
// occupies a slot.
//
// The caller decides the length of the delay, outcome by outcome.
//
// README.md in this directory gives the memory and CPU costs of Memory.
package frontier
