// How do I detect changes to a robots.txt? Watch-robots fetches the robots.txt of a site whenever
// it has expired, and prints the URLs with a new verdict. Its argument is the site. Without an
// argument it watches a local site that changes its robots.txt.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/url"
	"os"
	"os/signal"
	"time"

	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt/robotsdiff"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	site, opts := newSite(), &robotsext.Options{Cache: robotsext.CacheOptions{MinAge: -1, MaxAge: time.Second}, Outage: robotsext.OutageOptions{RetryMin: time.Second}}
	defer site.Close()
	address := site.URL
	if len(os.Args) > 1 {
		address, opts = os.Args[1], &robotsext.Options{Cache: robotsext.CacheOptions{MaxAge: time.Hour}} // check once an hour
	}
	if err := watch(ctx, address, opts, os.Stdout); err != nil {
		log.Print(err)
	}
}

// watch runs until ctx ends.
func watch(ctx context.Context, site string, opts *robotsext.Options, to io.Writer) error {
	u, err := url.Parse(site)
	if err != nil {
		return err
	}
	robots, err := robotsext.New("examplebot/1.0 (+https://example.com/bot)", opts)
	if err != nil {
		return err
	}
	defer robots.CloseIdleConnections()
	for last := (*robotsext.Record)(nil); ; {
		rec, err := robots.Record(ctx, u) // fetches it if it has expired
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		if last != nil {
			report(to, last, rec)
		}
		last = rec
		next := rec.ExpiresAt
		if rec.RetryAt.After(next) {
			next = rec.RetryAt
		}
		select {
		case <-time.After(time.Until(next)):
		case <-ctx.Done():
		}
	}
}

// report prints changes in the outcome and in verdicts.
func report(to io.Writer, before, after *robotsext.Record) {
	if before.Outcome != after.Outcome {
		_, _ = fmt.Fprintf(to, "%s: %v, before: %v\n", after.Origin, after.Outcome, before.Outcome)
	}
	if before.Outcome == robotsext.OutcomeUnreachable || after.Outcome == robotsext.OutcomeUnreachable {
		return // the rules are unknown
	}
	for _, d := range robotsdiff.Compare(rules(before), rules(after), nil).Agents {
		for _, c := range d.Changes {
			_, _ = fmt.Fprintf(to, "for %v: %s allowed: %v, before: %v\n", d.Agents, c.Pattern, c.New.Allowed, c.Old.Allowed)
		}
	}
}

// rules returns the file of a record, or an empty file if the site has none.
func rules(rec *robotsext.Record) *robotstxt.File {
	if rec.File == nil {
		return robotstxt.Parse(nil, nil)
	}
	return rec.File
}
