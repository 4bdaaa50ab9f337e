package sitemap

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestForms reads sitemaps as they are found in the wild.
func TestForms(t *testing.T) {
	files, err := filepath.Glob("testdata/forms/*")
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	for _, file := range files {
		if strings.HasSuffix(file, ".golden") {
			continue
		}
		read++
		t.Run(filepath.Base(file), func(t *testing.T) {
			in, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := transcript(bytes.NewReader(in), nil)
			golden := file + ".golden"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			// However the bytes arrive, what is read is the same.
			if diff := cmp.Diff(got, transcript(iotest.OneByteReader(bytes.NewReader(in)), nil)); diff != "" {
				t.Errorf("-whole +byte by byte:\n%s", diff)
			}
			if diff := cmp.Diff(got, transcript(iotest.DataErrReader(bytes.NewReader(in)), nil)); diff != "" {
				t.Errorf("-whole +end with the last bytes:\n%s", diff)
			}
		})
	}
	if read < 12 {
		t.Errorf("only %d files", read)
	}
}

// transcript writes down all that Read says of a sitemap.
func transcript(r io.Reader, opts *Options) string {
	var o Options
	if opts != nil {
		o = *opts
	}
	var b strings.Builder
	o.OnFinding = func(f Finding) {
		fmt.Fprintf(&b, "finding at %d:%d %s", f.Line, f.Offset, f.Kind.Error())
		if f.Text != "" {
			fmt.Fprintf(&b, ": %q", f.Text)
		}
		if f.Err != nil {
			fmt.Fprintf(&b, ": %v", f.Err)
		}
		b.WriteString("\n")
	}
	o.OnEnd = func(s Summary) {
		fmt.Fprintf(&b, "end: format=%s gzip=%d charset=%s entries=%d skipped=%d findings=%d complete=%t\n",
			s.Format, s.GzipLayers, s.Charset, s.Entries, s.Skipped, s.Findings, s.Complete)
	}
	for e, err := range Read(r, &o) {
		if err != nil {
			fmt.Fprintf(&b, "error %v\n", err)
			continue
		}
		writeEntry(&b, e)
	}
	return b.String()
}

func writeEntry(b *strings.Builder, e Entry) {
	kind := "page"
	if e.Sitemap {
		kind = "sitemap"
	}
	fmt.Fprintf(b, "%s %s index=%d line=%d priority=%g", kind, e.Loc, e.Index, e.Line, e.Priority)
	fields(b, "lastmod", e.LastMod, "changefreq", e.ChangeFreq)
	for _, a := range e.Alternates {
		b.WriteString("  alternate")
		fields(b, "href", a.Href, "lang", a.Lang, "media", a.Media)
	}
	for _, m := range e.Images {
		b.WriteString("  image")
		fields(b, "loc", m.Loc, "title", m.Title, "caption", m.Caption, "geo", m.GeoLocation, "license", m.License)
	}
	for _, v := range e.Videos {
		b.WriteString("  video")
		fields(b, "thumbnail", v.ThumbnailLoc, "title", v.Title, "description", v.Description,
			"content", v.ContentLoc, "player", v.PlayerLoc, "duration", v.Duration,
			"published", v.Published, "expires", v.Expires, "rating", v.Rating, "views", v.Views,
			"tags", v.Tags, "category", v.Category, "uploader", v.Uploader, "uploaderurl", v.UploaderURL,
			"notfamily", v.NotFamilyFriendly, "subscription", v.RequiresSubscription, "live", v.Live,
			"countries", v.Countries, "platforms", v.Platforms)
	}
	if n := e.News; n != nil {
		b.WriteString("  news")
		fields(b, "publication", n.Publication, "language", n.Language, "title", n.Title, "published", n.Published,
			"keywords", n.Keywords, "genres", n.Genres, "tickers", n.Tickers, "access", n.Access)
	}
}

// fields writes name=value for what is not zero, and ends the line.
func fields(b *strings.Builder, nameValue ...any) {
	for i := 0; i < len(nameValue); i += 2 {
		switch v := nameValue[i+1].(type) {
		case time.Time:
			if !v.IsZero() {
				fmt.Fprintf(b, " %s=%s", nameValue[i], v.Format(time.RFC3339Nano))
			}
		case string:
			if v != "" {
				fmt.Fprintf(b, " %s=%q", nameValue[i], v)
			}
		default:
			if s := fmt.Sprint(v); s != "0" && s != "0s" && s != "false" && s != "[]" && s != "{false []}" {
				fmt.Fprintf(b, " %s=%s", nameValue[i], s)
			}
		}
	}
	b.WriteString("\n")
}
