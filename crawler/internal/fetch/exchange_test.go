package fetch

import (
	"io"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// zeros are a body without end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

// An exchange keeps so much of a body, however long that is.
func TestRecordedBodyIsBounded(t *testing.T) {
	var got *output.Exchange
	r := &recording{done: func(e *output.Exchange) { got = e }}
	body := &recordedBody{ReadCloser: io.NopCloser(io.LimitReader(zeros{}, maxRecorded+10)), r: r}
	if n, err := io.Copy(io.Discard, body); n != maxRecorded+10 || err != nil {
		t.Errorf("%d bytes, %v, are read", n, err)
	}
	if err := body.Close(); err != nil || len(got.Body) != maxRecorded || !got.Truncated {
		t.Errorf("%d bytes are kept, cut %t, %v", len(got.Body), got.Truncated, err)
	}
}
