package sitemap

import (
	"fmt"
	"time"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/humanize"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/sitemap"
)

// sitemapTotals is the output of --stats.
type sitemapTotals struct {
	Files    int                    `json:"files"`  // read, at least in part
	Unread   int                    `json:"unread"` // not fetched, or not read to the end
	Formats  map[sitemap.Format]int `json:"formats"`
	Entries  int                    `json:"entries"`
	Excluded int                    `json:"excluded"` // by --policy
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
	t.Excluded += f.NotAuthorized
	t.Received += f.Summary.ReceivedBytes
	t.Bytes += f.Summary.DecompressedBytes
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

// text returns the totals as text.
func (t *sitemapTotals) text() string {
	p := cli.Page{Names: 8}
	files := fmt.Sprintf("%d read%s", t.Files, humanize.Counts(t.Formats, ""))
	if t.Unread > 0 {
		files += fmt.Sprintf(", %d unreadable or incomplete", t.Unread)
	}
	p.Field("files", "%s", files)
	entries := fmt.Sprint(t.Entries)
	if t.Excluded > 0 {
		entries += fmt.Sprintf(", and %d that the sitemap is not authorized to list", t.Excluded)
	}
	p.Field("entries", "%s", entries)
	if t.Dated > 0 {
		p.Field("lastmod", "%s to %s, on %d entries", t.Oldest.Format(time.DateOnly), t.Newest.Format(time.DateOnly), t.Dated)
	} else {
		p.Field("lastmod", "none")
	}
	p.Field("findings", "%d%s", humanize.Sum(t.Findings), humanize.Counts(t.Findings, ""))
	p.Field("bytes", "%d received, %d decompressed", t.Received, t.Bytes)
	return p.String()
}

// finish writes the end of the output.
func (l *listing) finish() error {
	switch {
	case l.stats:
		return l.out.PrintAs(l.format, l.totals, l.totals.text())
	case l.format == cli.CSV:
		return l.writeRow(nil)
	}
	return nil
}
