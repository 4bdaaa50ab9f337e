package runner

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/flags"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/site"
	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/monitor"
)

// openPage starts the server, and adds it to the sinks of the crawl. Where says where the page is. The
// server is nil without --listen.
func openPage(l flags.Listen, cfg crawler.Config, opts *crawler.Options, log *slog.Logger) (server *monitor.Server, where string, err error) {
	if l.Addr == "" {
		if l.Token != "" || l.Pprof {
			return nil, "", cli.Misuse("--listen-token and --pprof need --listen, as in --listen 127.0.0.1:8080")
		}
		return nil, "", nil
	}
	token := cmp.Or(l.Token, os.Getenv(flags.TokenVariable))
	server, err = monitor.Listen(l.Addr, &monitor.Options{
		Token: token, Title: siteTitle(cfg.URLs), UserAgent: cfg.Fetch.UserAgent, Pprof: l.Pprof, Logger: log,
	})
	switch {
	case errors.Is(err, monitor.ErrTokenRequired):
		return nil, "", cli.Misuse("--listen: %w, in %s", err, flags.TokenVariable)
	case err != nil:
		return nil, "", cli.Misuse("--listen: %w", err)
	}
	opts.Formats = append(opts.Formats, server.Format())
	where = "live page: " + server.URL()
	if token != "" {
		where += " (open it once with ?token=TOKEN)"
	}
	return server, where, nil
}

// siteTitle returns a short title of the crawl.
func siteTitle(urls []string) string {
	if len(urls) == 0 {
		return ""
	}
	u, err := site.ParseOrigin(urls[0])
	if err != nil {
		return ""
	}
	switch others := CountHosts(urls) - 1; {
	case others > 1:
		return fmt.Sprintf("%s and %d other hosts", u.Host, others)
	case others == 1:
		return u.Host + " and another host"
	}
	return u.Host
}
