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
	// maxRatio is the maximum ratio of decoded to received bytes of a page, beyond its
	// first decoded MiB. Sitemaps have the same limit. HTML compresses to 1 % at best, a
	// run of one byte to 0.1 %.
	maxRatio   = 500
	ratioGrace = 1 << 20

	// maxIdleEncoded is the number of bytes that may arrive beyond twice the decoded
	// bytes. gzip makes incompressible data a few bytes longer. A stream of empty blocks
	// would never end without this limit.
	maxIdleEncoded = 1 << 20
)

// errNoContent says that a body decodes to nothing, however long it is.
var errNoContent = errors.New("the compressed body has no content")

// acceptGzip adds Accept-Encoding: gzip if net/http would, and reports whether it did. Then the
// response must be decoded. A caller that sets Accept-Encoding decodes the body itself.
func acceptGzip(req *http.Request) (*http.Request, bool) {
	if req.Method != http.MethodGet || req.Header.Get("Accept-Encoding") != "" || req.Header.Get("Range") != "" {
		return req, false
	}
	out := *req
	out.Header = req.Header.Clone()
	out.Header.Set("Accept-Encoding", "gzip")
	return &out, true
}

// decode replaces the body of a response by the decoded body, and sets page.Truncated if it is
// truncated; page may be nil. A content coding that was not requested makes the body unreadable.
// Values that are not content codings are ignored. Without decode, net/http or colly would decode
// without limits.
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

// codingsOf returns the content codings in the header of a response. It ignores charsets and
// other invalid values, which sites send too.
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

// decodedBody decodes a gzipped body. It ends at the limit if the body decodes to more.
type decodedBody struct {
	encoded io.ReadCloser
	in      int64 // bytes read from encoded
	out     int64 // bytes decoded from them
	z       *gzip.Reader
	err     error     // of the next Read
	page    *Response // the page with this body; nil: not a page
}

func (b *decodedBody) Read(p []byte) (n int, err error) {
	if b.err != nil {
		return 0, b.err
	}
	if b.z == nil {
		b.z, b.err = gzip.NewReader(encodedSide{b}) // io.EOF if the body is empty, as for a 304
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
