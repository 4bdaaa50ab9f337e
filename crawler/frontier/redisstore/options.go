package redisstore

import (
	"cmp"
	"fmt"
	"log/slog"
	"os"
	"regexp"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// PasswordVariable is the environment variable with the password. It is read if no other
// source has one.
const PasswordVariable = "POLITECRAWL_REDIS_PASSWORD"

// Options configure a Store.
type Options struct {
	// CrawlName is the name of the crawl: letters, digits, '.', '_' and '-'. Any number of
	// crawls can share a server. Empty means "default".
	CrawlName string
	// Prefix is the prefix of all keys. Empty means "politecrawl".
	Prefix string
	// WorkerName is the unique name of this process in the crawl. The next process with the
	// name inherits its note and its leases, so a process that resumes after a crash must
	// keep its name. Empty means the name of the machine and a random suffix. Nobody inherits
	// these leases; they expire.
	WorkerName string
	// MustExist: Open does not create a missing crawl, but returns ErrNotFound.
	MustExist bool
	// Observe opens an existing crawl to read it and to Publish messages, without
	// becoming a worker. Calls that change URLs, hosts or counters return ErrObserver.
	Observe bool
	// Settings are stored with the crawl when this Open creates it. All workers read
	// them with Store.Settings. The store does not interpret them. At most 64 KiB.
	Settings []byte

	// Shards and ExpectedURLs are fixed when the crawl is created, and ignored later. Shards
	// is the number of parts of the crawl, which limits the number of Cluster servers
	// that it can use. 0 means 16 in a Cluster, 1 on a single server. If a crawl has more URLs
	// than ExpectedURLs, each URL needs more memory (see README.md). 0 means 10 million.
	Shards       int
	ExpectedURLs int

	// Delay and MaxInFlight are the values of a new host, until UpdateHost changes them.
	// 0 means no delay, and 1 request in flight. Use the same values for all workers.
	Delay       time.Duration
	MaxInFlight int
	// LeaseTime is the duration of holds, and of leases if LeaseRequest.Duration is 0.
	// 0 means 10 minutes.
	LeaseTime time.Duration
	// RetryTimeout is the time for which a call is retried while Redis is unavailable or
	// rejects writes, with pauses that grow to two seconds. 0 means 30 seconds, a
	// negative value no retries, math.MaxInt64 until the context ends. A Lease may exceed its
	// Wait by this time. Open does not retry.
	RetryTimeout time.Duration
	// OnOutage is called with ErrUnavailable or ErrReadOnly when the store starts to retry
	// calls, and with nil when they succeed again. It is called by one goroutine at a time. It
	// must return soon and must not use the store. It may be nil.
	OnOutage func(err error)

	// Password is the password of the user in the address. If it is empty, these are used
	// in this order: the address, the first line of PasswordFile, PasswordVariable.
	Password     string
	PasswordFile string

	// Logger logs restarts of the server, lost connections, and settings that a master of Sentinels
	// lacks (README.md). Nil means no logging.
	Logger *slog.Logger

	cacheBytes int // size of the cache of known URLs; 0 means 16 MiB, or 2 million URLs; negative means no cache
}

const (
	serverShards        = 1
	clusterShards       = 16
	defaultExpected     = 10_000_000
	defaultLeaseTime    = 10 * time.Minute
	defaultRetryTimeout = 30 * time.Second
	defaultCache        = 16 << 20

	maxShards   = 4096
	maxSettings = 64 << 10
)

var nameForm = regexp.MustCompile(`^[A-Za-z0-9._-]{1,100}$`)

// ValidName reports whether name is valid for a crawl, a prefix or a worker.
func ValidName(name string) bool { return nameForm.MatchString(name) }

func (o *Options) withDefaults() (Options, error) {
	var opts Options
	if o != nil {
		opts = *o
	}
	opts.CrawlName = cmp.Or(opts.CrawlName, "default")
	opts.Prefix = cmp.Or(opts.Prefix, "politecrawl")
	if opts.WorkerName == "" {
		machine, err := os.Hostname()
		if err != nil || !nameForm.MatchString(machine) {
			machine = "worker"
		}
		opts.WorkerName = machine[:min(len(machine), 60)] + "-" + newNonce()
	}
	for what, name := range map[string]string{"crawl": opts.CrawlName, "prefix": opts.Prefix, "worker": opts.WorkerName} {
		if !nameForm.MatchString(name) {
			return opts, fmt.Errorf("%s %q is not valid: use at most 100 letters, digits, '.', '_' and '-'", what, name)
		}
	}
	if len(opts.Settings) > maxSettings {
		return opts, fmt.Errorf("%w: settings of %d bytes", frontier.ErrInvalid, len(opts.Settings))
	}
	if opts.Shards < 0 || opts.Shards > maxShards {
		return opts, fmt.Errorf("%d shards: use 1 to %d", opts.Shards, maxShards)
	}
	opts.ExpectedURLs = cmp.Or(max(opts.ExpectedURLs, 0), defaultExpected)
	opts.Delay = max(opts.Delay, 0)
	opts.MaxInFlight = max(opts.MaxInFlight, 1)
	opts.LeaseTime = cmp.Or(max(opts.LeaseTime, 0), defaultLeaseTime)
	opts.RetryTimeout = cmp.Or(opts.RetryTimeout, defaultRetryTimeout)
	opts.cacheBytes = cmp.Or(opts.cacheBytes, defaultCache)
	opts.Logger = cmp.Or(opts.Logger, slog.New(slog.DiscardHandler))
	return opts, nil
}
