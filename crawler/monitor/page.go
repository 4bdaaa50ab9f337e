package monitor

import (
	"cmp"
	_ "embed" // of the parts of the page
	"html/template"
	"log/slog"
	"net/http"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/politecrawl/politecrawl/crawler/internal/escape"
	"github.com/politecrawl/politecrawl/crawler/internal/pageserver"
)

var (
	//go:embed page.html
	pageText string
	//go:embed page.css
	pageStyle []byte
	//go:embed page.js
	pageScript []byte
	//go:embed icon.svg
	pageIcon []byte
)

// policy allows the page its own origin, and nothing else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// routes returns the handlers behind the guard.
func (s *Server) routes(opts *Options, change string, log *slog.Logger) *http.ServeMux {
	mux := http.NewServeMux()
	mux.Handle("GET /{$}", page(cmp.Or(opts.Title, "crawl"), change))
	mux.Handle("GET /page.css", file("text/css; charset=utf-8", pageStyle))
	mux.Handle("GET /page.js", file("text/javascript; charset=utf-8", pageScript))
	mux.Handle("GET /icon.svg", file("image/svg+xml", pageIcon))
	mux.HandleFunc("GET /events", s.watch.serveEvents)
	mux.HandleFunc("GET /healthz", s.watch.serveHealth)
	mux.Handle("GET /metrics", promhttp.HandlerFor(s.watch.metrics.registry, promhttp.HandlerOpts{
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn), MaxRequestsInFlight: 4, Timeout: pageserver.WriteTime / 2,
	}))
	mux.Handle("POST /pause", s.watch.command(Crawl.Pause))
	mux.Handle("POST /resume", s.watch.command(Crawl.Resume))
	mux.Handle("POST /stop", s.watch.command(Crawl.Stop))
	if opts.Pprof {
		profiles(mux)
	}
	return mux
}

// page serves the HTML, which the script fills.
func page(title, change string) http.Handler {
	t := template.Must(template.New("page").Parse(pageText))
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_ = t.Execute(w, struct{ Title, Header, Change string }{escape.Text(title), pageserver.ChangeHeader, change}) // the viewer may be gone
	})
}

func file(kind string, content []byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		_, _ = w.Write(content)
	})
}

// command serves a button of the page.
func (w *watcher) command(do func(Crawl)) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		w.mu.Lock()
		c, over := w.crawl, w.ended != nil
		w.mu.Unlock()
		if c == nil || over {
			http.Error(rw, "no crawl is running: it has not started or has ended", http.StatusConflict)
			return
		}
		do(c)
		w.refreshSoon()
		rw.WriteHeader(http.StatusNoContent)
	})
}
