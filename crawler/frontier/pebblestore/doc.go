// Package pebblestore is a frontier in a directory. A crawl that uses it resumes after its
// process has ended, even by SIGKILL.
//
// # Durability
//
// The changes of a call that returned survive the end of the process. With Durability set to
// Power they also survive a crash of the machine. Open leases do not survive: their URLs are
// pending again when the store is opened, and their attempts count.
//
// A request may have been in flight when the process ended. So after Open, every host that the
// store knows waits at least its delay. A longer HostDelay and BlockUntil are kept too. Delays
// below a millisecond are not stored. If the wall clock is set while the
// store is open, scheduled times do not follow it until the store is opened again.
//
// After a disk error every call returns the error; Close returns it if no other call did. Free
// some space and open the directory again: no acknowledged write is lost. The memory of the
// failed database is not freed before the process ends.
//
// # How it works
//
// One goroutine, the committer, writes all queued changes as one batch, then applies them to
// the state in memory. It waits for no timer. The more callers there are, the more of them
// share a write.
//
//	kind        key                       value
//	name        n host name               id
//	host        h id                      settings, clock, counts
//	seen        s id, hash of URL         state; URL if it is done or dropped
//	queue       q id, priority, number    URL, attempts
//	time        t milliseconds, number    the same, for a scheduled URL
//	attempt     a id, number              attempt of an open lease
//	validators  v id, hash of URL         validators
//	robots      r id, origin              robots.txt record
//	meta        m name                    format, hash seed, open count, note
//
// A lease writes only its attempt, and does not wait for that. The queue record stays until
// Finish. A queue record that was written once is deleted with SingleDelete, which leaves no
// tombstone. A record that was written again needs a plain Delete, or its older version would
// reappear. A revisited URL gets a new number and so a new key.
//
// These are in memory: the hashes of all known URLs, the hosts with pending URLs, the first few
// URLs of each, and the time of the next scheduled URL. If the hashes exceed Options.SeenBytes,
// only the most recently used stay, and other URLs are looked up in the database. Hashes have
// 64 bits and a secret key for each store. With ten million URLs the chance of one collision,
// which would skip a new URL as known, is 3 in a million.
//
// README.md in this directory gives the costs.
package pebblestore
