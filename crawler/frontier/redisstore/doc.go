// Package redisstore is a frontier on a Redis or Valkey server, or on a Cluster. Any number
// of processes on any number of machines can share it.
//
// # Guarantees
//
// The guarantees of package frontier hold for all workers together. A URL is new for one
// worker only. A host gets at most MaxInFlight requests at a time (default 1), and none before
// its delay has passed. Workers share robots.txt records. A lease that its worker does not
// finish expires, and another worker gets the URL. Each lease has its own token, so that Finish
// rejects an expired lease.
//
// The store keeps times on the clock of Redis (TIME), in microseconds, and converts them to and
// from the clock of each worker, so these clocks may differ. If the clock of Redis is set
// back, waits get longer; if it is set forward, they get shorter.
//
// A note belongs to one worker, named by Options.WorkerName. It says how much of the worker's
// own files is written. A process that opens the crawl under the name of an earlier process
// gets its note, and the open leases of that name become pending again.
//
// # Failures
//
// A worker may die at any time. A server with appendonly yes and appendfsync always keeps all
// acknowledged writes, even after a power failure. With everysec, or after a failover to a
// replica, the last seconds may be missing; then some pages are fetched twice, and URLs from
// Add may be lost. README.md in this directory gives the details.
//
// While Redis is unreachable, calls are retried for Options.RetryTimeout and then fail with
// ErrUnavailable. A call has a unique number. If its reply is lost, it is sent again with this
// number and gets the reply of the first time, so nothing is done twice. A full or read-only
// server rejects whole calls (ErrFull, ErrReadOnly), so nothing is lost.
//
// # Coordination of workers
//
// Options.Settings are stored by the first worker and returned to all. Sync, called every
// few seconds, reports that a worker is running and returns the other workers and published
// messages. Reserve shares a limit, such as the maximum number of pages, between workers;
// SetReserved corrects a worker's share after a crash. An observer can read the state and
// publish a message that stops the workers. Delete deletes a crawl.
//
// # Permissions
//
// The password comes from Options, the address, a file or the environment. It never appears
// in an error, a log or a String method. The user needs these permissions, which Open checks
// (from Redis 7 on); politecrawl is Options.Prefix:
//
//	ACL SETUSER crawler on >PASSWORD resetkeys ~politecrawl:* resetchannels &politecrawl:* -@all \
//		+ping +eval +evalsha +subscribe +unsubscribe +publish +time +info \
//		+get +set +incr +hdel +hexists +hget +hgetall +hincrby +hscan +hset +llen +lpop +lrange +rpush \
//		+sadd +smismember +srem +zadd +zrange +zrangebyscore +zrem +zscore \
//		+cluster|slots +unlink +scan +role
//
// The last line is for a Cluster, for Sentinels and for Delete. If the address names a
// database, add +select. Sentinels need the same user.
//
// README.md in this directory describes keys, round trips and costs.
package redisstore
