package redisstore

import (
	"fmt"
	"log/slog"
	"os"
	"regexp"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// PasswordVariable is the environment variable that the password is taken from
// when nothing else names one.
const PasswordVariable = "POLITECRAWL_REDIS_PASSWORD"

// Options are the settings of a Store.
type Options struct {
	// Crawl is the name of the crawl: letters, digits, '.', '_' and '-'. Any
	// number of crawls share a server. Empty: "default".
	Crawl string
	// Prefix stands before all keys of all crawls. Empty: "politecrawl".
	Prefix string
	// Worker is the name of this process in the crawl. What a process left
	// under the name (its note, its leases) is taken over by the next that
	// opens the crawl with it, so a process that is to go on after a crash
	// needs a name that it keeps, and no two have the same at a time. Empty:
	// the name of the machine with a random ending, so that leases of a
	// process that dies come back when they expire.
	Worker string
	// Join: there must be such a crawl (ErrNone). It is not made.
	Join bool
	// Observe opens a crawl, which must be there, to look at it and to Tell
	// its workers something, without being one of them. Whatever would change
	// its URLs, hosts or counters is refused with ErrObserver.
	Observe bool
	// Settings are kept with the crawl when it is made by this Open, and are
	// then those of all workers, by Settings. The store does not look at them.
	// At most 64 KiB.
	Settings []byte

	// Shards and Expected are fixed when the crawl is made, and are not looked
	// at later. Shards is into how many parts hosts are divided, which is the
	// most servers of a Cluster that the crawl can use, and each part costs a
	// little; 0: 16 in a Cluster, and 1 on a server, which then is all that the
	// crawl can ever use. Expected is how
	// many URLs it may come to know in all; beyond that a URL takes more
	// memory, as README.md says. 0: 10 million.
	Shards   int
	Expected int

	// Delay and MaxInFlight are those of a host that is new, until UpdateHost
	// changes them. 0: no delay, and 1 in flight. All workers should agree.
	Delay       time.Duration
	MaxInFlight int
	// LeaseTime is the length of a lease whose request leaves it open, and of
	// a hold. 0: 10 minutes.
	LeaseTime time.Duration
	// Patience is for how long a call is made again, at distances that grow to
	// two seconds, while Redis is not available or takes no writes. 0: 30
	// seconds. Less: it is not. With math.MaxInt64 a call goes on until its
	// context ends; a Lease that waits then takes longer than its Wait by as
	// long as Redis is away. Open itself does not wait.
	Patience time.Duration
	// OnTrouble is called when a call has to be made again and none had to
	// just before, with what befell it (ErrUnavailable, ErrReadOnly), and with
	// nil when all goes well again. It is called by one goroutine at a time,
	// and has to return soon, without using the store. Nil: nobody is told.
	OnTrouble func(err error)

	// Password is that of the user in the address. Empty: the password in the
	// address, or else the content of PasswordFile without its end of line, or
	// else PasswordVariable.
	Password     string
	PasswordFile string

	// Logger is told of restarts and connections lost. Nil: nobody is.
	Logger *slog.Logger

	cacheBytes int // for URLs that are known to be known; 0: 16 MiB, or 2 million of them; less: none
}

const (
	serverShards     = 1
	clusterShards    = 16
	defaultExpected  = 10_000_000
	defaultLeaseTime = 10 * time.Minute
	defaultPatience  = 30 * time.Second
	defaultCache     = 16 << 20

	maxShards   = 4096
	maxSettings = 64 << 10
)

var nameForm = regexp.MustCompile(`^[A-Za-z0-9._-]{1,100}$`)

// ValidName reports whether a crawl, a prefix or a worker can have the name.
func ValidName(name string) bool { return nameForm.MatchString(name) }

func (o *Options) withDefaults() (Options, error) {
	var opts Options
	if o != nil {
		opts = *o
	}
	if opts.Crawl == "" {
		opts.Crawl = "default"
	}
	if opts.Prefix == "" {
		opts.Prefix = "politecrawl"
	}
	if opts.Worker == "" {
		machine, err := os.Hostname()
		if err != nil || !nameForm.MatchString(machine) {
			machine = "worker"
		}
		opts.Worker = machine[:min(len(machine), 60)] + "-" + newNonce()
	}
	for what, name := range map[string]string{"crawl": opts.Crawl, "prefix": opts.Prefix, "worker": opts.Worker} {
		if !nameForm.MatchString(name) {
			return opts, fmt.Errorf("%s %q: only letters, digits, '.', '_', '-', and at most 100 of them", what, name)
		}
	}
	if len(opts.Settings) > maxSettings {
		return opts, fmt.Errorf("%w: settings of %d bytes", frontier.ErrInvalid, len(opts.Settings))
	}
	if opts.Shards < 0 || opts.Shards > maxShards {
		return opts, fmt.Errorf("%d shards: 1 to %d are possible", opts.Shards, maxShards)
	}
	if opts.Expected <= 0 {
		opts.Expected = defaultExpected
	}
	opts.Delay = max(opts.Delay, 0)
	opts.MaxInFlight = max(opts.MaxInFlight, 1)
	if opts.LeaseTime <= 0 {
		opts.LeaseTime = defaultLeaseTime
	}
	if opts.Patience == 0 {
		opts.Patience = defaultPatience
	}
	if opts.cacheBytes == 0 {
		opts.cacheBytes = defaultCache
	}
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	return opts, nil
}
