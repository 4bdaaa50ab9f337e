//go:build unix

package fetch

import (
	"net/http"
	"os"
	"syscall"
	"testing"
)

// If no descriptor is free for the file of a body, an idle connection is closed.
func TestSpoolWithoutDescriptors(t *testing.T) {
	s := newRawServer(t, false, func(*http.Request) (string, bool) { return "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx", false })
	transport, a := recordingTransport(t, Config{}, nil)
	_ = request(t, transport, http.MethodGet, s.url, nil) // its connection is idle then
	var before syscall.Rlimit
	must(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &before))
	limit := before
	limit.Cur = 256
	must(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit))
	defer func() { must(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &before)) }()
	for {
		file, err := os.Open(os.DevNull)
		if isExhausted(err) {
			break
		}
		must(t, err)
		t.Cleanup(func() { _ = file.Close() })
	}
	body := &spool{transport: transport, max: 1 << 20}
	if body.write(make([]byte, maxInMemory+1)); body.err != nil {
		t.Fatal(body.err)
	}
	must(t, body.first(body.size).Close())
	must(t, a.exchanges[0].Body.Close())
}
