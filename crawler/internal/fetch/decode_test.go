package fetch

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"testing"
)

// packed gzips a text.
func packed(t *testing.T, text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := z.Write(text)
	if err = errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// over repeats a text, for 64 MiB, and counts what was taken of it.
type over struct {
	text  []byte
	taken int64
}

func (o *over) Read(p []byte) (int, error) {
	if o.taken > 64<<20 {
		return 0, io.EOF
	}
	n := copy(p, o.text[o.taken%int64(len(o.text)):])
	o.taken += int64(n)
	return n, nil
}

// response is a response with that for a body.
func (o *over) response(coding string) *http.Response {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Encoding": {coding}}, Body: io.NopCloser(o)}
}

// A body that is decoded to too much, or to nothing, has an end.
func TestEndlessEncodedBody(t *testing.T) {
	noise := make([]byte, 64<<10)
	random := rand.NewChaCha8([32]byte{})
	_, _ = random.Read(noise)
	for _, test := range []struct {
		name   string
		body   []byte // a whole gzip file; one may follow another
		out    int64  // what may come out at the most
		in     int64  // and be taken in
		cut    string
		failed error
	}{
		{"zeros, 1,000 to 1", packed(t, make([]byte, 1<<20)), 3 << 20, 64 << 10, truncatedByRatio, nil},
		{"nothing", packed(t, nil), 0, 2 << 20, "", errNoContent},
		{"noise", packed(t, noise), 10 << 20, 11 << 20, "", nil}, // is for max-body
	} {
		t.Run(test.name, func(t *testing.T) {
			endless := &over{text: test.body}
			resp := endless.response("gzip")
			page := new(Response)
			decode(resp, page)
			n, err := io.Copy(io.Discard, io.LimitReader(resp.Body, 10<<20))
			if !errors.Is(err, test.failed) || page.Truncated != test.cut {
				t.Errorf("error %v, truncated by %q", err, page.Truncated)
			}
			if n > test.out || endless.taken > test.in {
				t.Errorf("%d bytes came out of %d", n, endless.taken)
			}
		})
	}
}
