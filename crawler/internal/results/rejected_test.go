package results

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/robotsext"
)

// A URL that waits is listed when the crawl ends, also if how it was found cannot be read.
func TestWaitingURLThatCannotBeReadIsListed(t *testing.T) {
	f := frontier.NewMemory(nil)
	if _, err := f.Add(t.Context(), []frontier.Item{{URL: "http://a.test/x", Meta: []byte("edited")}}); err != nil {
		t.Fatal(err)
	}
	r := openWriter(t, f)
	_, err := r.WriteRejected(true, func(frontier.Host, robotsext.Origin) (Block, error) { return Block{Reason: "not due"}, nil })
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Flush(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(r.cfg.Dir, RejectedFile))
	if err != nil || !strings.Contains(string(text), `"url":"http://a.test/x"`) || !strings.Contains(string(text), `"source":"link"`) {
		t.Errorf("%s, %v", text, err)
	}
}
