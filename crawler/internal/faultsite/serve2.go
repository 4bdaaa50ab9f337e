package faultsite

import (
	"bytes"
	"io"
	"net/http"
	"net/url"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// A stream is an exchange over HTTP/2.
type stream struct {
	*exchange
	*connection2
	id uint32
}

// A connection2 is an HTTP/2 connection.
type connection2 struct {
	framer  *http2.Framer
	packer  *hpack.Encoder
	block   *bytes.Buffer // of packer
	closing bool          // after this answer
}

// maxFields is the maximum size of the headers of a request, in bytes.
const maxFields = 64 << 10

// serveHTTP2 responds to the requests of an HTTP/2 connection, in order.
func (s *Site) serveHTTP2(h *host, p *peer) {
	if _, err := io.ReadFull(p.in, make([]byte, len(http2.ClientPreface))); err != nil {
		return
	}
	w := &connection2{framer: http2.NewFramer(p, p.in), block: new(bytes.Buffer)}
	w.packer = hpack.NewEncoder(w.block)
	w.framer.ReadMetaHeaders = hpack.NewDecoder(4<<10, nil)
	w.framer.MaxHeaderListSize = maxFields
	if w.framer.WriteSettings() != nil {
		return
	}
	open := make(map[uint32]*stream) // what was not answered yet
	defer func() {
		for _, x := range open {
			s.note(x.exchange)
		}
	}()
	for nth := 1; !w.closing; {
		frame, err := w.framer.ReadFrame()
		if err != nil {
			return
		}
		switch f := frame.(type) {
		case *http2.SettingsFrame:
			if !f.IsAck() {
				_ = w.framer.WriteSettingsAck() // the next read tells
			}
		case *http2.PingFrame:
			if !f.IsAck() {
				_ = w.framer.WritePing(true, f.Data)
			}
		case *http2.RSTStreamFrame:
			if x := open[f.StreamID]; x != nil {
				s.note(x.exchange)
				delete(open, f.StreamID)
			}
		case *http2.MetaHeadersFrame:
			x := &stream{exchange: s.newExchange(h, p, request(f, p), nth), connection2: w, id: f.StreamID}
			nth++
			x.faulty = h.faulty(x.path)
			if x.faulty {
				h.fault.act2(x)
			} else {
				x.whole()
			}
			if x.seen.End.IsZero() {
				open[x.id] = x
				continue
			}
			s.note(x.exchange)
		}
	}
}

// request is the request of a frame of header fields.
func request(f *http2.MetaHeadersFrame, p *peer) *http.Request {
	r := &http.Request{
		Method: f.PseudoValue("method"), Host: f.PseudoValue("authority"), RequestURI: f.PseudoValue("path"),
		Header: make(http.Header), RemoteAddr: p.RemoteAddr().String(), URL: new(url.URL),
	}
	if u, err := url.ParseRequestURI(r.RequestURI); err == nil {
		r.URL = u
	}
	for _, field := range f.RegularFields() {
		r.Header.Add(field.Name, field.Value)
	}
	return r
}
