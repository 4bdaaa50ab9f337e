package faultsite

import (
	"bytes"
	"compress/gzip"
	"strconv"
	"strings"
	"sync"
)

// codings returns bodies with a wrong content coding.
func codings() []*Fault {
	packed := "{head}Content-Encoding: gzip\nContent-Length: "
	squeezed := func(change func([]byte) []byte) responder {
		return func(x *exchange) bool {
			b := change(pack(x.good.body))
			x.sendLast(x.fill(strings.ReplaceAll(packed, "\n", "\r\n")+strconv.Itoa(len(b))+"\r\n\r\n") + string(b))
			return true
		}
	}
	// What is packed is HTML and a robots.txt and a sitemap: its front, and then blanks.
	bomb := func(begin func(x *exchange) []byte, block func() string) responder {
		return func(x *exchange) bool {
			for ok := x.send(x.fill("{head}Content-Encoding: gzip\r\n\r\n") + string(begin(x))); ok; {
				ok = x.send(block())
			}
			return false
		}
	}
	blanks := sync.OnceValue(func() string { // it takes a while, and most sites have no bomb
		return string(flushed(nil, []byte(strings.Repeat("\n", 1<<20)), false))
	})
	front := func(x *exchange) []byte { return bytes.TrimSuffix(x.good.body, []byte("</urlset>\n")) }
	return []*Fault{
		harmless("gzip", "compresses the response", squeezed(func(b []byte) []byte { return b })),
		harmless("gzip-members", "compresses the response in two parts", func(x *exchange) bool {
			half := len(x.good.body) / 2
			b := append(pack(x.good.body[:half]), pack(x.good.body[half:])...)
			x.sendLast(x.fill("{head}Content-Encoding: gzip\r\nContent-Length: "+strconv.Itoa(len(b))+"\r\n\r\n") + string(b))
			return true
		}),
		withSitemap(noResponse("bad-gzip", "claims that the body is compressed", "gzip", raw(keep, "{head}Content-Encoding: gzip\nContent-Length: {len}\n\n{body}")), read()),
		withSitemap(noResponse("broken-gzip", "sends a corrupt compressed body", "gzip", squeezed(func(b []byte) []byte { copy(b[12:], "\xff\xff\xff\xff\xff\xff"); return b })), faulty("gzip")),
		withSitemap(noResponse("bad-checksum", "compresses the body, and states a wrong checksum", "gzip", squeezed(func(b []byte) []byte { b[len(b)-6] ^= 1; return b })), faulty("gzip").followed()),
		fault("cut-gzip", "sends the first half of a compressed body", failed("the response ends"), unreachable("gzip"), faulty("gzip"), squeezed(func(b []byte) []byte { return b[:len(b)/2] })),
		noResponse("close-in-gzip", "compresses the body, and closes the connection in the middle of it", "the response ends", func(x *exchange) bool {
			b := pack(x.good.body)
			x.sendLast(x.fill("{head}Content-Encoding: gzip\r\nContent-Length: "+strconv.Itoa(len(b))+"\r\n\r\n") + string(b[:len(b)/2]))
			return false
		}),
		fault("empty-gzip-header", "sends the first bytes of a compressed body", failed("the response ends"), unreachable("gzip"), faulty("gzip"), squeezed(func(b []byte) []byte { return b[:5] })),
		// What is a sitemap shows in what it holds, whatever the header says.
		fault("unasked-coding", "claims a content coding that was not requested", failed(`"br"`), unreachable(`"br"`), read(),
			raw(keep, "{head}Content-Encoding: br\nContent-Length: {len}\n\n{body}")),
		fault("unknown-coding", "claims an unknown content coding", whole(), unreachable(`"parcel"`), read(), // browsers take no notice of it
			raw(keep, "{head}Content-Encoding: parcel\nContent-Length: {len}\n\n{body}")),
		fault("coding-twice", "compresses the body twice", failed("gzip, gzip"), unreachable(`"gzip" on top of "gzip"`), read(),
			func(x *exchange) bool {
				b := pack(pack(x.good.body))
				x.sendLast(x.fill("{head}Content-Encoding: gzip, gzip\r\nContent-Length: "+strconv.Itoa(len(b))+"\r\n\r\n") + string(b))
				return true
			}),
		fault("gzip-bomb", "sends a gzip bomb", whole().truncated(), rules().truncated(), faulty("").followed(),
			bomb(func(x *exchange) []byte { return flushed(front(x), []byte(strings.Repeat("\n", 1<<20)), true) },
				blanks)),
		fault("gzip-of-nothing", "sends compressed data without content, without end", failed("compressed body has no content"), unreachable("encoded body too long"), faulty("unpacks to nothing"),
			bomb(func(*exchange) []byte { return flushed(nil, nil, true) }, func() string { return strings.Repeat("\x00\x00\x00\xff\xff", 1<<10) })),
	}
}

// pack compresses text with gzip.
func pack(text []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(text) // a buffer does not fail
	_ = w.Close()
	return b.Bytes()
}

// flushed returns the compressed form of a text followed by a block, without its end. The form of
// the block alone can be repeated forever.
func flushed(text, block []byte, beginning bool) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(text)
	_, _ = w.Write(block)
	_ = w.Flush()
	if beginning {
		return b.Bytes()
	}
	n := b.Len()
	_, _ = w.Write(block)
	_ = w.Flush()
	return b.Bytes()[n:]
}
