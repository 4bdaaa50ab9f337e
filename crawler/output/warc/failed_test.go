package warc

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/output/internal/sinktest"
)

// No later record refers to a record of a failed Write.
func TestFailedWriteIsForgotten(t *testing.T) {
	for ids := range int64(3) { // there are: those of a request, a response and metadata
		t.Run(fmt.Sprintf("%d identifiers", ids), func(t *testing.T) {
			dir := t.TempDir()
			random := &io.LimitedReader{R: fixed(), N: 1 << 20}
			s := openSink(t, dir, &Options{Rand: random})
			sinktest.Write(t, s, some(1))
			before := contents(t, dir)
			random.N = ids * int64(len(recordID{}))
			if err := s.Write(some(2)); !errors.Is(err, io.EOF) || !maps.Equal(contents(t, dir), before) {
				t.Fatalf("Write = %v, files %s; want %s", err, sizes(contents(t, dir)), sizes(before))
			}
			random.N = 1 << 20
			sinktest.Write(t, s, &output.Results{
				Exchanges: []*output.Exchange{answered("http://a.test/2", 304, ""), answered("http://a.test/3", 200, "payload 2")},
				Pages:     some(2).Pages,
			})
			sinktest.Close(t, s)
			want := []string{"warcinfo", "request /1", "response /1", "metadata /1", "request /2", "revisit /2", "request /3", "response /3", "metadata /2"}
			if got := kinds(readDir(t, dir)); !slices.Equal(got, want) {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
}
