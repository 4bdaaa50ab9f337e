package fetch

import (
	"bytes"
	"cmp"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/cespare/xxhash/v2"

	"github.com/politecrawl/politecrawl/crawler/internal/mimetype"
)

const (
	// maxDropped is the maximum size in bytes of a body that is read and dropped, so that its
	// connection can be used again.
	maxDropped = 16 << 10

	// maxPooled is the maximum size in bytes of a body in a buffer that is used again.
	maxPooled = 256 << 10
)

// buffers are for the bodies of pages. Without them, these would be most of what a crawl allocates.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// readBody reads and closes the body of a response to the request of the page. Colly gets an empty
// body, since it would allocate more than twice the size of the other. If reading fails, colly gets
// the error, and Body has what was read before. Encoded is the body as the site sends it, and size its Content-Length.
func (p *Response) readBody(resp *http.Response, types Types, encoded io.Reader, size int64) {
	p.Release() // an earlier response, to a request without a signature
	p.Status, p.Header, p.Size, p.Dropped, p.Truncated, p.hash = resp.StatusCode, resp.Header, 0, 0, "", nil
	p.buf = buffers.Get().(*bytes.Buffer)
	p.buf.Reset()
	p.Undecoded = len(codingsOf(resp.Header)) > 0 // decode has removed those that it decodes
	media, err := p.mediaType(resp, types)
	if media == "" || types.Accept(media) {
		if err == nil {
			err = p.read(resp.Body, min(p.limit, maxPooled))
		}
		p.Body = p.buf.Bytes()
		if p.Size = len(p.Body); err == nil && p.Size == maxPooled {
			err = p.readLarge(resp)
		}
		if r, ok := encoded.(*recording); ok && err == nil && p.rest > 0 && p.Size == p.limit {
			if r.drain(); r.err != io.EOF { // not decoded: the archive has the bytes that are received
				err = explain(r.sender.ctx, r.err, r.sender.began, true)
			}
		}
	} else {
		p.OtherType, err = media, nil
		if size >= 0 && size <= maxDropped {
			_, _ = io.Copy(io.Discard, encoded) // an error ends the connection, and nothing else
		}
	}
	_ = resp.Body.Close()
	resp.Body, resp.Uncompressed = http.NoBody, true // colly must not decode it
	if err != nil {
		resp.Body = failedBody{err}
	}
}

// readLarge reads the rest of a body. It keeps that of a page, of a stylesheet or a script that is checked, which some
// servers send as plain text, and only the hash of another file, which may be a video.
func (p *Response) readLarge(resp *http.Response) (err error) {
	rest := int64(p.limit - maxPooled)
	if t := mimetype.Of(resp.Header, p.Body); t.IsHTML() || t.IsXML() ||
		p.check && (strings.HasPrefix(t.Essence, "text/") || strings.HasSuffix(t.Essence, "script")) {
		p.Body, err = io.ReadAll(io.MultiReader(p.buf, io.LimitReader(resp.Body, rest))) // takes less memory than a buffer
		p.Size = len(p.Body)
		return err
	}
	p.hash = xxhash.New()
	_, _ = p.hash.Write(p.Body)
	n, err := io.Copy(p.hash, io.LimitReader(resp.Body, rest-1))
	more, errMore := io.Copy(io.Discard, io.LimitReader(resp.Body, min(rest, 1))) // the byte that shows that there is more
	p.Size += int(n + more)
	return cmp.Or(err, errMore)
}

// Sum returns the hash of the body.
func (p *Response) Sum() uint64 {
	if p.hash != nil {
		return p.hash.Sum64()
	}
	return xxhash.Sum64(p.Body)
}

// mediaType returns the media type of a successful response, if only pages of some types are read.
// It reads the beginning of the body if that decides about the type. An empty body has no type
// then.
func (p *Response) mediaType(resp *http.Response, types Types) (media string, err error) {
	if p.check || len(types) == 0 || resp.StatusCode/100 != 2 {
		return "", nil
	}
	if _, ok := mimetype.Declared(resp.Header); !ok {
		if err = p.read(resp.Body, min(p.limit, mimetype.HeaderSize)); p.buf.Len() == 0 {
			return "", err
		}
	}
	return mimetype.Of(resp.Header, p.buf.Bytes()).Essence, err
}

// read reads into the buffer, up to a number of bytes in it.
func (p *Response) read(body io.Reader, limit int) error {
	_, err := p.buf.ReadFrom(io.LimitReader(body, int64(limit-p.buf.Len())))
	return err
}

// Release ends the use of Body: another page gets its memory. On a nil Response it does nothing.
func (p *Response) Release() {
	if p == nil || p.buf == nil {
		return
	}
	buffers.Put(p.buf)
	p.Body, p.buf = nil, nil
}

// failedBody is a body that could not be read.
type failedBody struct{ err error }

func (b failedBody) Read([]byte) (int, error) { return 0, b.err }

// Close does nothing.
func (failedBody) Close() error { return nil }
