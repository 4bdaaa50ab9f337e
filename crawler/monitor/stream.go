package monitor

import (
	"fmt"
	"net/http"
	"time"
)

const (
	// maxStreams is how many viewers there may be at a time.
	maxStreams = 16

	// eventTime is how long a viewer may take to read what has changed.
	eventTime = 10 * time.Second
)

// enter counts a viewer in. It is false when there are enough.
func (w *watch) enter() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.viewers == maxStreams {
		return false
	}
	w.viewers++
	return true
}

func (w *watch) leave() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.viewers--
}

// serveEvents sends a viewer the parts of the board, each when it has changed since it
// was sent, until the crawl has ended or the viewer has gone.
func (w *watch) serveEvents(rw http.ResponseWriter, r *http.Request) {
	if !w.enter() {
		rw.Header().Set("Retry-After", "10")
		http.Error(rw, fmt.Sprintf("there are %d viewers already", maxStreams), http.StatusServiceUnavailable)
		return
	}
	defer w.leave()
	w.soon()
	rw.Header().Set("Content-Type", "text/event-stream")
	rw.Header().Set("X-Accel-Buffering", "no") // of a proxy
	out := http.NewResponseController(rw)
	_ = out.SetReadDeadline(time.Time{}) // nothing more is read; without, the request would end with it
	text := []byte("retry: 2000\n\n")    // milliseconds, after which a browser tries again
	var seen [parts]int
	for {
		fresh, changed := w.board.since(&seen)
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
