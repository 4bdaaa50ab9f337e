package monitor

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// Options configure a server. Nil and zero fields are valid.
type Options struct {
	// Token is the secret that every request needs. Make it long and random. Empty: no
	// token is needed, and the server listens on a loopback address only.
	Token string

	// Title is the heading of the page. Empty: "a crawl".
	Title string

	// UserAgent is that of the crawl. Its product token selects the robots.txt groups on the
	// page. Empty: crawler.DefaultUserAgent.
	UserAgent string

	// StuckAfter is the time without progress after which a crawl counts as stuck. Make it
	// longer than the longest fetch. Zero: ten minutes.
	StuckAfter time.Duration

	// Pprof serves the profiles of the process below /debug/pprof/.
	Pprof bool

	// Logger receives errors of serving. Nil: they are not logged.
	Logger *slog.Logger
}

// A Server serves one crawl. It is safe for concurrent use.
type Server struct {
	url    string
	watch  *watcher
	http   *http.Server
	done   chan struct{}
	closed sync.Once
	active sync.WaitGroup // the goroutines of the server
}

// Timeouts for clients. Reading has short ones, since connections are limited. A stream of
// events has a timeout for each write.
const (
	headerTime = 2 * time.Second
	readTime   = 5 * time.Second
	writeTime  = 30 * time.Second
	idleTime   = 10 * time.Second
	closeTime  = 2 * time.Second
)

// Listen serves on a TCP address, HOST:PORT, until Close; port 0 means any free port. Set
// the crawl with Begin; before that, the page says that it has not started. Listen returns
// ErrTokenRequired or ErrAddress.
func Listen(addr string, opts *Options) (*Server, error) {
	if opts == nil {
		opts = &Options{}
	}
	listener, err := listen(addr, opts.Token)
	if err != nil {
		return nil, err
	}
	s := newServer(addr, opts)
	s.url = urlOf(listener)
	s.active.Go(func() { s.watch.run(s.done) })
	s.active.Go(func() { _ = s.http.Serve(listener) }) // ends with ErrServerClosed
	return s, nil
}

// newServer returns a server that is not serving yet.
func newServer(addr string, opts *Options) *Server {
	log := cmp.Or(opts.Logger, slog.New(slog.DiscardHandler))
	s := &Server{watch: newWatcher(opts.UserAgent, opts.StuckAfter), done: make(chan struct{})}
	g := newGuard(addr, opts.Token)
	s.http = &http.Server{
		Handler:           g.protect(s.routes(opts, g.change, log)),
		ReadHeaderTimeout: headerTime, ReadTimeout: readTime, WriteTimeout: writeTime, IdleTimeout: idleTime,
		MaxHeaderBytes: 16 << 10,
		ErrorLog:       slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	return s
}

// URL returns the URL of the page on this machine. With a token use URL() + "?token=" +
// token.
func (s *Server) URL() string { return s.url }

// Format returns the sink that receives the results of the crawl, for
// crawler.Options.Formats. It writes no files.
func (s *Server) Format() output.Format {
	return output.Format{Open: func(string, []byte) (output.Sink, error) { return s.watch, nil }}
}

// SetCrawl sets the crawl to show. Call it once, from crawler.Options.OnStart.
func (s *Server) SetCrawl(c Crawl) { s.watch.begin(c) }

// Finish reports the end of the crawl, with the summary that Run returned, which may be nil.
// Open pages show it and disconnect. The server does not use the crawl afterwards.
func (s *Server) Finish(sum *crawler.Summary) { s.watch.end(sum) }

// Close stops the server. It first sends open pages the end of the crawl and waits some
// seconds for that. Calls after the first do nothing.
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
