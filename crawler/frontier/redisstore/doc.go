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
// stop, and List and Delete are for who looks after the server.
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
// The last line is for a Cluster, for Sentinels, for Delete and for List. Where the
// address names a database, +select. Sentinels are asked as the same user, who has
// to be known to them too.
//
// # Keys
//
// Hosts are divided into shards by a hash under a secret key; the number is fixed
// when a crawl is made. What belongs to a shard has its tag {sN} in the key, which
// in a Cluster is on one server, so that a script may change all of it as one.
//
//	politecrawl:NAME:wake      channel  what is to be had earlier than was thought
//
//	…:{all}:meta               hash     format, shards, buckets, secret keys of hashes, settings
//	…:{all}:workers            hash     worker → instance, status, when it was heard of
//	…:{all}:told               list     messages of Tell
//	…:{all}:totals             hash     counter → number
//	…:{all}:taken:WORKER       hash     counter → what the worker has taken of it
//	…:{all}:last               hash     instance → the last answer to its Tell or Take
//
//	…:{sN}:state               string   counts, number of the last token, restarts
//	…:{sN}:hosts               hash     host → settings, clock, counts, open slots, queues
//	…:{sN}:robots              hash     host → records of robots.txt by origin
//	…:{sN}:due                 zset     host → when it may be leased from
//	…:{sN}:queue:P:HOST        list     URLs of priority P that were never leased, and Meta
//	…:{sN}:entries             hash     id → a URL that came back or waits for a time
//	…:{sN}:back:HOST           zset     id → priority, of those that are ready
//	…:{sN}:later               zset     id → time, of those that are not
//	…:{sN}:leases              hash     token → URL, worker, attempt
//	…:{sN}:expiry              zset     token → end of the lease
//	…:{sN}:seen:B              set      hashes of URLs
//	…:{sN}:over:B              hash     hash → validators, of URLs that are over
//	…:{sN}:notes, intents      hash     worker → its note; what a Finish is about to do
//	…:{sN}:workers             hash     worker → instance that has the name
//	…:{sN}:last:WORKER:LANE    string   the last answer, for a week
//	…:{sN}:calls               string   number of calls that changed something
//
// A hash of a URL is a whole number of 60 bits with one more decimal digit: 0 for
// what waits or is leased, 1 for done, 2 for dropped. It lies in one of many
// buckets, which another hash chooses, so that with ten million URLs the chance
// that two are taken for one is about one in a hundred million, and nobody can
// choose such URLs. Buckets have 300 hashes on average when Options.Expected URLs
// are known, and Redis keeps a set of up to 512 whole numbers as an array of 8
// bytes each.
//
// # Round trips
//
// One script, turn, ends leases, adds the links found, and leases what comes next.
// Calls that come in while others are on their way are sent together, by at most
// two lanes. So one server is asked less than once a page. In a Cluster a script
// sees one shard only: links to other shards are added first, then leases are
// ended. When a note goes with leases of several shards, what is to be done is
// written down first, so that a process that dies in between leaves it to the
// next of its name.
//
// A worker that waits does not poll. It knows when the next host of each shard is
// due, and is told by a message when something comes earlier; every five seconds
// it asks, in case one was lost.
//
// # What it costs
//
// A crawl of 2,000 hosts, 16 workers in one process that fetch in no time, 30
// links a page, 12 of a hundred of them new, on two cores that others wanted too
// (load 12 to 17, at a better priority than theirs), Redis 7.0 on the same machine.
// Scripts are EVALSHA a page, and CPU is in microseconds a page:
//
//	                        pages/s   scripts   Redis's CPU   the worker's CPU
//	one server                8,325      0.43            79                 41
//	appendfsync everysec      7,316      0.43            93                 46
//	without the cache         3,603      0.46           177                 91
//	Cluster of 3 masters      2,259       6.6           289                147
//
// These are the better of two rounds of 30,000 pages; of 100,000 pages one server did
// 8,280 a second. A server is busy with one core at the most, so that by its CPU a page
// it could do 12,000 where workers have cores of their own. Workers that fetch for real do not come near that. A Cluster is for
// memory and for several machines; on two cores its masters only take CPU from each
// other, and a turn that touches many shards is many calls.
//
// A million URLs of 59 bytes, with 4 bytes of Meta, take 50 MB while they wait and
// 10 MB when they are done, hosts included. With four times as many URLs as
// Options.Expected it is 123 and 79 bytes a URL instead: Redis then turns the
// buckets into hash tables. A crawl of few hosts fills few shards, so that
// Expected should be larger for it by as much.
//
//	go test -run '^$' -bench Crawl -benchtime 30000x .
//	go test -run '^$' -bench Memory -benchtime 1000000x .
//	REDISSTORE_EXPECTED=100000 go test -run '^$' -bench Memory -benchtime 400000x .
package redisstore
