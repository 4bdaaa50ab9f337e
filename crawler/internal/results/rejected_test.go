package results

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/lifecycle"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
)

// A URL that waits is listed when the crawl ends, also if how it was found cannot be read.
func TestWaitingURLThatCannotBeReadIsListed(t *testing.T) {
	f := frontier.NewMemory(nil)
	if _, err := f.Add(t.Context(), []frontier.Item{{URL: "http://a.test/x", Meta: []byte("edited")}}); err != nil {
		t.Fatal(err)
	}
	r := openWriter(t, f)
	_, err := r.WriteRejected(true, func(robotsext.Origin) (Block, error) { return Block{Reason: "not due"}, nil })
	must(t, err)
	must(t, r.Flush())
	text, err := os.ReadFile(filepath.Join(r.cfg.Dir, Rejected.name))
	if err != nil || !strings.Contains(string(text), `"url":"http://a.test/x"`) || !strings.Contains(string(text), `"source":"link"`) {
		t.Errorf("%s, %v", text, err)
	}
}

// dropRejections removes lines from the committed bytes of rejected.jsonl in a directory, and returns the length that is
// committed then.
func dropRejections(t *testing.T, dir string, committed int64, drop func(*output.Rejection) bool) (length int64, err error) {
	t.Helper()
	r := New(Config{Dir: dir, Frontier: frontier.NewMemory(nil), Lifecycle: lifecycle.New(slog.New(slog.DiscardHandler), nil)})
	r.committed.Lengths = Lengths{Rejected.name: committed}
	err = r.DropRejections(drop)
	must(t, r.Load())
	return r.committed.Lengths[Rejected.name], err
}
