package sitemap

import (
	"fmt"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/humanize"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/sitemap"
)

// sitemapTotals is what --stats shows of all files together.
type sitemapTotals struct {
	Files    int                    `json:"files"`  // of which something was read
	Unread   int                    `json:"unread"` // not fetched, or not read to the end
	Formats  map[sitemap.Format]int `json:"formats"`
	Entries  int                    `json:"entries"`
	LeftOut  int                    `json:"left_out"` // by --policy
	Dated    int                    `json:"dated"`    // entries with a lastmod
	Oldest   time.Time              `json:"oldest,omitzero"`
	Newest   time.Time              `json:"newest,omitzero"`
	Findings map[string]int         `json:"findings"`       // by kind
	Received int64                  `json:"bytes_received"` // maybe compressed
	Bytes    int64                  `json:"bytes"`
}

func (t *sitemapTotals) addFile(f robotsext.SitemapFile) {
	if f.Err != nil {
		t.Unread++
	}
	t.LeftOut += f.OutOfScope
	t.Received += f.Summary.Packed
	t.Bytes += f.Summary.Bytes
	if f.Summary.Format != "" {
		t.Files++
		t.Formats[f.Summary.Format]++
	}
}

func (t *sitemapTotals) addEntry(e sitemap.Entry) {
	t.Entries++
	if e.LastMod.IsZero() {
		return
	}
	if t.Dated++; t.Dated == 1 || e.LastMod.Before(t.Oldest) {
		t.Oldest = e.LastMod
	}
	if e.LastMod.After(t.Newest) {
		t.Newest = e.LastMod
	}
}

// text is the totals for a person.
func (t *sitemapTotals) text() string {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "  %-8s  %s\n", name, fmt.Sprintf(format, args...))
	}
	files := fmt.Sprintf("%d read%s", t.Files, humanize.Counts(t.Formats, ""))
	if t.Unread > 0 {
		files += fmt.Sprintf(", %d not, or not to the end", t.Unread)
	}
	line("files", "%s", files)
	entries := fmt.Sprint(t.Entries)
	if t.LeftOut > 0 {
		entries += fmt.Sprintf(", and %d that the sitemap has no right to list", t.LeftOut)
	}
	line("entries", "%s", entries)
	if t.Dated > 0 {
		line("lastmod", "%s to %s, of %d of them", t.Oldest.Format(time.DateOnly), t.Newest.Format(time.DateOnly), t.Dated)
	} else {
		line("lastmod", "none")
	}
	findings := 0
	for _, n := range t.Findings {
		findings += n
	}
	line("findings", "%d%s", findings, humanize.Counts(t.Findings, ""))
	line("bytes", "%d received, %d unpacked", t.Received, t.Bytes)
	return b.String()
}

// finish writes what comes last.
func (l *listing) finish() error {
	switch {
	case l.stats && l.format == cli.JSON:
		return l.writeJSON(l.totals)
	case l.stats:
		return l.write(l.totals.text())
	case l.format == cli.CSV:
		return l.writeRow(nil)
	}
	return nil
}
