package crawler

import (
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// Status is how a crawl is getting on.
type Status struct {
	// Summary is what it has done so far. Its End is empty until it is known
	// why the crawl ends.
	Summary
	// Frontier counts the URLs it knows of by what has become of them.
	Frontier frontier.Stats
}

// Status returns how the crawl is getting on. It can be called from
// [Options.Begun] until Run returns, by any goroutine. The error is that of a
// frontier which is closed or has failed.
func (c *Crawler) Status() (*Status, error) {
	stats, err := c.frontier.Stats(c.books)
	if err != nil {
		return nil, err
	}
	s := &Status{Summary: c.tally.summary(), Frontier: stats}
	c.ending.Lock()
	s.End = c.end
	c.ending.Unlock()
	s.Left, s.Hosts, s.NextDue = stats.Pending+stats.Scheduled+stats.Leased, stats.Hosts, time.Time{}
	if s.Left > 0 {
		s.NextDue = stats.NextDue
	}
	hosts, _ := c.aside.waiting()
	for _, h := range hosts {
		s.Waiting = append(s.Waiting, string(h))
	}
	return s, nil
}
