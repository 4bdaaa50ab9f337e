package crawler

import (
	"log/slog"
	"time"
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
