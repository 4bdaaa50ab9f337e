package fetch

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// Types are the media types of pages to read, such as text/html or text/*. Without any, pages of
// every type are read.
type Types []string

// ParseTypes parses media types.
func ParseTypes(texts []string) (Types, error) {
	var types Types
	for _, text := range texts {
		name, sub, _ := strings.Cut(text, "/")
		if !isTypeName(name) || sub != "*" && !isTypeName(sub) {
			return nil, fmt.Errorf("%q is not a media type; write it as text/html, or as text/* for all types of text", text)
		}
		types = append(types, strings.ToLower(text))
	}
	return types, nil
}

func isTypeName(name string) bool {
	return httpguts.ValidHeaderFieldName(name) && !strings.Contains(name, "*")
}

// Accept reports whether pages of a media type are read.
func (t Types) Accept(media string) bool {
	name, _, whole := strings.Cut(media, "/")
	return len(t) == 0 || slices.Contains(t, media) || whole && slices.Contains(t, name+"/*")
}

// MediaType returns the media type in a Content-Type, in lower case and without parameters.
func MediaType(contentType string) string {
	media, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		media, _, _ = strings.Cut(strings.ToLower(contentType), ";")
	}
	return strings.TrimSpace(media)
}

// maxDropped is the maximum size in bytes of a body that is read and dropped, so that its
// connection can be used again.
const maxDropped = 16 << 10

// check replaces the body of a successful response with an empty one if it is of another type, and
// sets page.OtherType. If the response has no Content-Type, this happens at the first Read. A small
// body is dropped: encoded is the body as the site sends it, and size its Content-Length.
func (t Types) check(resp *http.Response, page *Response, encoded io.Reader, size int64) {
	if len(t) == 0 || resp.StatusCode/100 != 2 {
		return
	}
	body := &typedBody{ReadCloser: resp.Body, types: t, page: page}
	if size >= 0 && size <= maxDropped {
		body.small = encoded
	}
	if kind := resp.Header.Get("Content-Type"); kind != "" {
		body.decide(MediaType(kind))
	}
	resp.Body = body
}

// sniffed is the number of bytes that [http.DetectContentType] uses.
const sniffed = 512

// typedBody is the body of a page. It is empty if its type is not to be read.
type typedBody struct {
	io.ReadCloser
	types   Types
	page    *Response
	small   io.Reader // to be dropped if the body is of another type; nil: it is too large
	decided bool
	front   []byte // read to find the type
	err     error  // after front
}

// decide decides by the media type whether the body is read.
func (b *typedBody) decide(media string) {
	b.decided = true
	if !b.types.Accept(media) {
		b.page.OtherType = media
	}
}

func (b *typedBody) Read(p []byte) (int, error) {
	if !b.decided {
		b.sniff()
	}
	if b.page.OtherType != "" {
		if b.small != nil {
			_, _ = io.Copy(io.Discard, b.small) // an error ends the connection, and nothing else
		}
		return 0, io.EOF
	}
	if len(b.front) > 0 {
		n := copy(p, b.front)
		b.front = b.front[n:]
		return n, nil
	}
	if b.err != nil {
		return 0, b.err
	}
	return b.ReadCloser.Read(p)
}

// sniff reads the beginning of the body, and decides by it. An empty body has no type, and is
// read.
func (b *typedBody) sniff() {
	front := make([]byte, sniffed)
	n, err := io.ReadFull(b.ReadCloser, front)
	if errors.Is(err, io.ErrUnexpectedEOF) && n > 0 {
		err = nil // the next Read has the error, if it is one of the body
	}
	b.decided, b.front, b.err = true, front[:n], err
	if n > 0 {
		b.decide(MediaType(http.DetectContentType(b.front)))
	}
}
