package fetch

import (
	"bytes"
	"io"
	"net/http"
	"testing"
	"testing/iotest"

	"github.com/cespare/xxhash/v2"
)

// A body is read whole up to the limit, whether it fits into a buffer or not. Of a large one that is no page, the size
// and the hash are known.
func TestReadBody(t *testing.T) {
	text := bytes.Repeat([]byte("0123456789"), maxPooled/2)
	for _, test := range []struct{ size, limit int }{
		{0, 10}, {10, 10}, {11, 10}, {maxPooled - 1, 1 << 20}, {maxPooled, 1 << 20}, {maxPooled + 1, 1 << 20},
		{maxPooled + 1, maxPooled - 1}, {maxPooled + 1, maxPooled}, {maxPooled + 1, maxPooled + 1}, {1<<20 + 1, 1 << 20}, {5 * maxPooled, 1},
	} {
		for _, types := range []Types{nil, {"text/*", "image/*"}} { // with types, the beginning is read first
			for _, media := range []string{"", "text/html", "image/png"} {
				resp := &http.Response{StatusCode: http.StatusOK, Header: make(http.Header), Body: io.NopCloser(iotest.HalfReader(bytes.NewReader(text[:test.size])))}
				if media != "" {
					resp.Header.Set("Content-Type", media)
				}
				page := Response{limit: test.limit}
				page.readBody(resp, types, nil, -1)
				want := text[:min(test.size, test.limit)]
				if media != "text/html" && len(want) > maxPooled {
					hashed := want[:min(test.size, test.limit-1)] // without the byte that shows that there is more
					if page.Size != len(want) || page.Sum() != xxhash.Sum64(hashed) {
						t.Errorf("%d bytes with limit %d, type %q: %d bytes are hashed", test.size, test.limit, media, page.Size)
					}
					want = want[:maxPooled]
				} else if page.Size != len(want) || page.Sum() != xxhash.Sum64(want) {
					t.Errorf("%d bytes with limit %d, type %q: the size is %d", test.size, test.limit, media, page.Size)
				}
				if !bytes.Equal(page.Body, want) {
					t.Errorf("%d bytes with limit %d, types %q, type %q: %d bytes are read", test.size, test.limit, types, media, len(page.Body))
				}
				if page.Release(); page.Body != nil {
					t.Error("the body is still there")
				}
			}
		}
	}
}

// Of what is checked, only what can be read for URLs is kept in memory whole: a page, a stylesheet or a script. A video in
// an embed element is not.
func TestLargeFilesThatAreCheckedAreNotKept(t *testing.T) {
	for media, kept := range map[string]bool{
		"text/html": true, "image/svg+xml": true, "text/css": true, "text/javascript": true, "application/javascript": true,
		"application/x-javascript": true, "application/ecmascript": true, "text/plain": true,
		"video/mp4": false, "image/png": false, "application/pdf": false, "application/octet-stream": false,
	} {
		resp := &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {media}}, Body: io.NopCloser(bytes.NewReader(make([]byte, 1<<20)))}
		page := Response{limit: 2 << 20, check: true}
		if page.readBody(resp, nil, nil, -1); page.Size != 1<<20 || (len(page.Body) == 1<<20) != kept {
			t.Errorf("%s: %d of %d bytes are kept", media, len(page.Body), page.Size)
		}
		page.Release()
	}
}
