package oracle

import (
	"fmt"
	"net/http"
	"net/textproto"
	"strings"
)

// A page is a response. It is a list of parts, so that it can be reduced.
type page []part

// A part is a field of the header, or bytes of the body that follow those of the previous part.
type part struct {
	field bool // "Name: value"
	text  string
}

// header returns the fields.
func (p page) header() http.Header {
	h := make(http.Header)
	for _, part := range p {
		if part.field {
			name, value, _ := strings.Cut(part.text, ": ")
			name = textproto.CanonicalMIMEHeaderKey(name)
			h[name] = append(h[name], value)
		}
	}
	return h
}

// body returns the bytes of the body.
func (p page) body() []byte {
	var b []byte
	for _, part := range p {
		if !part.field {
			b = append(b, part.text...)
		}
	}
	return b
}

// String returns the fields and the body as Go strings.
func (p page) String() string {
	var b strings.Builder
	for _, part := range p {
		if part.field {
			fmt.Fprintf(&b, "%q\n", part.text)
		}
	}
	fmt.Fprintf(&b, "%q", p.body())
	return b.String()
}

// split returns the parts of the header, and those of the body.
func (p page) split() (header, body page) {
	for _, part := range p {
		if part.field {
			header = append(header, part)
		} else {
			body = append(body, part)
		}
	}
	return header, body
}
