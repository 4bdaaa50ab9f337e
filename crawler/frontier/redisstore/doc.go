// Package redisstore is a frontier on a Redis or Valkey server, or on a Cluster of
// them, that any number of processes on any number of machines share.
//
// # What it promises
//
// What package frontier promises, to all workers together: a URL is new to one of
// them, a host is asked by one at a time and no sooner than its delay allows, and
// what robots.txt said is known to all. A lease that its worker does not finish,
// because it died or lost Redis, expires and goes to another; what the first then
// says of it is refused, for a lease has a token that no other lease gets.
//
// All times are those of Redis (TIME), never of a worker, and are kept to the
// microsecond. Workers pass distances from now. When the clock of Redis is set back
// waits get longer; when it is set ahead they get shorter.
//
// A note belongs to a worker, by Options.Worker: it tells how far that worker's own
// files are written. A process that opens the crawl under a name that was used
// before gets its note, and gives back the leases that are still open under it.
//
// # What outlives what
//
// A worker may die at any moment. So may a server with appendonly, and with
// appendfsync always it comes back with all that it acknowledged, also after a
// power cut. With everysec it may lack the last second or two: not only after a
// power cut, as Redis puts off writing while a sync of its disk is under way. A
// replica that takes over, of a Cluster or by Sentinels, may lack the last moments
// too, as replication does not wait.
//
// What a server forgets it forgets as one, as if it had not been said. Pages that
// were ended then come again when the leases expire that they had before, and lead
// to their links again; workers find out that the server began anew, and send again
// what they thought it knew. So the crawl of one server, or of one with replicas,
// goes on to its end, and some pages are fetched twice. Of a Cluster one server may
// forget links when the end of their page is on another, and URLs that come from
// nowhere else, seeds, may be forgotten on any: where that matters, use always.
// Slots of a Cluster are not to be moved while workers are on, since a script
// cannot follow keys that leave in the middle of it.
//
// Hosts of a server that began anew are due no earlier than their delay from then,
// as requests may have been on their way that it does not know of. So they are when
// the first worker opens a crawl that nobody worked on.
//
// While Redis cannot be reached, calls are made again for Options.Patience, which
// may be for ever, and then fail with ErrUnavailable. A call whose answer was lost
// is sent again under its old number, and gets the old answer: what it added is
// new, what it leased is leased, what it ended is ended. A server that is full or
// read-only refuses a call whole (ErrFull, ErrReadOnly): workers stop, nothing is
// lost.
//
// # The crawl as a whole
//
// Beside the frontier there is what workers need to act as one. Options.Settings
// are those of the first and get to all. Sync, every few seconds, says that a
// worker is there and tells how the others are and what Tell has told them. Take
// shares out a limit, such as the most pages of a crawl: no more is taken of a
// counter than there is, and a worker that comes back after a crash sets right
// by Settle what it had taken. An observer may look on and tell the workers to
// stop. Delete removes a crawl from the server.
//
// # Who may do what
//
// The password comes from Options, the address, a file or the environment, and is
// in no error, log or String. A user of Redis's access control lists needs no more
// than this, which Open checks (from Redis 7 on), so that no script breaks off half
// done; politecrawl is Options.Prefix:
//
//	ACL SETUSER crawler on >PASSWORD resetkeys ~politecrawl:* resetchannels &politecrawl:* -@all \
//		+ping +eval +evalsha +subscribe +unsubscribe +publish +time +info \
//		+get +set +incr +hdel +hexists +hget +hgetall +hincrby +hscan +hset +llen +lpop +lrange +rpush \
//		+sadd +smismember +srem +zadd +zrange +zrangebyscore +zrem +zscore \
//		+cluster|slots +unlink +scan +role
//
// The last line is for a Cluster, for Sentinels and for Delete. Where the
// address names a database, +select. Sentinels are asked as the same user, who has
// to be known to them too.
//
// README.md in the folder of this package has the keys, the round trips and what
// they cost.
package redisstore
