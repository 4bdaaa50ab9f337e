package crawler

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
)

// A crawl that is over keeps no connection, by what the site sees.
func TestNoConnectionIsLeft(t *testing.T) {
	var open, all atomic.Int64
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "User-agent: *\nAllow: /\n")
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			open.Add(1)
			all.Add(1)
		case http.StateClosed:
			open.Add(-1)
		}
	}
	server.Start()
	defer server.Close()
	run(t, testConfig(t, server.URL+"/a", server.URL+"/b"), nil)
	waitFor(func() bool { return open.Load() == 0 })
	if open.Load() > 0 || all.Load() == 0 {
		t.Errorf("%d of %d connections are open", open.Load(), all.Load())
	}
}
