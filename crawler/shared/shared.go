// Package shared tells how a crawl is getting on that several processes share, and stops it.
//
// The processes of such a crawl work on one frontier in Redis or Valkey, each with files of
// its own; Joined in package crawler says how one joins. [Status] and [Stop] are for somebody
// who looks after the crawl and is none of them. [Stop] ends it for all, and each can be
// resumed. To take a crawl out of Redis that is not wanted any more, use [redisstore.Delete].
package shared

import (
	"context"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore"
	"github.com/politecrawl/politecrawl/crawler/internal/cluster"
)

// A Crawl says who works on a crawl.
type Crawl struct {
	Frontier string `json:"frontier"` // where it is
	Name     string `json:"name"`
	Worker   string `json:"worker,omitempty"` // the name of this process, if it is one of them
	// Workers are all processes that have ever worked on it, this one included, by
	// name.
	Workers []Worker `json:"workers"`
}

// A Worker is a process of a crawl that several share.
type Worker struct {
	Name  string `json:"worker"`
	Pages int    `json:"pages"` // lines of its pages.jsonl
	Bytes int64  `json:"bytes"` // of the bodies of these pages
	// Working says that it has not ended, and reported in the last 30 seconds.
	Working bool `json:"working"`
	// Ago is how long ago that was.
	Ago time.Duration `json:"-"`
}

// Pages is how many pages all workers have fetched.
func (c *Crawl) Pages() int {
	n := 0
	for _, w := range c.Workers {
		n += w.Pages
	}
	return n
}

// Working is how many are at work.
func (c *Crawl) Working() int {
	n := 0
	for _, w := range c.Workers {
		if w.Working {
			n++
		}
	}
	return n
}

// Status says who works on a crawl, and what is in its frontier. It takes what
// [redisstore.Open] does, and has its errors.
func Status(ctx context.Context, addr string, opts *redisstore.Options) (*Crawl, frontier.Stats, error) {
	c := at(addr, opts)
	peers, stats, err := c.Status(ctx)
	if err != nil {
		return nil, stats, err
	}
	return crawlOf(c, peers), stats, nil
}

// Stop ends a crawl for all who work on it, each with the end "stopped", and says who that
// is. It takes what [redisstore.Open] does, and has its errors.
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
