// Package pebblestore is a frontier in a directory, which goes on where it was
// when its process ends, however that comes.
//
// # What it outlives
//
// A call that has returned is safe against the end of the process, also by
// SIGKILL, and with Options.Durability set to Power against that of the
// machine. A lease is not written at all: the entry of its URL stays in the
// queue until Finish, so that leases which were open are pending again. Only
// the attempt is noted, without the lease waiting for it.
//
// Whether a request was on its way when the process ended is not known. So no
// host that the store knows is due earlier than its delay after the opening, nor
// before what its last request or BlockUntil has asked for; one that is new is
// due at once. Hold returns when its host is in the store. Times of URLs that are
// scheduled are kept by the wall clock as it ran on from the opening; one that is
// set while the store is open is noticed when it is opened again. Delays below a
// millisecond are not kept.
//
// When the disk fails, every call says so from then on, and Close if none has. The
// directory can be opened again once there is room; what was acknowledged is
// there. What the database had in memory stays with the process.
//
// # How it works
//
// One goroutine, the committer, writes whatever callers have queued as one
// batch, and then makes it known: the more callers, the more of them share a
// write, and a single one does not wait for a timer. What is in memory is
// therefore always what is on disk.
//
//	kind        key                       value
//	name        n host name               id
//	host        h id                      settings, clock, counts
//	seen        s id, hash of URL         state; of those that are over, the URL
//	queue       q id, priority, number    URL, attempts
//	time        t milliseconds, number    the same, of those scheduled
//	attempt     a id, number              attempt of an open lease
//	validators  v id, hash of URL         validators
//	robots      r id, origin              robots record
//	meta        m name                    format, seed of hashes, number of openings, note
//
// A queue record that was written once is removed by SingleDelete, which leaves
// nothing behind; one that was written again is not, for that would bring
// earlier ones back. A URL that is revisited has a new number, and so a new key.
//
// In memory are the hashes of all URLs ever seen, up to Options.SeenBytes, then
// those asked for lately and the rest in the database; the hosts that have URLs
// pending, with the first few of these; and nothing of what is scheduled but
// the time of the first. Hashes have 64 bits, under a secret key of the store:
// among ten million URLs the chance that two share one, so that the second is
// taken as seen, is 3 in a million.
//
// # What it costs
//
// A crawl of 2,000 hosts by 16 workers who fetch in no time, 30 links a page, 12
// of a hundred of them new, up to 5 million URLs, each store in a process of its
// own, on two cores of an AMD EPYC that others used too:
//
//	                 pages/s   CPU µs/page   peak MB
//	load alone       154,723           6.3        29
//	frontier.Memory   69,582          11.4       407
//	this              27,865          36.6       242
//	up to 50 million   7,547          56.8     1,352   13.6 million pages, in 30 minutes
//
//	PEBBLESTORE_URLS=5000000 go test -run '^$' -bench 'Crawl/(load-alone|Memory|process)$' -benchtime 1x -timeout 0 .
//
// Figures of one run each, the last line while much else was running: compare
// CPU, and pages/s with each other only. A page is leased, finished, and adds 3.6
// URLs. Of the memory at 50 million, the URLs seen are 450 to 700 MB, and what the
// garbage collector leaves itself as room is as much again as what is in use.
//
// The prototype of this layout took 62 µs a page, 20 of them for its load, and
// 585 MB. Here the load is lighter, and the links of a page are not copied, which
// brought the crawl of one host below from 24 µs to 15.
//
// With SeenBytes a ninth of what would be needed, and links that go anywhere, a
// million URLs took 289 µs of CPU a page: most links are then looked up in the
// database. With Power it is the disk that counts.
//
// One host that answers at once, four workers who lease one URL at a time, and a
// finisher who takes what is there, 30 links a page, 5 of them new: 15 µs of CPU
// a page, and 80,000 pages/s at the most.
//
//	go test -run '^$' -bench Page -benchtime 2000x .
//
// Of 100,000 hosts each takes 560 bytes of memory while it is not due and has one
// URL pending, and 86 when it is done with, for its two URLs seen and for what
// maps keep of it.
//
//	go test -run '^$' -bench Hosts -benchtime 1x .
package pebblestore
