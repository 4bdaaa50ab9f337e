package faultsite

import (
	"net/http"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/testserver"
)

// An exchange is a request and its response.
type exchange struct {
	host *host
	peer *peer
	nth  int    // on its connection, from 1
	path string // of the request, with its query
	good content
	seen testserver.Request
	last testserver.DelayChecker // of the host, when the request came

	site   *Site
	faulty bool // its response is
	noted  bool
}

// A content is a body and its media type.
type content struct {
	mediaType string
	body      []byte
}

// send sends a part of the response. It returns false if the client has gone.
func (x *exchange) send(part string) bool {
	_, err := x.peer.Write([]byte(part))
	return err == nil
}

// sendLast sends the rest of the response. It records the end before, since the client may abort
// at any byte.
func (x *exchange) sendLast(rest string) {
	status, retryAfter := statusOf(rest)
	x.over(status, retryAfter)
	x.send(rest)
}

// over records the end of the response, and notes it, unless the client has gone. Once the client has the whole
// response, its next request may be noted before this goroutine runs again.
func (x *exchange) over(status int, retryAfter time.Duration) {
	select {
	case <-x.peer.left:
	default:
		x.seen.Finish(status, retryAfter)
		x.site.note(x)
	}
}

// wait waits. It returns false if the client goes meanwhile.
func (x *exchange) wait(d time.Duration) bool { return testserver.Wait(x.peer.left, d) }

// respond sends the healthy response.
func (x *exchange) respond() (keepIt bool) {
	status, fields := "200 OK", "Cache-Control: max-age=600\r\n"
	if x.good.body == nil {
		status, x.good = "404 Not Found", plain("There is nothing here.\n")
	}
	if x.host.hasConnFault() {
		fields += "Connection: close\r\n"
	}
	x.sendLast(x.fill("HTTP/1.1 " + status + "\r\nContent-Type: {type}\r\nContent-Length: {len}\r\n" + fields + "\r\n{body}"))
	return !x.host.hasConnFault()
}

func plain(text string) content { return content{"text/plain; charset=utf-8", []byte(text)} }

func markup(text string) content { return content{"text/html; charset=utf-8", []byte(text)} }

// newExchange returns the exchange for a request that has just been read.
func (s *Site) newExchange(h *host, p *peer, req *http.Request, nth int) *exchange {
	return &exchange{
		site: s, host: h, peer: p, nth: nth, path: req.RequestURI, last: h.clock(), good: h.content(req.URL.Path, s.chainsStopped.Load()),
		seen: testserver.NewRequest(h.Origin, req),
	}
}
