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
// Known URLs are kept as 64-bit hashes with a secret random key. With ten million URLs the chance
// of one collision, which would skip a new URL as known, is 3 in a million.
//
// README.md in this directory describes the storage and gives the costs.
package pebblestore
