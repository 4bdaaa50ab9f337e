package crawler

import (
	"log/slog"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/blocked"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
)

// This file has the longer log messages. README.md lists all of them.

// logStart logs the start of the crawl.
func (c *Crawler) logStart() {
	c.log.Info("crawl started", "output", c.cfg.Output.Dir, "resume", c.opts.Resume, "recrawl", c.opts.Recrawl,
		"urls", len(c.cfg.URLs), "concurrency", c.cfg.Limits.Concurrency, "delay", c.cfg.Politeness.Delay)
}

// logEnd logs the end of the crawl.
func (c *Crawler) logEnd(s *Summary, err error) {
	level, attrs := slog.LevelInfo, []slog.Attr{
		slog.String("reason", string(s.End)), slog.Int("pages", s.Pages), slog.Int("remaining", s.Remaining), slog.Int("hosts", s.Hosts), slog.Duration("duration", time.Duration(s.Duration)),
	}
	if s.Remaining > 0 && !s.NextDue.IsZero() {
		attrs = append(attrs, slog.Time("next", s.NextDue))
	}
	if err != nil {
		level, attrs = slog.LevelError, append(attrs, slog.Any("error", err))
	}
	c.log.LogAttrs(c.lifecycle.CommitCtx, level, "crawl ended", attrs...)
}

// logRobots logs the result of fetching a robots.txt, and when it is requested again.
func logRobots(log *slog.Logger, rec *robotsext.Record) {
	if blocked.IsRefused(rec) {
		log.Info("host skipped", "host", rec.Origin, "reason", output.BlockedAddress, "error", blocked.Text(rec.Err))
		return
	}
	if rec.Outcome == robotsext.OutcomeUnreachable {
		log.Warn("robots.txt unreachable", "host", rec.Origin, "status", rec.Status, "error", rec.Err,
			"since", rec.FailingSince, "next", rec.RetryAt)
		return
	}
	log.Info("robots.txt read", "host", rec.Origin, "status", rec.Status, "outcome", rec.Outcome.String(), "next", rec.ExpiresAt)
}

// logChange logs that the outcome or the rules of a robots.txt have changed.
func logChange(log *slog.Logger, before, after *robotsext.Record) {
	log.Info("robots.txt changed", "host", after.Origin, "before", before.Outcome.String(), "outcome", after.Outcome.String(), "status", after.Status)
}
