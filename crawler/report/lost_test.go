package report

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/internal/crawldir"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// TestLost: what files have lost is listed and said, whether the crawl found it when it went
// on, or it came after the crawl had ended.
func TestLost(t *testing.T) {
	c := everything()
	before := map[string]any{"file": "links.jsonl", "bytes": 10, "had": 30}
	c.state["lost"] = []any{before, map[string]any{"file": "crawl-00000.warc.gz", "bytes": 0, "had": 0}}
	c.state["unlisted"] = true
	dir := c.write(t)
	written := make(map[string]int64)
	for _, name := range []string{"pages.jsonl", "rejected.jsonl"} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		written[name] = info.Size()
	}
	c.state["ended"] = map[string]any{"end": "finished", "left": 0, "written": written}
	if err := crawldir.SaveState(dir, c.state); err != nil {
		t.Fatal(err)
	}
	pages, err := os.ReadFile(filepath.Join(dir, "pages.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	last := bytes.LastIndexByte(pages[:len(pages)-1], '\n') + 1
	if err := os.Truncate(filepath.Join(dir, "pages.jsonl"), int64(last)+5); err != nil {
		t.Fatal(err)
	}
	r, err := Make([]string{dir}, &Options{now: func() time.Time { return at(3600) }})
	if err != nil {
		t.Fatal(err)
	}
	want := []Loss{
		{Loss: output.Loss{File: "links.jsonl", Bytes: 10, Had: 30}}, {Loss: output.Loss{File: "crawl-00000.warc.gz"}},
		{Loss: output.Loss{File: "pages.jsonl", Bytes: int64(len(pages) - last), Had: int64(len(pages))}},
	}
	if diff := cmp.Diff(want, r.Lost); diff != "" {
		t.Errorf("lost (-want +got):\n%s", diff)
	}
	for _, text := range []string{
		"links.jsonl has lost 10 of 30 bytes: what is lost is missing in this report", "crawl-00000.warc.gz is gone: ", want[2].String() + ": ",
		"more URLs were skipped than are listed in rejected.jsonl",
	} {
		if !strings.Contains(strings.Join(r.Notes, "\n"), text) {
			t.Errorf("notes %q do not say %q", r.Notes, text)
		}
	}
	if r.Findings[0].Level != Bad || r.Findings[0].Text != "3 files have lost something of what the crawl wrote: see the notes" {
		t.Errorf("findings %+v", r.Findings)
	}
	for _, kind := range r.Sitemaps.Kinds {
		if !strings.Contains(strings.Join(kind.Inconclusive, "\n"), "3 files have lost") {
			t.Errorf("%s: %q", kind.Kind, kind.Inconclusive)
		}
	}
	other, err := Make([]string{dir, everything().write(t)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(other.Lost) != 3 || other.Lost[0].Dir != dir || !strings.HasPrefix(other.Notes[0], dir+": links.jsonl has lost") {
		t.Errorf("of two directories: %+v, %q", other.Lost, other.Notes)
	}
	if whole := everything().make(t); len(whole.Lost) > 0 || whole.Lost == nil {
		t.Errorf("%+v of a crawl that has lost nothing", whole.Lost)
	}
}
