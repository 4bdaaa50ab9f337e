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
	for at := range 3 { // the first exchange, or another read of the body of the second
		t.Run(fmt.Sprintf("read %d", at), func(t *testing.T) {
			dir := t.TempDir()
			s := openSink(t, dir, nil)
			sinktest.Write(t, s, some(1))
			before := contents(t, dir)
			bad := answered("http://a.test/bad", 200, "")
			bad.Body = &brokenBody{at: max(at, 1)}
			failing := some(2)
			if failing.Exchanges = append(failing.Exchanges, answered("http://a.test/4", 200, "4"), bad); at == 0 {
				failing.Exchanges = []*output.Exchange{bad}
			}
			if err := s.Write(failing); !errors.Is(err, io.ErrUnexpectedEOF) || !maps.Equal(contents(t, dir), before) {
				t.Fatalf("Write = %v, files %s; want %s", err, sizes(contents(t, dir)), sizes(before))
			}
			sinktest.Write(t, s, &output.Results{
				Exchanges: []*output.Exchange{answered("http://a.test/2", 304, ""), answered("http://a.test/3", 200, "payload 2")},
				Pages:     append(some(2).Pages, &output.Page{URL: "http://a.test/4", FetchedAt: noon}),
			})
			sinktest.Close(t, s)
			want := []string{"warcinfo", "request /1", "response /1", "metadata /1", "request /2", "revisit /2", "request /3", "response /3", "metadata /2", "metadata /4"}
			if got := kinds(readDir(t, dir)); !slices.Equal(got, want) {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
}
