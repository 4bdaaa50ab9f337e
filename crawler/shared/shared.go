// Package shared shows the status of a crawl that several processes share, and stops it.
//
// The processes of a shared crawl work on one frontier in Redis or Valkey, and each writes its
// own files; see Joined in package crawler. [Status] and [Stop] need not be called by one of
// them. A stopped crawl can be resumed. To delete a crawl from Redis, use [redisstore.Delete].
package shared

import (
	"context"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore"
	"github.com/politecrawl/politecrawl/crawler/internal/cluster"
)

// A Crawl describes a shared crawl and its workers.
type Crawl struct {
	Frontier string `json:"frontier"` // its address
	Name     string `json:"name"`
	Worker   string `json:"worker,omitempty"` // the name of this process, if it is one of them
	// Workers are all processes that ever worked on it, including this one, by name.
	Workers []Worker `json:"workers"`
}

// A Worker is a process of a shared crawl.
type Worker struct {
	Name  string `json:"worker"`
	Pages int    `json:"pages"` // lines of its pages.jsonl
	Bytes int64  `json:"bytes"` // of the bodies of these pages
	// Working is true if it has not ended, and reported in the last 30 seconds.
	Working bool `json:"working"`
	// Ago is the time since its last report.
	Ago time.Duration `json:"-"`
}

// Pages returns how many pages all workers have fetched.
func (c *Crawl) Pages() int {
	n := 0
	for _, w := range c.Workers {
		n += w.Pages
	}
	return n
}

// Working returns how many workers are running.
func (c *Crawl) Working() int {
	n := 0
	for _, w := range c.Workers {
		if w.Working {
			n++
		}
	}
	return n
}

// Status returns the workers of a crawl and the counts of its frontier. It reads both from
// Redis and joins nothing.
func Status(ctx context.Context, addr string, opts *redisstore.Options) (*Crawl, frontier.Stats, error) {
	c := at(addr, opts)
	peers, stats, err := c.Status(ctx)
	if err != nil {
		return nil, stats, err
	}
	return crawlOf(c, peers), stats, nil
}

// Stop ends a crawl for all its workers, each with the end "stopped", and returns them.
// Its arguments and errors are those of [redisstore.Open].
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
		opts = &redisstore.Options{Crawl: "default"}
	}
	return &cluster.Crawl{Address: addr, Store: *opts}
}

func crawlOf(at *cluster.Crawl, peers []cluster.Peer) *Crawl {
	c := &Crawl{Frontier: at.Address, Name: at.Store.Crawl}
	for _, p := range peers {
		c.Workers = append(c.Workers, Worker(p))
	}
	return c
}
