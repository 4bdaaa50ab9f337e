package faultsite

import (
	"bytes"
	"strconv"
	"strings"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// A responder2 sends the response to a request over HTTP/2. An incomplete response stays open
// until the client aborts it.
type responder2 func(x *stream)

// frames returns the faults of HTTP/2.
func frames() []*Fault {
	over := func(f *Fault, a responder2) *Fault {
		f.act2 = a
		return f
	}
	broken := func(name, does, says string, a responder2) *Fault { return over(noResponse(name, does, says, nil), a) }
	well := func(name, does string, a responder2) *Fault { return over(harmless(name, does, nil), a) }
	// turned is for a request that gets a response when it is sent again, over HTTP/1.1.
	turned := func(name, does string, a responder2) *Fault {
		return alwaysRepeated(over(harmless(name, does, (*exchange).respond), a))
	}
	// inBody goes wrong after half of the body.
	inBody := func(name, does, says string, a responder2) *Fault {
		return firstHalf(broken(name, does, says, func(x *stream) {
			x.headers("200")
			x.data(x.good.body[:len(x.good.body)/2], false)
			a(x)
		}))
	}
	reset := func(code http2.ErrCode) responder2 { return func(x *stream) { x.reset(code) } }
	goAway := func(code http2.ErrCode) responder2 { return func(x *stream) { x.goAway(0, code) } }
	// firstTime is for a request that gets a response when it is sent again.
	firstTime := func(a responder2) responder2 {
		return func(x *stream) {
			if x.again() {
				x.whole()
				return
			}
			a(x)
		}
	}
	return []*Fault{
		well("h2", "answers over HTTP/2", (*stream).whole),
		well("h2-pieces", "answers over HTTP/2 in frames of a byte", func(x *stream) {
			x.headers("200")
			for i := range x.good.body {
				x.data(x.good.body[i:i+1], false)
			}
			x.end(200)
			x.data(nil, true)
		}),
		endless(broken("h2-no-answer", "reads the request and never responds", "within", func(*stream) {})),
		endless(inBody("h2-stop-in-body", "stops in the middle of the body", "stalled", func(*stream) {})),
		broken("h2-reset", "resets the stream instead of an answer", "reset", reset(http2.ErrCodeInternal)),
		broken("h2-calm", "resets the stream, since it has had enough", "reset", reset(http2.ErrCodeEnhanceYourCalm)),
		broken("h2-cancel", "resets the stream, as if asked to", "reset", reset(http2.ErrCodeCancel)),
		alwaysRepeated(broken("h2-refused", "refuses each stream", "rejected the request twice", reset(http2.ErrCodeRefusedStream))),
		alwaysRepeated(well("h2-refused-once", "refuses the stream, the first time", firstTime(reset(http2.ErrCodeRefusedStream)))),
		alwaysRepeated(well("h2-protocol-error-once", "sees an error in the request, the first time", firstTime(reset(http2.ErrCodeProtocol)))),
		inBody("h2-reset-in-body", "resets the stream in the middle of the body", "reset", reset(http2.ErrCodeInternal)),
		inBody("h2-no-error-in-body", "resets the stream in the middle of the body, and says that all is well", "reset", reset(http2.ErrCodeNo)),
		alwaysRepeated(broken("h2-goaway", "sends the client away from each connection", "rejected the request twice", goAway(http2.ErrCodeNo))),
		alwaysRepeated(well("h2-goaway-once", "sends the client away, the first time", firstTime(goAway(http2.ErrCodeNo)))),
		inBody("h2-goaway-in-body", "sends the client away in the middle of the body", "closed", func(x *stream) { x.goAway(x.id, http2.ErrCodeInternal) }),
		well("h2-goaway-after", "sends the client away after the answer", func(x *stream) {
			x.whole()
			x.goAway(x.id, http2.ErrCodeNo)
		}),
		broken("h2-close", "closes the connection instead of an answer", "the response ends", (*stream).hangUp),
		broken("h2-garbage", "sends what are no frames", "HTTP/2", func(x *stream) {
			x.end(0)
			x.send(strings.Repeat("\xff\x00 garbage ", 1<<10))
			x.hangUp()
		}),
		broken("h2-speaks-http1", "agrees on HTTP/2, and answers by HTTP/1.1", "HTTP/2", func(x *stream) {
			x.end(0)
			x.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
			x.hangUp()
		}),
		turned("h2-http1-required", "resets the stream, since it wants HTTP/1.1", reset(http2.ErrCodeHTTP11Required)),
		// It affects the first request on a connection.
		over(fault("h2-goaway-http1-required", "sends the client away, since it wants HTTP/1.1", Want{}, rules().repeated(), Want{}, (*exchange).respond), goAway(http2.ErrCodeHTTP11Required)),
		turned("h2-inadequate-security", "resets the stream, since it wants other TLS", reset(http2.ErrCodeInadequateSecurity)),
		broken("h2-stream-zero", "sends a body that belongs to no request", "HTTP/2", func(x *stream) {
			x.end(0)
			x.send("\x00\x00\x05\x00\x01\x00\x00\x00\x00hello")
		}),
		broken("h2-no-status", "omits the status", "HTTP", func(x *stream) {
			x.end(0)
			x.fields("content-type", x.good.mediaType)
			x.data(x.good.body, true)
		}),
		broken("h2-bad-packing", "packs the header fields so that nobody can unpack them", "HTTP/2", func(x *stream) {
			x.end(0)
			_ = x.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: x.id, BlockFragment: []byte("\xff\xff\xff\xff\xff\xff"), EndHeaders: true})
		}),
		broken("h2-endless-headers", "sends header fields without end", "HTTP/2", func(x *stream) {
			block := x.pack(":status", "200", "x-more", strings.Repeat("more", 1<<8))
			_ = x.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: x.id, BlockFragment: block})
			more := x.pack("x-more", strings.Repeat("more", 1<<8))
			for x.framer.WriteContinuation(x.id, false, more) == nil {
			}
		}),
		wholeBody(broken("h2-length-too-long", "states a length of more than there is", "the response ends", func(x *stream) {
			x.fields(":status", "200", "content-type", x.good.mediaType, "content-length", strconv.Itoa(len(x.good.body)+100))
			x.end(200)
			x.data(x.good.body, true)
		})),
		broken("h2-length-too-short", "states a length of less than there is", "valid HTTP", func(x *stream) {
			x.fields(":status", "200", "content-type", x.good.mediaType, "content-length", "5")
			x.end(200)
			x.data(x.good.body, true)
		}),
		broken("h2-early-hints", "sends hints without end", "header", func(x *stream) {
			block := x.pack(":status", "103", "link", "</x>; rel=preload", "x-large", strings.Repeat("large", 1<<8))
			for n := 1; x.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: x.id, BlockFragment: block, EndHeaders: true}) == nil; n++ {
				if n%100 == 0 && !x.wait(byteInterval) {
					return
				}
			}
		}),
		well("h2-settings-flood", "sends a thousand settings before the answer", func(x *stream) {
			for range 1000 {
				_ = x.framer.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1 << 16})
			}
			x.whole()
		}),
		well("h2-ping-flood", "pings a thousand times before the answer", func(x *stream) {
			for range 1000 {
				_ = x.framer.WritePing(false, [8]byte{})
			}
			x.whole()
		}),
		over(fault("h2-endless-body", "sends an endless body, and ignores a reset of the stream",
			fetched(200).truncated(), rules().withoutRules().truncated(), Want{}, nil), func(x *stream) {
			x.headers("200")
			block := []byte(strings.Repeat("more ", 3<<10))
			for x.wait(byteInterval/8) && x.framer.WriteData(x.id, false, block) == nil {
			}
		}),
	}
}

// pack packs header fields: names and values.
func (x *stream) pack(fields ...string) []byte {
	x.block.Reset()
	for i := 0; i < len(fields); i += 2 {
		_ = x.packer.WriteField(hpack.HeaderField{Name: fields[i], Value: fields[i+1]}) // a buffer does not fail
	}
	return bytes.Clone(x.block.Bytes())
}

// fields sends header fields.
func (x *stream) fields(fields ...string) {
	_ = x.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: x.id, BlockFragment: x.pack(fields...), EndHeaders: true})
}

func (x *stream) headers(status string) {
	x.fields(":status", status, "content-type", x.good.mediaType, "cache-control", "max-age=600")
}

func (x *stream) data(p []byte, last bool) { _ = x.framer.WriteData(x.id, last, p) }

// whole sends the healthy response.
func (x *stream) whole() {
	status := 200
	if x.good.body == nil {
		status, x.good = 404, plain("There is nothing here.\n")
	}
	x.headers(strconv.Itoa(status))
	x.end(status)
	x.data(x.good.body, true)
}

// end records the end of the response, unless the client has gone.
func (x *stream) end(status int) { x.over(status, 0) }

func (x *stream) reset(code http2.ErrCode) {
	x.end(0)
	_ = x.framer.WriteRSTStream(x.id, code)
}

// again reports whether the host received this request before, since the last report.
func (x *stream) again() bool {
	x.host.mu.Lock()
	defer x.host.mu.Unlock()
	x.host.second = !x.host.second
	return !x.host.second
}

// goAway sends GOAWAY with the last processed stream, and closes the connection.
func (x *stream) goAway(last uint32, code http2.ErrCode) {
	if x.seen.End.IsZero() {
		x.end(0)
	}
	_ = x.framer.WriteGoAway(last, code, nil)
	x.closing = true
}

// hangUp closes the connection.
func (x *stream) hangUp() {
	if x.seen.End.IsZero() {
		x.end(0)
	}
	x.closing = true
}
