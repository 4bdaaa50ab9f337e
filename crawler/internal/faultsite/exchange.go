package faultsite

import (
	"net/http"
	"time"

	"github.com/politecrawl/politecrawl/crawler/demosite"
)

// An exchange is a request and the answer to it.
type exchange struct {
	site *Site
	host *host
	peer *peer
	nth  int    // on its connection, from 1
	path string // that was asked for, with its query
	good content
	seen demosite.Request
	last demosite.DelayChecker // of the host, when the request came
}

// content is what stands in a body, and its media type.
type content struct {
	mediaType string
	body      []byte
}

// send sends a part of the answer, and tells whether the client was still there.
func (x *exchange) send(part string) bool {
	_, err := x.peer.Write([]byte(part))
	return err == nil
}

// sendLast sends the rest of the answer. It is taken to be over right before: the client
// may see at any byte of it that it is none, or that it has had enough.
func (x *exchange) sendLast(rest string) {
	status, retryAfter := statusOf(rest)
	x.over(status, retryAfter)
	x.send(rest)
}

// over notes that the answer ends here, as far as the client is concerned. One that has
// left, while a busy machine was still making the answer up, is not concerned any more.
func (x *exchange) over(status int, retryAfter time.Duration) {
	select {
	case <-x.peer.left:
	default:
		x.seen.End, x.seen.Status, x.seen.RetryAfter = time.Now(), status, retryAfter
	}
}

// wait lets time pass, and tells whether the client was still there at the end.
func (x *exchange) wait(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-x.peer.left:
		return false
	case <-timer.C:
		return true
	}
}

// sound answers as it should be.
func (x *exchange) sound() (keepIt bool) {
	status, fields := "200 OK", "Cache-Control: max-age=600\r\n"
	if x.good.body == nil {
		status, x.good = "404 Not Found", plain("There is nothing here.\n")
	}
	if x.host.spoils() {
		fields += "Connection: close\r\n"
	}
	x.sendLast(x.fill("HTTP/1.1 " + status + "\r\nContent-Type: {type}\r\nContent-Length: {len}\r\n" + fields + "\r\n{body}"))
	return !x.host.spoils()
}

func plain(text string) content { return content{"text/plain; charset=utf-8", []byte(text)} }

func markup(text string) content { return content{"text/html; charset=utf-8", []byte(text)} }

// newExchange begins an exchange: the request has been read.
func (s *Site) newExchange(h *host, p *peer, req *http.Request, nth int) *exchange {
	return &exchange{
		site: s, host: h, peer: p, nth: nth, path: req.RequestURI, last: h.clock(), good: h.content(req.URL.Path, s.resting.Load()),
		seen: demosite.Request{
			Start: time.Now(), Origin: h.Origin, Host: req.Host, Method: req.Method,
			URI: req.RequestURI, UserAgent: req.UserAgent(), Remote: req.RemoteAddr,
		},
	}
}
