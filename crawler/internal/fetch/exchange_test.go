package fetch

import (
	"io"
	"testing"
)

// zeros are a body without end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

// An exchange keeps so much of a body, however long that is.
func TestRecordedBodyIsBounded(t *testing.T) {
	page := new(Response)
	r := &recording{page: page}
	body := &recordedBody{ReadCloser: io.NopCloser(io.LimitReader(zeros{}, maxRecorded+10)), r: r}
	if n, err := io.Copy(io.Discard, body); n != maxRecorded+10 || err != nil {
		t.Errorf("%d bytes, %v, are read", n, err)
	}
	err := body.Close()
	if got := page.Exchange; err != nil || len(got.Body) != maxRecorded || !got.Truncated {
		t.Errorf("%d bytes are kept, cut %t, %v", len(got.Body), got.Truncated, err)
	}
}
