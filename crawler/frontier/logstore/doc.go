// Package logstore is a frontier in a directory: one append-only log, and an index of it in memory. A
// crawl that uses it resumes after its process has ended, even by SIGKILL.
//
// The changes of a call that returned survive the end of the process; with Durability [Power], also a
// crash of the machine. Open leases do not survive: their URLs are pending again when the store is
// opened, and their attempts count. A request may have been in flight then, so every host that the
// store knows waits at least its delay. A longer HostDelay and BlockUntil are kept. A HostDelay
// below a millisecond is not stored. If the wall clock is set while the store is open, scheduled times
// follow it when the store is opened again.
//
// After a disk error every call returns the error; Close returns it if no other call did. Free
// some space and open the directory again: no acknowledged write is lost.
//
// A known URL takes 14 to 17 bytes of memory: a 64-bit hash with a secret random key, and the offset of
// its record. A waiting URL takes some 3 bytes more, or 24 if it was leased before. With ten million
// URLs the chance of one collision, which would skip a new URL as known, is 3 in a million.
//
// # Format
//
// The directory has a file named log. The file index, which Close writes, only saves reading
// the log. LOCK and OWNER name the process that has the store open.
//
// The log is a sequence of frames. A frame is one commit. Numbers of fixed size are little-endian;
// varint and uvarint are those of package [encoding/binary]. A string is a uvarint, its length, and
// its bytes. A checksum is CRC-32C, continued from the salt as if that were the checksum of the bytes
// before; with the salt 0 it is the usual CRC-32C. An offset is that of the checksum of a record in the file.
//
//	frame    length of the records (4 bytes), type (1 byte), checksum of these 5 bytes (4 bytes), records
//	record   checksum of the length and body (4 bytes), length (uvarint), body
//
// The first frame has the type F, the salt 0 and one record: "politecrawl frontier\n", the version 3
// (uvarint), the id of the log (16 bytes), and the key of the hashes (16 bytes). All others have
// the type C, and their salt is the checksum of the id with the salt 0. The first byte of a body is its kind:
//
//	u   URL: flags, priority (bytes), text (string), host, attempts, seq, ready, validators, metadata (the rest)
//	a   lease: offset of the record of the URL, attempts, seq (uvarints)
//	h   host: name (string), delay in nanoseconds, maximum in flight (uvarints), blocked until, due
//	    (varints, Unix milliseconds; 0 for none), numbers of URLs pending, scheduled, done, dropped
//	    (uvarints), number of origins (uvarint), origins (strings)
//	r   robots.txt: host, origin (strings), failing since (as above), data (the rest)
//	n   note: the rest
//
// The lower two bits of the flags of a URL are its state: 0 pending, 1 scheduled, 2 done, 3 dropped. With
// bit 2 it has a host (string) that is not the one in its text; with bit 3 attempts and seq
// (uvarints), since it was leased or scheduled before; with bit 4 ETag, Last-Modified and body hash
// (strings). A scheduled URL has ready (varint, Unix milliseconds). The text is that of its [frontier.Key].
//
// The last record of a text, of a host, of a host and an origin, and the last note are valid. The counts of
// a host may be older than its URLs. URLs of the same host and priority are leased in the order of
// seq, and then those without seq in the order of the log. If no record of its URL follows a
// lease, the process ended before the lease: the URL is pending, with attempts and seq of the last lease.
//
// A process that is killed leaves a part of a frame at the end of the log, and a power cut one with sectors
// of zeros. Open cuts it off. A wrong checksum elsewhere is damage, and Open returns [ErrDamaged]. If
// a log above 1 MiB has more replaced records than others, Open copies the rest into a new log with another id.
package logstore
