package main

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"github.com/spf13/pflag"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/settings"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/site"
	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/monitor"
)

// listening is where a crawl can be watched while it runs. It is of a run, not of the
// crawl: no key of a configuration, and not kept with the crawl.
type listening struct {
	addr  string // empty: nowhere
	token string
	pprof bool
}

func (l *listening) flags(fs *pflag.FlagSet) {
	fs.StringVar(&l.addr, "listen", "", "while it runs, serve a live page, /metrics and /healthz at `HOST:PORT`, as in 127.0.0.1:8080")
	fs.StringVar(&l.token, settings.TokenFlag, "", "whoever looks at --listen has to show `TOKEN`; better set as "+settings.TokenVariable+", which other users do not see")
	fs.BoolVar(&l.pprof, "pprof", false, "serve profiles of this process at --listen too, below /debug/pprof/")
}

// A stage is a crawl that can be watched. A nil one cannot, and does nothing.
type stage struct {
	server *monitor.Server
	asks   bool // for a token
}

// open begins to listen, and has the crawl tell what it finds. The stage is nil when
// nobody asked for one.
func (l *listening) open(cfg crawler.Config, opts *crawler.Options, log *slog.Logger) (*stage, error) {
	if l.addr == "" {
		if l.token != "" || l.pprof {
			return nil, cli.Misuse("--listen-token and --pprof say how to listen; say where, with --listen 127.0.0.1:8080")
		}
		return nil, nil
	}
	token := cmp.Or(l.token, os.Getenv(settings.TokenVariable))
	server, err := monitor.Listen(l.addr, &monitor.Options{
		Token: token, Title: siteTitle(cfg.URLs), UserAgent: cfg.UserAgent, Pprof: l.pprof, Logger: log,
	})
	switch {
	case errors.Is(err, monitor.ErrToken):
		return nil, cli.Misuse("--listen: %w, in %s", cli.WithoutPrefix(err), settings.TokenVariable)
	case err != nil:
		return nil, cli.Misuse("--listen: %w", cli.WithoutPrefix(err))
	}
	opts.Formats = append(opts.Formats, server.Format())
	return &stage{server, token != ""}, nil
}

// begin shows the crawl from now on, and says where.
func (s *stage) begin(c *crawler.Crawler, h *herald) {
	if s == nil {
		return
	}
	s.server.Begin(c)
	if h.quiet {
		return
	}
	where := "watch it at " + s.server.URL()
	if s.asks {
		where += " (add ?token= and the token, once)"
	}
	h.Notice(where)
}

// end says that the crawl has ended, and how, to who is watching.
func (s *stage) end(sum *crawler.Summary) {
	if s != nil {
		s.server.End(sum)
	}
}

// close ends the listening. What a viewer is not told, nobody can be told.
func (s *stage) close() {
	if s != nil {
		_ = s.server.Close()
	}
}

// siteTitle says in a few words what is crawled.
func siteTitle(urls []string) string {
	if len(urls) == 0 {
		return ""
	}
	u, err := site.ParseOrigin(urls[0])
	if err != nil {
		return ""
	}
	switch others := hostsOf(urls) - 1; {
	case others > 1:
		return fmt.Sprintf("%s and %d other hosts", u.Host, others)
	case others == 1:
		return u.Host + " and another host"
	}
	return u.Host
}
