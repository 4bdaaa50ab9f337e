// Package logstore is a frontier in a directory: one append-only log, and an index of it in memory. A
// crawl that uses it resumes after its process has ended, even by SIGKILL.
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
// some space and open the directory again: no acknowledged write is lost.
//
// # Memory
//
// A known URL takes 14 to 17 bytes: a 64-bit hash with a secret random key, and the offset of its
// record in the log. A waiting URL takes some 3 bytes more, or 24 if it was leased before. The text of
// URLs, their metadata, and hosts without waiting URLs are only in the log. With ten million URLs the
// chance of one collision, which would skip a new URL as known, is 3 in a million.
//
// # Format
//
// The directory has a file named log. The file index, which Close writes, only saves reading
// the log; it can be deleted. LOCK and OWNER name the process that has the store open.
//
// The log is a sequence of frames. A frame is one commit: it is valid as a whole, or not at all.
// Numbers of fixed size are little-endian; varint and uvarint are those of package
// encoding/binary (and of Protocol Buffers). A string is a uvarint, its length, and its bytes. A
// checksum is CRC-32C (Castagnoli) with a start value, the salt.
//
//	frame    length of the records (4 bytes), type (1 byte), checksum of these 5 bytes (4 bytes), records
//	record   checksum of the length and body (4 bytes), length (uvarint), body
//
// The first frame has the type F and the salt 0. It has one record:
//
//	format   "politecrawl frontier\n", version (uvarint), id of the log (16 bytes), key of hashes (16 bytes)
//
// All others have the type C. Their salt is the checksum of the id, with the salt 0. The first byte of
// a body is its kind:
//
//	u   URL: flags, priority (a byte each), text (string), host, turn, ready, validators, metadata (the rest)
//	a   lease: offset of the record of the URL, attempts, turn (uvarints)
//	h   host: name (string), delay in nanoseconds, requests in flight at once (uvarints),
//	    blocked until, due (varints, Unix milliseconds; 0 for none), the numbers of URLs that are
//	    pending, scheduled, done and dropped (uvarints), number of origins (uvarint), origins (strings)
//	r   robots.txt: host, origin (strings), failing since (varint, Unix milliseconds; 0 for never), data (the rest)
//	n   note: the rest
//
// The lower two bits of the flags of a URL are its state: pending, scheduled, done, dropped. Bit 2 says
// that the host (string) is there, since it is not that of the URL; bit 3 that the number of attempts
// and the turn (uvarints) are, since the URL was leased or scheduled before; bit 4 that ETag, Last-Modified and
// body hash (strings) are. A scheduled URL has ready, its time in Unix milliseconds (varint).
// The text of a URL is that of its [frontier.Key].
//
// The last record of a key says what its state is; the key is the text of a URL, the name of a
// host, or a host and an origin. A URL without turn is leased after those of its host that were
// added before it and have its priority; those with a turn precede it, in the order of their turns.
// A lease that no record of its URL follows was open when the process ended: the URL is pending,
// with these attempts and this turn.
//
// A process that is killed leaves a frame that is not whole at the end of the log, and a power cut one
// with sectors of zeros. Open cuts it off. A wrong checksum elsewhere is damage, and Open returns
// [ErrDamaged].
//
// When more than half of the log are records that others have replaced, Open copies the rest into a new
// log with another id, which then gets the name of the old one.
package logstore
