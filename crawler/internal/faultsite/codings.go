package faultsite

import (
	"bytes"
	"compress/gzip"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

// codings returns bodies with a wrong content coding. Only pages are requested with others than
// gzip.
func codings() []*Fault {
	return slices.Concat(gzipped(), encodedPages("br"), encodedPages("zstd"))
}

// coded returns a responder that claims a content coding, and sends the body packed by pack.
func coded(coding string, pack func([]byte) []byte) responder {
	return func(x *exchange) bool {
		x.sendBody("Content-Encoding: "+coding+"\r\n", pack(x.good.body))
		return true
	}
}

// squeezed returns a responder that compresses the body, and changes what that is.
func squeezed(coding string, change func([]byte) []byte) responder {
	return coded(coding, func(b []byte) []byte { return change(encode(coding, b)) })
}

// twice returns a responder that compresses the body twice.
func twice(coding string) responder {
	return coded(coding+", "+coding, func(b []byte) []byte { return encode(coding, encode(coding, b)) })
}

// bomb returns a responder that sends the beginning of a compressed body, and then a block again
// and again.
func bomb(coding string, begin func(x *exchange) []byte, block func() string) responder {
	return func(x *exchange) bool {
		for ok := x.send(x.fill("{head}Content-Encoding: "+coding+"\r\n\r\n") + string(begin(x))); ok; {
			ok = x.send(block())
		}
		return false
	}
}

// newlines returns a compressed block of 1 MiB of newlines.
func newlines(coding string) func() string {
	return sync.OnceValue(func() string { // it takes a while, and most sites have no bomb
		return string(flushed(coding, nil, []byte(strings.Repeat("\n", 1<<20)), false))
	})
}

// encodedPages returns pages with a content coding that robots.txt files and sitemaps do not have.
func encodedPages(coding string) []*Fault {
	page := func(name, does string, want Want, act responder) *Fault {
		return fault(name, does, want, Want{}, Want{}, act)
	}
	name := map[string]string{"br": "brotli", "zstd": "zstd"}[coding]
	nothing := map[string][2]string{"br": {"\x0c", "\x06"}, "zstd": {"\x50\x2a\x4d\x18\x00\x00\x00\x00", "\x50\x2a\x4d\x18\x00\x00\x00\x00"}}[coding]
	half := func(b []byte) []byte { return b[:len(b)/2] }
	return []*Fault{
		page(coding, "compresses the page with "+name, whole(), squeezed(coding, func(b []byte) []byte { return b })),
		page("bad-"+coding, "claims that the page is compressed with "+name, failed(name), raw(keep, "{head}Content-Encoding: "+coding+"\nContent-Length: {len}\n\n{body}")),
		page("broken-"+coding, "sends a corrupt page that is compressed with "+name, failed(name), squeezed(coding, func(b []byte) []byte { copy(b[12:], "\xff\xff\xff\xff\xff\xff"); return b })),
		page("cut-"+coding, "sends the first half of a page that is compressed with "+name, failed("the response ends"), squeezed(coding, half)),
		page(coding+"-twice", "compresses the page twice with "+name, whole(), twice(coding)),
		page(coding+"-bomb", "sends a bomb of "+name, whole().truncated(),
			bomb(coding, func(x *exchange) []byte {
				return flushed(coding, x.good.body, []byte(strings.Repeat("\n", 1<<20)), true)
			}, newlines(coding))),
		page(coding+"-of-nothing", "sends data of "+name+" without content, without end", failed("compressed body has no content"),
			bomb(coding, func(*exchange) []byte { return []byte(nothing[0]) }, func() string { return strings.Repeat(nothing[1], 1<<10) })),
	}
}

// gzipped returns bodies of every kind that are compressed with gzip, or seem to be.
func gzipped() []*Fault {
	squeezed := func(change func([]byte) []byte) responder { return squeezed("gzip", change) }
	pack := func(text []byte) []byte { return encode("gzip", text) }
	// The packed body is HTML and a robots.txt and a sitemap: its front, and then blanks.
	front := func(x *exchange) []byte { return bytes.TrimSuffix(x.good.body, []byte("</urlset>\n")) }
	return []*Fault{
		harmless("gzip", "compresses the response", squeezed(func(b []byte) []byte { return b })),
		harmless("gzip-members", "compresses the response in two parts", coded("gzip", func(b []byte) []byte {
			return append(pack(b[:len(b)/2]), pack(b[len(b)/2:])...)
		})),
		notRetried(withSitemap(noResponse("bad-gzip", "claims that the body is compressed", "gzip", raw(keep, "{head}Content-Encoding: gzip\nContent-Length: {len}\n\n{body}")), read())),
		notRetried(withSitemap(noResponse("broken-gzip", "sends a corrupt compressed body", "gzip", squeezed(func(b []byte) []byte { copy(b[12:], "\xff\xff\xff\xff\xff\xff"); return b })), faulty("gzip"))),
		fault("bad-checksum", "compresses the body, and states a wrong checksum", whole(), unreachable("gzip"), faulty("gzip").followed(), squeezed(func(b []byte) []byte { b[len(b)-6] ^= 1; return b })),
		fault("cut-gzip", "sends the first half of a compressed body", failed("the response ends"), unreachable("gzip"), faulty("gzip"), squeezed(func(b []byte) []byte { return b[:len(b)/2] })),
		noResponse("close-in-gzip", "compresses the body, and closes the connection in the middle of it", "the response ends", func(x *exchange) bool {
			b := pack(x.good.body)
			x.sendLast(x.fill("{head}Content-Encoding: gzip\r\nContent-Length: "+strconv.Itoa(len(b))+"\r\n\r\n") + string(b[:len(b)/2]))
			return false
		}),
		fault("empty-gzip-header", "sends the first bytes of a compressed body", failed("the response ends"), unreachable("gzip"), faulty("gzip"), squeezed(func(b []byte) []byte { return b[:5] })),
		// A sitemap is recognized by its content, whatever the header says.
		fault("unasked-coding", "claims a content coding that was not requested", failed("deflate"), unreachable(`"deflate"`), read(),
			raw(keep, "{head}Content-Encoding: deflate\nContent-Length: {len}\n\n{body}")),
		fault("unknown-coding", "claims an unknown content coding", whole(), unreachable(`"parcel"`), read(), // browsers take no notice of it
			raw(keep, "{head}Content-Encoding: parcel\nContent-Length: {len}\n\n{body}")),
		fault("coding-twice", "compresses the body twice", whole(), unreachable(`"gzip" on top of "gzip"`), read(), twice("gzip")),
		fault("gzip-bomb", "sends a gzip bomb", whole().truncated(), rules().truncated(), faulty("").followed(),
			bomb("gzip", func(x *exchange) []byte { return flushed("gzip", front(x), []byte(strings.Repeat("\n", 1<<20)), true) },
				newlines("gzip"))),
		fault("gzip-of-nothing", "sends compressed data without content, without end", failed("compressed body has no content"), unreachable("encoded body too long"), faulty("unpacks to nothing"),
			bomb("gzip", func(*exchange) []byte { return flushed("gzip", nil, nil, true) }, func() string { return strings.Repeat("\x00\x00\x00\xff\xff", 1<<10) })),
	}
}

// An encoder compresses what is written to it.
type encoder interface {
	io.WriteCloser
	Flush() error
}

// newEncoder returns an encoder of a content coding.
func newEncoder(coding string, w io.Writer) encoder {
	switch coding {
	case "br":
		return brotli.NewWriter(w)
	case "zstd":
		z, _ := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1)) // only wrong options fail
		return z
	}
	return gzip.NewWriter(w)
}

// encode compresses text.
func encode(coding string, text []byte) []byte {
	var b bytes.Buffer
	w := newEncoder(coding, &b)
	_, _ = w.Write(text) // a buffer does not fail
	_ = w.Close()
	return b.Bytes()
}

// flushed returns the compressed form of a text followed by a block, without its end. The form of
// the block alone can be repeated forever.
func flushed(coding string, text, block []byte, beginning bool) []byte {
	var b bytes.Buffer
	w := newEncoder(coding, &b)
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
