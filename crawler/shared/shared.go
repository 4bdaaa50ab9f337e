// Package shared reports the status of a shared crawl and can stop it.
//
// Several processes, the workers, share one crawl. They use one frontier in Redis or Valkey,
// and each writes its own files. JoinConfig in package crawler explains how a process joins.
//
// [Status] and [Stop] are for operators, outside the workers. Stop stops all workers; each can
// be resumed. [redisstore.Delete] deletes a crawl from Redis.
package shared

import (
	"context"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore"
	"github.com/politecrawl/politecrawl/crawler/internal/cluster"
)

// A Crawl lists the workers of a shared crawl.
type Crawl struct {
	Frontier string `json:"frontier"` // address of the frontier
	Name     string `json:"name"`
	Worker   string `json:"worker,omitempty"` // name of this process; empty if it is not a worker
	// Workers are all workers that ever joined, sorted by name.
	Workers []Worker `json:"workers"`
}

// A Worker is one process of a shared crawl.
type Worker struct {
	Name  string `json:"worker"`
	Pages int    `json:"pages"` // number of pages that it has fetched
	Bytes int64  `json:"bytes"` // decoded size of these pages
	// Running is true if the worker has not ended and has reported in the last 30 seconds.
	Running bool `json:"running"`
	// LastSeenAgo is the time since its last report.
	LastSeenAgo time.Duration `json:"-"`

	Machine string `json:"machine,omitempty"` // host name of its machine; empty if not known
	Dir     string `json:"dir,omitempty"`     // its directory there, absolute
}

// Pages returns the number of pages that all workers have fetched.
func (c *Crawl) Pages() int {
	n := 0
	for _, w := range c.Workers {
		n += w.Pages
	}
	return n
}

// Running returns the number of running workers.
func (c *Crawl) Running() int {
	n := 0
	for _, w := range c.Workers {
		if w.Running {
			n++
		}
	}
	return n
}

// Status returns the workers of a crawl and the statistics of its frontier. Parameters and errors
// are as for [redisstore.Open].
func Status(ctx context.Context, addr string, opts *redisstore.Options) (*Crawl, frontier.Stats, error) {
	c := at(addr, opts)
	peers, stats, err := c.Status(ctx)
	if err != nil {
		return nil, stats, err
	}
	return crawlOf(c, peers), stats, nil
}

// Stop tells all workers of a crawl to stop, each with the end "stopped", and returns them.
// Parameters and errors are as for [redisstore.Open].
func Stop(ctx context.Context, addr string, opts *redisstore.Options) (*Crawl, error) {
	c := at(addr, opts)
	peers, err := c.Stop(ctx)
	if err != nil {
		return nil, err
	}
	return crawlOf(c, peers), nil
}

func at(addr string, opts *redisstore.Options) *cluster.Crawl {
	if opts == nil {
		opts = &redisstore.Options{CrawlName: "default"}
	}
	return &cluster.Crawl{Address: addr, Store: *opts}
}

func crawlOf(at *cluster.Crawl, peers []cluster.Peer) *Crawl {
	c := &Crawl{Frontier: at.Address, Name: at.Store.CrawlName}
	for _, p := range peers {
		c.Workers = append(c.Workers, Worker(p))
	}
	return c
}
