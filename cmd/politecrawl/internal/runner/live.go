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

// A livePage shows a running crawl. A nil livePage does nothing.
type livePage struct {
	server *monitor.Server
	asks   bool // for a token
}

// openPage starts the server, and adds it to the sinks of the crawl. The page is nil without
// --listen.
func openPage(l flags.Listen, cfg crawler.Config, opts *crawler.Options, log *slog.Logger) (*livePage, error) {
	if l.Addr == "" {
		if l.Token != "" || l.Pprof {
			return nil, cli.Misuse("--listen-token and --pprof need --listen, as in --listen 127.0.0.1:8080")
		}
		return nil, nil
	}
	token := cmp.Or(l.Token, os.Getenv(flags.TokenVariable))
	server, err := monitor.Listen(l.Addr, &monitor.Options{
		Token: token, Title: siteTitle(cfg.URLs), UserAgent: cfg.Fetch.UserAgent, Pprof: l.Pprof, Logger: log,
	})
	switch {
	case errors.Is(err, monitor.ErrTokenRequired):
		return nil, cli.Misuse("--listen: %w, in %s", err, flags.TokenVariable)
	case err != nil:
		return nil, cli.Misuse("--listen: %w", err)
	}
	opts.Formats = append(opts.Formats, server.Format())
	return &livePage{server, token != ""}, nil
}

// begin shows the crawl from now on, and says where.
func (p *livePage) begin(c *crawler.Crawler, r *Runner) {
	if p == nil {
		return
	}
	p.server.SetCrawl(c)
	if r.Quiet {
		return
	}
	where := "live page: " + p.server.URL()
	if p.asks {
		where += " (open it once with ?token=TOKEN)"
	}
	r.Notice(where)
}

// end tells viewers that the crawl has ended, and how.
func (p *livePage) end(sum *crawler.Summary) {
	if p != nil {
		p.server.Finish(sum)
	}
}

// close closes the server. It ignores errors.
func (p *livePage) close() {
	if p != nil {
		_ = p.server.Close()
	}
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
