package fetch

import (
	"bytes"
	"io"
	"net/http"
	"testing"
	"testing/iotest"
)

// A body is read whole up to the limit, whether it fits into a buffer or not.
func TestReadBody(t *testing.T) {
	text := bytes.Repeat([]byte("0123456789"), maxPooled/2)
	for _, test := range []struct{ size, limit int }{
		{0, 10}, {10, 10}, {11, 10}, {maxPooled - 1, 1 << 20}, {maxPooled, 1 << 20}, {maxPooled + 1, 1 << 20},
		{maxPooled + 1, maxPooled - 1}, {maxPooled + 1, maxPooled}, {maxPooled + 1, maxPooled + 1}, {1<<20 + 1, 1 << 20}, {5 * maxPooled, 1},
	} {
		for _, types := range []Types{nil, {"text/*"}} { // with types, the beginning is read first
			resp := &http.Response{StatusCode: http.StatusOK, Header: make(http.Header), Body: io.NopCloser(iotest.HalfReader(bytes.NewReader(text[:test.size])))}
			page := Response{limit: test.limit}
			page.readBody(resp, types, nil, -1)
			if want := text[:min(test.size, test.limit)]; !bytes.Equal(page.Body, want) {
				t.Errorf("%d bytes with limit %d, types %q: %d bytes are read", test.size, test.limit, types, len(page.Body))
			}
			if page.Release(); page.Body != nil {
				t.Error("the body is still there")
			}
		}
	}
}
