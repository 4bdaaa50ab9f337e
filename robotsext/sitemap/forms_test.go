package sitemap

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
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
	writeFields(b, struct {
		LastMod    time.Time
		ChangeFreq string
	}{e.LastMod, e.ChangeFreq})
	for _, items := range []any{e.Alternates, e.Images, e.Videos} {
		for i := range reflect.ValueOf(items).Len() {
			item := reflect.ValueOf(items).Index(i)
			b.WriteString("  " + strings.ToLower(item.Type().Name()))
			writeFields(b, item.Interface())
		}
	}
	if e.News != nil {
		b.WriteString("  news")
		writeFields(b, *e.News)
	}
}

// writeFields writes name=value for each field that is not zero, and ends the line.
func writeFields(b *strings.Builder, of any) {
	v := reflect.ValueOf(of)
	for i := range v.NumField() {
		name := strings.ToLower(v.Type().Field(i).Name)
		switch value := v.Field(i).Interface().(type) {
		case time.Time:
			if !value.IsZero() {
				fmt.Fprintf(b, " %s=%s", name, value.Format(time.RFC3339Nano))
			}
		case string:
			if value != "" {
				fmt.Fprintf(b, " %s=%q", name, value)
			}
		default:
			if !v.Field(i).IsZero() {
				fmt.Fprintf(b, " %s=%v", name, value)
			}
		}
	}
	b.WriteString("\n")
}
