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

// Options are what a server is given beside its address. Nil, and every zero field,
// is valid.
type Options struct {
	// Token is what has to be shown by all who want to see or do anything. Make it
	// long and random. Empty: nobody has to show one, and only a loopback address
	// is listened on.
	Token string

	// Title says what is crawled, at the top of the page. Empty: "a crawl".
	Title string

	// UserAgent is the one of the crawl, whose product token chooses the group of
	// each robots.txt that is shown. Empty: that of crawler.DefaultUserAgent.
	UserAgent string

	// StuckAfter is how long nothing may change in a crawl that has something to do,
	// before it counts as stuck. It has to be longer than the longest fetch. Zero:
	// ten minutes.
	StuckAfter time.Duration

	// Pprof serves the profiles of the process below /debug/pprof/.
	Pprof bool

	// Logger is told what goes wrong in serving, which nobody else hears of. Nil:
	// nothing is logged.
	Logger *slog.Logger
}

// A Server serves one crawl. It is safe for concurrent use.
type Server struct {
	url    string
	watch  *watch
	http   *http.Server
	done   chan struct{}
	closed sync.Once
	active sync.WaitGroup // the goroutines of the server
}

// How long a client may take. Those of reading are short: a connection that says nothing
// takes the place of another. A stream of events has a time for each write.
const (
	headerTime = 2 * time.Second
	readTime   = 5 * time.Second
	writeTime  = 30 * time.Second
	idleTime   = 10 * time.Second
	closeTime  = 2 * time.Second
)

// Listen serves on a TCP address, HOST:PORT, until Close; port 0 is any free one. The
// crawl is to be given by Begin: until then the page says that it has not begun. The
// error is ErrToken or ErrAddress.
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

// newServer returns a server that does not serve yet.
func newServer(addr string, opts *Options) *Server {
	log := cmp.Or(opts.Logger, slog.New(slog.DiscardHandler))
	s := &Server{watch: newWatch(opts.UserAgent, opts.StuckAfter), done: make(chan struct{})}
	g := newGuard(addr, opts.Token)
	s.http = &http.Server{
		Handler:           g.protect(s.routes(opts, g.change, log)),
		ReadHeaderTimeout: headerTime, ReadTimeout: readTime, WriteTimeout: writeTime, IdleTimeout: idleTime,
		MaxHeaderBytes: 16 << 10,
		ErrorLog:       slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	return s
}

// URL is where a browser on this machine finds the page. Where there is a token it
// has to be added: URL() + "?token=" + token.
func (s *Server) URL() string { return s.url }

// Format is how the crawl hands over what it finds: for crawler.Options.Formats. It
// writes nothing to the disk.
func (s *Server) Format() output.Format {
	return output.Format{Open: func(string, []byte) (output.Sink, error) { return s.watch, nil }}
}

// Begin gives the crawl that is watched from now on. Call it once, from
// crawler.Options.OnStart.
func (s *Server) Begin(c Crawl) { s.watch.begin(c) }

// End tells that the crawl has ended, and how: what Run returned, which may be nil.
// Open pages say so and are at rest. Nothing is asked of the crawl any more.
func (s *Server) End(sum *crawler.Summary) { s.watch.end(sum) }

// Close ends the service. Open pages are told the end of the crawl before, for which
// they have some seconds. Calls after the first do nothing.
func (s *Server) Close() error {
	var err error
	s.closed.Do(func() {
		s.watch.end(nil)
		close(s.done)
		ctx, cancel := context.WithTimeout(context.Background(), closeTime)
		defer cancel()
		if err = s.http.Shutdown(ctx); errors.Is(err, context.DeadlineExceeded) {
			err = s.http.Close() // who has not read the end by now will not
		}
		s.active.Wait()
	})
	if err != nil && !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}
