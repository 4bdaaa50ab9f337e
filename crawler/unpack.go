package crawler

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
)

const (
	// maxRatio is how many bytes of a page, beyond its first MiB, may come out of
	// each one that went over the wire, as for sitemaps: HTML packs to a hundredth at
	// the best, a run of one byte to a thousandth.
	maxRatio   = 500
	ratioGrace = 1 << 20

	// maxIdlePacked is how many bytes may arrive beyond twice what they unpack to.
	// gzip adds a few to what it cannot shorten; a stream of empty blocks has no
	// other end.
	maxIdlePacked = 1 << 20
)

// errPacked says that a body goes on and on and unpacks to nothing.
var errPacked = errors.New("crawler: a packed body without content")

// unpacker undoes the coding of answers, within limits that net/http, which would do
// it, and colly, which would do what that leaves, do not have. The zero unpacker is
// ready to use.
type unpacker struct {
	readers sync.Pool // of *gzip.Reader: one takes 40 KB
}

// ask asks for a gzipped body where net/http would, and tells whether it did: then
// the answer is to be unpacked. Who names codings deals with them.
func (u *unpacker) ask(req *http.Request) (*http.Request, bool) {
	if req.Method != http.MethodGet || req.Header.Get("Accept-Encoding") != "" || req.Header.Get("Range") != "" {
		return req, false
	}
	out := *req
	out.Header = req.Header.Clone()
	out.Header.Set("Accept-Encoding", "gzip")
	return &out, true
}

// unpack gives an answer its body as it was before it was packed, and notes in page, which
// may be nil, where that is truncated. A coding that was not asked for makes a page
// unreadable; what is no coding at all is none.
func (u *unpacker) unpack(resp *http.Response, page *response) {
	if resp.Uncompressed { // by a transport of the caller's
		return
	}
	resp.Uncompressed = true // colly is to leave it alone
	codings := codingsOf(resp.Header)
	switch {
	case len(codings) == 0:
	case len(codings) == 1 && strings.HasSuffix(codings[0], "gzip"):
		resp.Header.Del("Content-Encoding")
		resp.Header.Del("Content-Length")
		resp.ContentLength = -1
		resp.Body = &unpackedBody{packed: resp.Body, unpacker: u, page: page}
	case resp.StatusCode/100 == 2:
		resp.Body = &unreadableBody{resp.Body, fmt.Errorf("crawler: content coding %q was not asked for", strings.Join(codings, ", "))}
	}
}

// codingsOf returns what an answer says its body is packed by. Sites also write names
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

// unpackedBody is a gzipped body as it was before. One that is unpacked to too much
// ends there.
type unpackedBody struct {
	packed   io.ReadCloser
	in       int64 // bytes taken from packed
	out      int64 // and what they unpacked to
	z        *gzip.Reader
	err      error // why there is no more
	unpacker *unpacker
	page     *response // whose body it is; nil: nobody wants to know that it was cut
}

// Read implements io.Reader.
func (b *unpackedBody) Read(p []byte) (n int, err error) {
	if b.err != nil {
		return 0, b.err
	}
	if b.z == nil {
		b.z, b.err = b.unpacker.reader(packedSide{b})
	}
	if b.err == nil {
		n, b.err = b.z.Read(p)
		b.out += int64(n)
	}
	if b.err == nil && (b.out-ratioGrace)/maxRatio > b.in {
		if b.err = io.EOF; b.page != nil {
			b.page.Truncated = truncatedByRatio
		}
	}
	if b.err != nil && b.z != nil {
		b.unpacker.readers.Put(b.z)
		b.z = nil
	}
	return n, b.err
}

// Close closes the packed body.
func (b *unpackedBody) Close() error { return b.packed.Close() }

// packedSide is a body as gzip reads it.
type packedSide struct{ b *unpackedBody }

// Read implements io.Reader.
func (s packedSide) Read(p []byte) (int, error) {
	if s.b.in > 2*s.b.out+maxIdlePacked {
		return 0, errPacked
	}
	n, err := s.b.packed.Read(p)
	s.b.in += int64(n)
	return n, err
}

// reader returns a reader of what r holds, or why there is none: io.EOF where r is
// empty, as the body of a 304 is.
func (u *unpacker) reader(r io.Reader) (*gzip.Reader, error) {
	z, ok := u.readers.Get().(*gzip.Reader)
	if !ok {
		return gzip.NewReader(r)
	}
	if err := z.Reset(r); err != nil {
		u.readers.Put(z)
		return nil, err
	}
	return z, nil
}

// unreadableBody is a body that nobody can read, unless it is empty.
type unreadableBody struct {
	io.ReadCloser
	err error
}

// Read implements io.Reader.
func (b *unreadableBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if n > 0 {
		return 0, b.err
	}
	return 0, err
}
