package monitor

import (
	"fmt"
	"net/http"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/pageserver"
)

const (
	// maxStreams is the maximum number of viewers at a time. One needs more than its event stream.
	maxStreams = pageserver.MaxPerAddress - 8

	// eventTime is the time in which a viewer must read an update.
	eventTime = 10 * time.Second
)

// enter adds a viewer. It returns false at the maximum.
func (w *watcher) enter() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.viewers == maxStreams {
		return false
	}
	w.viewers++
	return true
}

func (w *watcher) leave() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.viewers--
}

// serveEvents sends a viewer each event when it has changed, until the crawl has ended or
// the viewer disconnects.
func (w *watcher) serveEvents(rw http.ResponseWriter, r *http.Request) {
	if !w.enter() {
		rw.Header().Set("Retry-After", "10")
		http.Error(rw, fmt.Sprintf("too many viewers: the maximum is %d", maxStreams), http.StatusServiceUnavailable)
		return
	}
	defer w.leave()
	w.refreshSoon()
	rw.Header().Set("Content-Type", "text/event-stream")
	rw.Header().Set("X-Accel-Buffering", "no") // disables buffering in a proxy
	out := http.NewResponseController(rw)
	_ = out.SetReadDeadline(time.Time{}) // the read deadline of the server would end the stream
	text := []byte("retry: 2000\n\n")    // milliseconds until a browser reconnects
	var seen [parts]int
	for {
		fresh, changed := w.events.since(&seen)
		for i, data := range fresh {
			if data != nil {
				text = fmt.Appendf(text, "event: %s\ndata: %s\n\n", partNames[i], data)
			}
		}
		_ = out.SetWriteDeadline(time.Now().Add(eventTime))
		if _, err := rw.Write(text); err != nil {
			return
		}
		if err := out.Flush(); err != nil || fresh[partEnded] != nil {
			return
		}
		text = text[:0]
		select {
		case <-changed:
		case <-r.Context().Done():
			return
		}
	}
}
