// Package run carries out one crawl. It opens, resumes or recrawls the directory of the crawl, visits its URLs
// until none remains or a limit is reached, and ends it.
//
// The life of a crawl is in open.go (a new one), resume.go and recrawl.go (an earlier one), watch.go (when it is over)
// and end.go. What it requests goes through network.go. Package visit has the life of one URL.
package run

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/cluster"
	"github.com/politecrawl/politecrawl/crawler/internal/discover"
	"github.com/politecrawl/politecrawl/crawler/internal/fetch"
	"github.com/politecrawl/politecrawl/crawler/internal/lifecycle"
	"github.com/politecrawl/politecrawl/crawler/internal/notice"
	"github.com/politecrawl/politecrawl/crawler/internal/politeness"
	"github.com/politecrawl/politecrawl/crawler/internal/quota"
	"github.com/politecrawl/politecrawl/crawler/internal/results"
	"github.com/politecrawl/politecrawl/crawler/internal/scope"
	"github.com/politecrawl/politecrawl/crawler/internal/trap"
	"github.com/politecrawl/politecrawl/crawler/internal/visit"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/plan"
	"github.com/politecrawl/politecrawl/robotsext"
)

// Settings are the settings of a crawl. Those of its parts lack what the crawl opens.
type Settings struct {
	Recrawl         bool // see also Results.Resume
	Local           bool // a server is served on this machine
	KeepGenerations int  // of files, see results.RemoveGenerations

	Workers        int
	MaxWait        time.Duration // for URLs that are not due
	MaxTime        time.Duration
	LeaseTime      time.Duration // of each lease
	LeaseExtension time.Duration // by which those of a shared crawl are extended

	Limits   quota.Limits
	Results  results.Config
	Delays   politeness.Options
	Robots   robotsext.Options
	Requests fetch.Config
	Discover discover.Settings
	Visit    visit.Settings
	Shared   *cluster.Options // nil: the crawl is not shared
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

	Resume, Recrawl error // why such a crawl cannot be resumed or recrawled; nil: it can
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

// A Recorder records what a crawl does. That of a plan counts instead.
type Recorder interface {
	discover.Recorder
	visit.Committer
	// Robots records a robots.txt that was requested.
	Robots(*robotsext.Record) error
}

// A Counter is the recorder of a plan.
type Counter interface {
	Recorder
	fetch.Observer
}

// Program has what the program provides for a crawl.
type Program struct {
	Config    Config
	Tally     Tally
	Scope     *scope.Scope
	Addresses *politeness.Addresses
	Lifecycle *lifecycle.Lifecycle
	Board     *notice.Board
	Log       *slog.Logger
	Frontier  frontier.Frontier // nil: the crawl opens one
}

// Crawl is one crawl. Call New, Open, Work and End.
type Crawl struct {
	Program
	set Settings

	Member    cluster.Member // this process in a shared crawl
	Limits    *quota.Pages
	Traps     *trap.Detector
	Results   *results.Writer
	Recorder  Recorder
	Discovery *discover.Discovery
	Visitor   *visit.Visitor
	Fetcher   visit.Fetcher // set by connect, unless it is a plan

	Robots   *robotsext.Robots
	observer fetch.Observer // of the requests; nil: there is none
	client   *http.Client   // for sitemaps
	Delays   *politeness.Delays
	slots    *politeness.Slots

	state   *State
	stateMu sync.Mutex // guards state after Open

	pauses   pauses
	wakeIdle signal // wakes the watch
}

// New returns a crawl that is not open.
func New(p Program) *Crawl {
	return &Crawl{Program: p, Member: &cluster.Single{}, state: new(State), wakeIdle: make(signal, 1)}
}

// configure sets what needs nothing but the settings.
func (c *Crawl) configure(set Settings) {
	c.set, c.Limits, c.Traps = set, quota.NewPages(set.Limits, nil), trap.New(set.Visit.TrapPages)
}

// Plan opens a crawl that requests no pages, and records what it finds with a recorder that counts.
func (c *Crawl) Plan(set Settings, f frontier.Frontier, r Counter, fetcher visit.Fetcher) error {
	c.configure(set)
	c.Frontier, c.Fetcher, c.observer = f, fetcher, r
	c.newRecorder()
	c.Recorder = r
	c.Discovery = c.newDiscovery()
	return c.connect()
}

// Work starts the workers, and runs until leases ends or the crawl is over.
func (c *Crawl) Work(leases context.Context) {
	c.Member.Start()
	c.stopAtLimit() // an earlier process may have reached one
	var workers sync.WaitGroup
	for range c.set.Workers {
		workers.Go(func() {
			if err := c.visitAll(leases); err != nil {
				c.Lifecycle.Fail(err)
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
		got, err := c.Frontier.Lease(waiting, frontier.LeaseRequest{Max: 1, PerHost: 1, Wait: -1, Duration: c.set.LeaseTime})
		if err != nil {
			if waiting.Err() != nil {
				continue
			}
			return err
		}
		for _, lease := range got { // one at the most
			page, lines, err := c.Visitor.Visit(waiting, lease)
			if err != nil {
				return err
			}
			c.Tally.Add(page, lines)
			c.wakeIdle.send()
		}
	}
}

// newDiscovery returns what decides about the URLs that the crawl finds.
func (c *Crawl) newDiscovery() *discover.Discovery {
	return discover.New(c.set.Discover, discover.Crawl{
		Scope: c.Scope, Frontier: c.Frontier, Member: c.Member, Results: c.Results, Recorder: c.Recorder,
		Guard: c.set.Requests.Guard, Credentials: c.set.Requests.Credentials, Lifecycle: c.Lifecycle, Board: c.Board, Log: c.Log,
	})
}

// newVisitor returns what visits the URLs of the crawl.
func (c *Crawl) newVisitor() *visit.Visitor {
	set := c.set.Visit
	set.LeaseTime = c.set.LeaseTime // that of a shared crawl differs
	return visit.New(set, visit.Crawl{
		Frontier: c.Frontier, Member: c.Member, Robots: c.Robots, Client: c.client, Fetcher: c.Fetcher, Committer: c.Recorder, Recrawls: c,
		Delays: c.Delays, Addresses: c.Addresses, Limits: c.Limits, Traps: c.Traps, Discovery: c.Discovery,
		Results: c.Results, Credentials: c.set.Requests.Credentials, Lifecycle: c.Lifecycle, Board: c.Board,
		Causes: notice.NewHosts(c.Board, "other hosts have problems too; the report names them"),
		Unread: notice.NewHosts(c.Board, "other sites name such files too, which the crawl does not read; the log names them"),
		Log:    c.Log,
	})
}

// stopAtLimit stops the crawl if a limit has been reached.
func (c *Crawl) stopAtLimit() { c.Lifecycle.Stop(plan.End(c.Limits.Exceeded())) }
