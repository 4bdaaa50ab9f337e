// Package run carries out one crawl. It opens, resumes or recrawls the directory of the crawl, visits its URLs
// until none remains or a limit is reached, and ends it.
//
// The life of a crawl is in open.go (a new one), resume.go and recrawl.go (an earlier one), watch.go (when it is over)
// and end.go. Package visit has the life of one URL.
package run

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/cluster"
	"github.com/politecrawl/politecrawl/crawler/internal/discover"
	"github.com/politecrawl/politecrawl/crawler/internal/fetch"
	"github.com/politecrawl/politecrawl/crawler/internal/politeness"
	"github.com/politecrawl/politecrawl/crawler/internal/quota"
	"github.com/politecrawl/politecrawl/crawler/internal/results"
	"github.com/politecrawl/politecrawl/crawler/internal/trap"
	"github.com/politecrawl/politecrawl/crawler/internal/visit"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
)

// Settings are the settings of a crawl. The settings of its parts lack what the crawl opens.
type Settings struct {
	Recrawl         bool // see also Results.Resume
	Local           bool // a server is served on this machine
	KeepGenerations int  // of files, see results.RemoveGenerations

	Workers   int
	MaxWait   time.Duration // for URLs that are not due
	MaxTime   time.Duration
	TrapPages int // see trap.New

	Limits  quota.Limits
	Results results.Config
	Delays  politeness.Options
	Robots  robotsext.Options
	Visit   visit.Settings
	Shared  *cluster.Options // nil if the crawl is not shared
}

// A Config is the configuration of the program.
type Config interface {
	json.Marshaler // as it is saved, without secrets

	// Changes compares it with the configuration of an earlier run.
	Changes(saved json.RawMessage) (*Changes, error)
	// Join sets the settings that come from a shared crawl.
	Join(worker string, limits *cluster.Limits)
}

// Changes are the differences between the configurations of two runs of a crawl.
type Changes struct {
	Pages   bool            // pages are read in another way
	Delays  bool            // hosts may have a delay from earlier settings
	Requeue []output.Reason // reasons of skipped URLs that may not apply any more
	Notices []string        // of what a resumed crawl cannot make up for
	Formats []string        // in which the earlier run wrote

	Resume, Recrawl error // why the crawl cannot be resumed or recrawled; nil if it can
}

// A Tally counts what a crawl records.
type Tally interface {
	// Add counts lines: that of a page, unless it is nil, and others.
	Add(page *output.Page, lines *output.Results)
	// AddRobots counts a robots.txt that was requested.
	AddRobots()
	// AddListed counts the lines that were written at the end.
	AddListed(*results.Listed)
	// Progress returns the number of pages, and their size with that of checks.
	Progress() (pages int, bytes int64)
}

// A Counter is the recorder of a plan.
type Counter interface {
	discover.Recorder
	fetch.Observer
	// Begin gives the counter what decides about URLs, before it counts any.
	Begin(*discover.Discovery, *politeness.Delays, *politeness.Addresses)
}

// Crawl is one crawl. Call New, Open, Work and End; for a plan New, Plan, SeedStart, Work and Close.
type Crawl struct {
	config Config
	tally  Tally
	set    Settings
	parts  visit.Parts

	visitor *visit.Visitor
	slots   *politeness.Slots
	counter Counter // nil if the crawl is no plan

	state   *State
	stateMu sync.Mutex // guards state after Open

	pauses   pauses
	wakeIdle signal // wakes the watch
}

// New returns a crawl that is not open. Package crawler provides some of its parts: Scope, Addresses, Lifecycle, Board and
// Log, and Frontier, unless the crawl has to open one.
func New(config Config, tally Tally, parts visit.Parts) *Crawl {
	c := &Crawl{config: config, tally: tally, parts: parts, state: new(State), wakeIdle: make(signal, 1)}
	c.parts.Member, c.parts.Recrawls = &cluster.Single{}, c
	return c
}

// configure sets what needs nothing but the settings.
func (c *Crawl) configure(set Settings) {
	c.set, c.parts.Limits, c.parts.Traps = set, quota.NewPages(set.Limits, nil), trap.New(set.TrapPages)
	c.parts.Guard, c.parts.Credentials = set.Visit.Requests.Guard, set.Visit.Requests.Credentials
}

// Plan opens a crawl that requests no pages, and records what it finds with a recorder that counts.
func (c *Crawl) Plan(set Settings, f frontier.Frontier, counter Counter) error {
	c.configure(set)
	c.parts.Frontier, c.counter = f, counter
	c.newRecorder()
	c.parts.Recorder = counter
	if err := c.connect(); err != nil {
		return err
	}
	counter.Begin(c.parts.Discovery, c.parts.Delays, c.parts.Addresses)
	return nil
}

// SeedStart adds the start URLs of a plan. In a crawl, Open does.
func (c *Crawl) SeedStart() error { return c.parts.Discovery.SeedStart() }

// Work starts the workers, and runs until leases ends or the crawl is over.
func (c *Crawl) Work(leases context.Context) {
	c.parts.Member.Start()
	c.parts.Lifecycle.Stop(c.parts.Limits.Exceeded()) // an earlier process may have reached one
	var workers sync.WaitGroup
	for range c.set.Workers {
		workers.Go(func() {
			if err := c.visitAll(leases); err != nil {
				c.parts.Lifecycle.Fail(err)
			}
		})
	}
	c.watch(leases)
	workers.Wait()
}

// visitAll leases URLs and visits them, one after the other, until leases ends. Its contexts end one after the other:
// waiting when a pause begins, leases when the crawl stops, Working when requests in flight are aborted. CommitCtx
// outlives them. An error is one of the crawl itself, such as a full disk or a closed frontier.
func (c *Crawl) visitAll(leases context.Context) error {
	for {
		waiting, err := c.pauses.ready(leases)
		if err != nil {
			return nil
		}
		got, err := c.parts.Frontier.Lease(waiting, frontier.LeaseRequest{Max: 1, PerHost: 1, Wait: -1, Duration: c.set.Visit.LeaseTime})
		if err != nil {
			if waiting.Err() != nil {
				continue
			}
			return err
		}
		for _, lease := range got { // one at the most
			page, lines, err := c.visitor.Visit(waiting, lease)
			if err != nil {
				return err
			}
			c.tally.Add(page, lines)
			c.wakeIdle.send()
		}
	}
}

// Host returns the record of a host in the frontier.
func (c *Crawl) Host(ctx context.Context, host frontier.Host) (frontier.HostRecord, error) {
	return c.parts.Frontier.Host(ctx, host)
}

// Counts returns how many URLs are known, by state.
func (c *Crawl) Counts() (frontier.Stats, error) {
	_, last, _ := c.parts.Lifecycle.Ending()
	return c.parts.Member.Counts(c.parts.Lifecycle.CommitCtx, last)
}

// Waiting returns the origins with an unreachable robots.txt. Their URLs wait.
func (c *Crawl) Waiting() (origins []string) {
	all, _ := c.parts.Results.Deferred.All()
	for _, o := range all {
		origins = append(origins, string(o))
	}
	return origins
}

// A Status is what a crawl knows besides the lines that it has recorded.
type Status struct {
	Skipped            map[output.Reason]int // URLs that are skipped for now
	Added              []string              // hosts, or directories, that joined the crawl
	RejectedIncomplete bool                  // more URLs were skipped than are listed
	Lost               []output.Loss         // what the files have lost
	Peers              []cluster.Peer        // all processes of a shared crawl
}

// Status returns the current state.
func (c *Crawl) Status() Status {
	s := Status{Skipped: c.parts.Results.Skipped.Counts(), Added: c.parts.Discovery.Added(), Peers: c.parts.Member.Peers()}
	c.stateMu.Lock()
	defer c.stateMu.Unlock()
	s.RejectedIncomplete = c.state.RejectedIncomplete || c.parts.Results.Skipped.Full()
	s.Lost = append(slices.Clone(c.state.Lost), c.parts.Results.Damages()...)
	return s
}
