package fetch

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
)

const (
	// maxRatio is how many bytes of a page, beyond its first MiB, may be decoded from
	// each one that arrived, as for sitemaps: HTML is compressed to a hundredth at the
	// best, a run of one byte to a thousandth.
	maxRatio   = 500
	ratioGrace = 1 << 20

	// maxIdleEncoded is how many bytes may arrive beyond twice what they decode to.
	// gzip adds a few to what it cannot shorten; a stream of empty blocks has no
	// other end.
	maxIdleEncoded = 1 << 20
)

// errNoContent says that a body decodes to nothing, however long it is.
var errNoContent = errors.New("the compressed body has no content")

// acceptGzip accepts a gzipped body where net/http would, and reports whether it did: then
// the response is to be decoded. A caller who names codings decodes them.
func acceptGzip(req *http.Request) (*http.Request, bool) {
	if req.Method != http.MethodGet || req.Header.Get("Accept-Encoding") != "" || req.Header.Get("Range") != "" {
		return req, false
	}
	out := *req
	out.Header = req.Header.Clone()
	out.Header.Set("Accept-Encoding", "gzip")
	return &out, true
}

// decode gives a response its body without the content coding, and notes in page, which may
// be nil, that it is truncated. A coding that was not accepted makes a page unreadable; what
// is no coding at all is ignored. Its limits are those that neither net/http nor colly has,
// which would decode it otherwise.
func decode(resp *http.Response, page *Response) {
	if resp.Uncompressed { // by a transport of the caller's
		return
	}
	resp.Uncompressed = true // so that colly does not decode it again
	codings := codingsOf(resp.Header)
	switch {
	case len(codings) == 0:
	case len(codings) == 1 && strings.HasSuffix(codings[0], "gzip"):
		resp.Header.Del("Content-Encoding")
		resp.Header.Del("Content-Length")
		resp.ContentLength = -1
		resp.Body = &decodedBody{encoded: resp.Body, page: page}
	case resp.StatusCode/100 == 2:
		resp.Body = &unreadableBody{resp.Body, fmt.Errorf("content coding %q was not requested", strings.Join(codings, ", "))}
	}
}

// codingsOf returns the content codings that a response names. Sites also write names
// of charsets there, and other things that mean nothing.
func codingsOf(h http.Header) []string {
	codings := strings.FieldsFunc(strings.ToLower(strings.Join(h.Values("Content-Encoding"), ",")), func(r rune) bool {
		return r == ',' || r == ' ' || r == '\t'
	})
	return slices.DeleteFunc(codings, func(name string) bool {
		switch name {
		case "gzip", "x-gzip", "deflate", "br", "zstd", "compress", "x-compress":
			return false
		}
		return true
	})
}

// decodedBody is a gzipped body without its coding. One that is decoded to too much ends
// there.
type decodedBody struct {
	encoded io.ReadCloser
	in      int64 // bytes read from encoded
	out     int64 // and decoded from them
	z       *gzip.Reader
	err     error     // why there is no more
	page    *Response // whose body it is; nil: it is no page's
}

func (b *decodedBody) Read(p []byte) (n int, err error) {
	if b.err != nil {
		return 0, b.err
	}
	if b.z == nil {
		b.z, b.err = gzip.NewReader(encodedSide{b}) // io.EOF where it is empty, as for a 304
	}
	if b.err == nil {
		n, b.err = b.z.Read(p)
		b.out += int64(n)
	}
	if b.err == nil && (b.out-ratioGrace)/maxRatio > b.in {
		b.err = io.EOF
		if b.page != nil {
			b.page.Truncated = truncatedByRatio
		}
	}
	return n, b.err
}

// Close closes the encoded body.
func (b *decodedBody) Close() error { return b.encoded.Close() }

// encodedSide is a body as gzip reads it.
type encodedSide struct{ b *decodedBody }

func (s encodedSide) Read(p []byte) (int, error) {
	if s.b.in > 2*s.b.out+maxIdleEncoded {
		return 0, errNoContent
	}
	n, err := s.b.encoded.Read(p)
	s.b.in += int64(n)
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
