package monitor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/internal/pageserver"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// Options configure a server. Nil and zero fields are valid.
type Options struct {
	// Token is a secret that every request must have. Make it long and random. If empty, no token
	// is required, and the server listens on loopback addresses only.
	Token string

	// Title is the heading of the page (default "a crawl").
	Title string

	// UserAgent is the User-Agent of the crawl (default crawler.DefaultUserAgent). Its product
	// token selects the robots.txt groups on the page.
	UserAgent string

	// Pprof serves profiles of the process below /debug/pprof/ (default false).
	Pprof bool

	// Logger receives errors of the server. If nil, nothing is logged.
	Logger *slog.Logger
}

// A Server shows one crawl. It is safe for concurrent use.
type Server struct {
	url    string
	watch  *watcher
	http   *http.Server
	done   chan struct{}
	closed sync.Once
	active sync.WaitGroup // the goroutines of the server
}

// closeTime is how long Close waits for viewers.
const closeTime = 2 * time.Second

var (
	// ErrTokenRequired says that a server on an address other than loopback needs a token.
	ErrTokenRequired = errors.New("a token is required")

	// ErrAddress says that the server cannot listen on an address.
	ErrAddress = pageserver.ErrAddress
)

// Listen starts a server on a TCP address, HOST:PORT. Port 0 is any free port. Until
// [Server.SetCrawl] is called, the page says that the crawl has not started. The error is
// [ErrTokenRequired] or [ErrAddress].
func Listen(addr string, opts *Options) (*Server, error) {
	if opts == nil {
		opts = &Options{}
	}
	listener, err := pageserver.Listen(addr, opts.Token != "")
	if errors.Is(err, pageserver.ErrPublic) {
		return nil, fmt.Errorf("%w: %w, or set a token that is hard to guess", ErrTokenRequired, err)
	}
	if err != nil {
		return nil, err
	}
	s := newServer(addr, opts)
	s.url = pageserver.URLOf(listener)
	s.active.Go(func() { s.watch.run(s.done) })
	s.active.Go(func() { _ = s.http.Serve(listener) }) // ends with ErrServerClosed
	return s, nil
}

// newServer returns a server that is not serving yet.
func newServer(addr string, opts *Options) *Server {
	log := cmp.Or(opts.Logger, slog.New(slog.DiscardHandler))
	s := &Server{watch: newWatcher(opts.UserAgent), done: make(chan struct{})}
	g := pageserver.NewGuard(pageserver.Access{Listened: addr, Token: opts.Token, Open: "/healthz", Policy: policy})
	s.http = pageserver.New(g.Protect(s.routes(opts, g.Change, log)), log)
	return s
}

// URL returns the URL of the page on this machine, without the token. To open the page with a
// token, append "?token=" and the token.
func (s *Server) URL() string { return s.url }

// Format returns a format for crawler.Options.Formats, by which the server receives the results
// of the crawl. It writes no files.
func (s *Server) Format() output.Format {
	return output.Format{Open: func(string, []byte) (output.Sink, error) { return s.watch, nil }}
}

// SetCrawl sets the crawl to show. Call it once, in crawler.Options.OnStart.
func (s *Server) SetCrawl(c Crawl) { s.watch.begin(c) }

// Finish tells the server that the crawl has ended. Pass the summary that Run returned, which may
// be nil. Open pages show the end and disconnect. The server does not use the crawl afterwards.
func (s *Server) Finish(sum *crawler.Summary) { s.watch.end(sum) }

// Close stops the server. First it sends the end of the crawl to open pages, for at most two
// seconds. Later calls have no effect.
func (s *Server) Close() error {
	var err error
	s.closed.Do(func() {
		s.watch.end(nil)
		close(s.done)
		ctx, cancel := context.WithTimeout(context.Background(), closeTime)
		defer cancel()
		if err = s.http.Shutdown(ctx); errors.Is(err, context.DeadlineExceeded) {
			err = s.http.Close() // slow viewers
		}
		s.active.Wait()
	})
	if err != nil && !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}
