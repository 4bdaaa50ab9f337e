package fetch

import (
	"bufio"
	"cmp"
	"compress/flate"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"

	"github.com/politecrawl/politecrawl/robotsext/gunzip"
)

const (
	// maxRatio is the maximum ratio of decoded to received bytes of a page, beyond its
	// first decoded MiB. Sitemaps have the same limit. HTML compresses to 1 % at best, a
	// run of one byte to 0.1 %.
	maxRatio   = 500
	ratioGrace = 1 << 20

	// maxIdleEncoded is the number of bytes that may arrive beyond twice the decoded
	// bytes. Compression makes incompressible data a few bytes longer. A stream of empty blocks
	// would never end without this limit.
	maxIdleEncoded = 1 << 20

	// maxPiece is the number of bytes that a decoder gets at a time.
	maxPiece = 4 << 10
)

// maxWindow is the maximum size of the window of a zstd body, as RFC 9659 says. Brotli's is 16 MiB
// by its format.
const maxWindow = 8 << 20

// errNoContent says that a body decodes to nothing, however long it is.
var errNoContent = errors.New("the compressed body has no content")

// acceptedCodings are the content codings that are requested.
const acceptedCodings = "gzip, br, zstd"

// A coding is a content coding that can be decoded.
type coding string

// codings are the content codings by their names in Content-Encoding. Browsers also decode deflate
// without having offered it.
var codings = map[string]coding{"gzip": "gzip", "x-gzip": "gzip", "deflate": "deflate", "br": "brotli", "zstd": "zstd"}

// maxCodings is the maximum number of codings of one body.
const maxCodings = 3

// open returns a reader of what r decodes to.
func (c coding) open(r io.Reader) (io.ReadCloser, error) {
	switch c {
	case "gzip":
		z, err := gunzip.NewReader(r)
		if err != nil {
			return nil, err
		}
		return z, nil
	case "deflate":
		return openDeflate(r), nil
	case "brotli":
		return io.NopCloser(brotli.NewReader(r)), nil
	}
	return openZstd(r)
}

// openDeflate decodes the zlib format, or raw deflate data, which some servers send under this name.
// Like browsers, it ignores the checksum of zlib, and also reads a body that ends before it.
func openDeflate(r io.Reader) io.ReadCloser {
	const dictionary = 0x20 // flag of data that browsers do not read as zlib
	b := bufio.NewReader(r)
	head, _ := b.Peek(2) // a later read returns the error again
	if len(head) == 2 && head[0]&0x8f == 8 && head[1]&dictionary == 0 && (int(head[0])<<8|int(head[1]))%31 == 0 {
		_, _ = b.Discard(len(head)) // they are there
	}
	return flate.NewReader(b)
}

// isPastEnd reports whether an error is about what follows the content of a body, such as its checksum.
// Browsers ignore that.
func isPastEnd(err error) bool {
	return errors.Is(err, gunzip.ErrTrailer) || err.Error() == "brotli: excessive input"
}

// openZstd decodes in the goroutine of the reader. For streams, the limit of memory is the window,
// also for frames that have no window size.
func openZstd(r io.Reader) (io.ReadCloser, error) {
	z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxMemory(maxWindow))
	if err != nil {
		return nil, err
	}
	return z.IOReadCloser(), nil
}

// acceptCodings adds Accept-Encoding to the header of a request if net/http would, and reports
// whether it did. Then the response must be decoded. A caller that sets Accept-Encoding decodes
// the body itself.
func acceptCodings(req *http.Request) bool {
	if req.Method != http.MethodGet || req.Header.Get("Accept-Encoding") != "" || req.Header.Get("Range") != "" {
		return false
	}
	req.Header.Set("Accept-Encoding", acceptedCodings)
	return true
}

// decode replaces the body of a response with the decoded body, and sets page.Truncated if it is
// truncated; page may be nil. A content coding that was not requested makes the body unreadable.
// Values that are not content codings are ignored. Without decode, net/http or colly would decode
// without limits.
func decode(resp *http.Response, page *Response) {
	if resp.Uncompressed { // by a transport of the caller's
		return
	}
	resp.Uncompressed = true // so that colly does not decode it again
	names := codingsOf(resp.Header)
	switch {
	case len(names) == 0:
	case len(names) <= maxCodings && !slices.ContainsFunc(names, func(name string) bool { return codings[name] == "" }):
		resp.Header.Del("Content-Encoding")
		resp.Header.Del("Content-Length")
		resp.ContentLength = -1
		for _, name := range slices.Backward(names) { // the last one was applied last
			resp.Body = &decodedBody{encoded: resp.Body, coding: codings[name], page: page}
		}
	case resp.StatusCode/100 == 2:
		resp.Body = &unreadableBody{resp.Body, fmt.Errorf("content coding %q was not requested", strings.Join(names, ", "))}
	}
}

// codingsOf returns the content codings in the header of a response. It ignores charsets and
// other invalid values, which sites send too.
func codingsOf(h http.Header) []string {
	names := strings.FieldsFunc(strings.ToLower(strings.Join(h.Values("Content-Encoding"), ",")), func(r rune) bool {
		return r == ',' || r == ' ' || r == '\t'
	})
	return slices.DeleteFunc(names, func(name string) bool {
		return codings[name] == "" && name != "compress" && name != "x-compress"
	})
}

// Decode replaces the body of a stored response with the decoded body.
func Decode(resp *http.Response) { decode(resp, nil) }

// decodedBody decodes a body. It ends at the limit if the body decodes to more.
type decodedBody struct {
	encoded io.ReadCloser
	coding  coding
	in      int64 // bytes read from encoded
	out     int64 // bytes decoded from them
	ended   error // of the last Read from encoded; nil if there is more
	decoder io.ReadCloser
	err     error     // of the next Read
	page    *Response // the page with this body; nil if not a page
}

func (b *decodedBody) Read(p []byte) (n int, err error) {
	if b.err != nil {
		return 0, b.err
	}
	if b.decoder == nil {
		b.decoder, err = b.coding.open(encodedSide{b})
	}
	if b.decoder != nil {
		n, err = b.decoder.Read(p)
		b.out += int64(n)
	}
	b.err = b.explain(err)
	if b.err == nil && (b.out-ratioGrace)/maxRatio > b.in {
		b.err = io.EOF
		if b.page != nil {
			b.page.Truncated = truncatedByRatio
		}
	}
	if b.err != nil && b.err != io.EOF && b.page != nil {
		b.page.Undecoded = true
	}
	return n, b.err
}

// explain returns the error of the encoded body if that caused the error of the decoder. Otherwise
// it says that the body is not valid.
func (b *decodedBody) explain(err error) error {
	switch {
	case err == nil || err == io.EOF:
		return err
	case isPastEnd(err):
		return io.EOF
	case b.ended == io.EOF && b.in == 0: // the body is empty, as for a 304
		return io.EOF
	case b.ended != nil && b.ended != io.EOF:
		return b.ended
	case errors.Is(err, io.ErrUnexpectedEOF):
		return io.ErrUnexpectedEOF
	}
	return &codingError{b.coding, err}
}

// Close closes the decoder and the encoded body.
func (b *decodedBody) Close() error {
	if b.decoder != nil {
		_ = b.decoder.Close() // it has no error that Read has not had
	}
	b.decoder, b.err = nil, cmp.Or(b.err, http.ErrBodyReadAfterClose)
	return b.encoded.Close()
}

// A codingError is the error of a body that does not have its content coding.
type codingError struct {
	coding coding
	err    error
}

func (e *codingError) Error() string { return string(e.coding) + ": " + e.err.Error() }

// Unwrap returns the error of the decoder.
func (e *codingError) Unwrap() error { return e.err }

// encodedSide is a body as its decoder reads it: in small pieces, so that the ratio is about what
// has been decoded.
type encodedSide struct{ b *decodedBody }

func (s encodedSide) Read(p []byte) (int, error) {
	b := s.b
	if b.ended == nil && b.in > 2*b.out+maxIdleEncoded {
		b.ended = errNoContent
	}
	if b.ended != nil {
		return 0, b.ended
	}
	n, err := b.encoded.Read(p[:min(len(p), maxPiece)])
	b.in += int64(n)
	b.ended = err
	return n, err
}

// unreadableBody is a body that cannot be decoded, unless it is empty.
type unreadableBody struct {
	io.ReadCloser
	err error
}

func (b *unreadableBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if n > 0 {
		return 0, b.err
	}
	return 0, err
}
