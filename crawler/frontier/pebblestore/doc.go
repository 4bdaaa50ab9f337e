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
// README.md in the folder of this package says what that costs.
package pebblestore
