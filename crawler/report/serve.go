package report

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/pageserver"
	"github.com/politecrawl/politecrawl/crawler/output/safejson"
)

// Listen takes a loopback address, HOST:PORT, for [Report.Serve]. Port 0 is any free port. It fails for other
// addresses, and if the port is taken.
func Listen(addr string) (net.Listener, error) { return pageserver.Listen(addr, false) }

// Serve serves [Report.Handler] until ctx ends, and closes the listener. It returns nil then, and the error of the
// listener if it fails before.
func (r *Report) Serve(ctx context.Context, l net.Listener) error {
	server := pageserver.New(r.Handler(), slog.New(slog.DiscardHandler))
	defer context.AfterFunc(ctx, func() { _ = server.Close() })() // ctx has ended: nobody waits
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// Handler returns a handler for the page of the report, which asks the handler for the rows of the table of
// URLs. It rejects requests that other web pages send, and those that name another host than this machine.
// Set Options.AllURLs.
func (r *Report) Handler() http.Handler {
	urls := cmp.Or(r.urls, newURLTable(0, nil, nil, nil))
	s := &pageServer{report: r, urls: urls}
	s.page = sync.OnceValues(func() ([]byte, error) {
		var page bytes.Buffer
		err := r.writePage(&page, true)
		return page.Bytes(), err
	})
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.servePage)
	mux.HandleFunc("GET /urls", s.serveRows)
	mux.HandleFunc("GET /url", s.serveURL)
	guard := pageserver.NewGuard(pageserver.Access{Policy: policy(true) + "; frame-ancestors 'none'"})
	return guard.Protect(mux)
}

// A pageServer answers the page of a report that is served.
type pageServer struct {
	report *Report
	urls   *urlTable
	page   func() ([]byte, error) // takes long at first

	mu    sync.Mutex // guards the fields below
	query urlQuery   // the last one with further pages, which the next request may be for
	rows  []int32    // its rows; nil if there was none
}

func (s *pageServer) servePage(w http.ResponseWriter, _ *http.Request) {
	page, err := s.page()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(pageserver.WriteTime))
	_, _ = w.Write(page) // the viewer may be gone
}

// serveRows answers a query with some of its rows.
func (s *pageServer) serveRows(w http.ResponseWriter, r *http.Request) {
	q, from, rows := parseQuery(r.URL.Query())
	selected := s.selected(r.Context(), q, from+rows)
	result := struct {
		Total int     `json:"total"`
		Rows  [][]any `json:"rows"`
	}{len(selected), [][]any{}}
	selected = selected[min(from, len(selected)):]
	for _, row := range selected[:min(rows, len(selected))] {
		result.Rows = append(result.Rows, s.cells(row))
	}
	sendJSON(w, result)
}

// cells returns the cells of a row for a response.
func (s *pageServer) cells(row int32) []any {
	values := make([]any, len(urlFields))
	for i, f := range urlFields {
		var c cell
		f.read(&s.urls.rows[row], &c)
		values[i] = c.value(func(url string) any { return url })
	}
	return values
}

// selected returns the rows of a query. It keeps them if there are more than are wanted, for the next page.
func (s *pageServer) selected(ctx context.Context, q urlQuery, wanted int) []int32 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ctx.Err() != nil {
		return nil // the client has canceled the request
	}
	if s.rows != nil && s.query == q {
		return s.rows
	}
	rows := q.run(s.urls.rows)
	if len(rows) > wanted {
		s.query, s.rows = q, rows
	}
	return rows
}

// serveURL answers with all that is known of a URL, or without its links if the parameter links is 0.
func (s *pageServer) serveURL(w http.ResponseWriter, r *http.Request) {
	parameters := r.URL.Query()
	url := parameters.Get("url")
	links := cmp.Or(s.report.links, newLinkGraph())
	row, listed := s.urls.place[keyOf(url)]
	if _, linked := links.numbers[keyOf(url)]; !listed && !linked {
		http.Error(w, "the crawl has no such URL", http.StatusNotFound)
		return
	}
	var found struct {
		*details

		Row         []any       `json:"row,omitempty"`
		Inlinks     [][4]string `json:"inlinks,omitempty"` // the first maxResponseRows
		InlinkCount int         `json:"inlink_count"`      // of all
		Outlinks    [][4]string `json:"outlinks,omitempty"`
	}
	if listed {
		reader := newDetailReader(s.urls)
		defer func() { _ = reader.Close() }() // it only read
		var err error
		if found.details, err = reader.read(int(row)); err == nil && !found.about(url) {
			err = errors.New("they are of a later crawl; stop this command, and run it again")
		}
		if err != nil {
			http.Error(w, "cannot read the files of the crawl: "+err.Error(), http.StatusInternalServerError)
			return
		}
		found.Row = s.cells(row)
	}
	if parameters.Get("links") != "0" {
		found.Inlinks, found.Outlinks, found.InlinkCount = links.linksOf(url, maxResponseRows)
	}
	sendJSON(w, found)
}

func sendJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(safejson.NewWriter(w)).Encode(v); err != nil { // nothing was written, or the viewer is gone
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}
