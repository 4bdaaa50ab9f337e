package demosite

import (
	"maps"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/testserver"
)

// packet is the size of the last part of a long response. The site records the end of a request
// before it sends this part.
const packet = 16 << 10

// retryAfter is the Retry-After of a 503, the shortest possible.
const retryAfter = time.Second

// serve responds to a request to h and records it.
func (s *Site) serve(h *host, w http.ResponseWriter, r *http.Request) {
	number := s.record.begin(h, r)
	a := h.answer(r)
	testserver.Wait(r.Context().Done(), s.latency+a.wait)

	maps.Copy(w.Header(), a.header)
	w.Header().Set("Content-Type", a.contentType)
	w.Header().Set("Content-Length", strconv.Itoa(len(a.body)))
	rest := a.body
	if len(rest) > packet && r.Method != http.MethodHead {
		w.WriteHeader(a.status)
		last := len(rest) - packet
		_, _ = w.Write(rest[:last]) // the client may have gone
		rest = rest[last:]
		s.record.end(number, a.status, a.retryAfter)
	} else {
		s.record.end(number, a.status, a.retryAfter)
		w.WriteHeader(a.status)
	}
	_, _ = w.Write(rest)
}

// An answer is the response to a request.
type answer struct {
	status      int
	contentType string
	header      http.Header
	body        []byte
	wait        time.Duration
	retryAfter  time.Duration
}

func (h *host) answer(r *http.Request) answer {
	if !h.named(r.Host) {
		return plainAnswer(http.StatusMisdirectedRequest, "This host is "+h.origin+"/ and has no other name.")
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		a := plainAnswer(http.StatusMethodNotAllowed, "Only GET and HEAD are allowed.")
		a.header = http.Header{"Allow": {"GET, HEAD"}}
		return a
	}
	route := h.find(r.RequestURI)
	if route == nil {
		route = h.missing()
	}
	if route.failures > 0 && route.asked.Add(1) <= int64(route.failures) {
		a := plainAnswer(http.StatusServiceUnavailable, "User-agent: *\nAllow: /\n# Not now: this is an error, not a robots.txt.")
		a.retryAfter = retryAfter
		a.header = http.Header{"Retry-After": {strconv.Itoa(int(retryAfter.Seconds()))}}
		return a
	}
	a := answer{status: route.status, contentType: route.contentType, body: route.content(), wait: route.wait}
	a.header = route.header.Clone()
	if route.location != "" {
		a.header = http.Header{"Location": {route.location}}
	}
	return a
}

func plainAnswer(status int, text string) answer {
	return answer{status: status, contentType: "text/plain; charset=utf-8", body: []byte(strings.TrimSpace(text) + "\n")}
}
