package csvout

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/output/internal/sinktest"
)

func TestTextIsSafeForSpreadsheets(t *testing.T) {
	for _, tt := range []struct{ in, want, kept string }{
		{"", "", ""},
		{"Tea", "Tea", "Tea"},
		{"Zoë — 茶", "Zoë — 茶", "Zoë — 茶"},
		{`=HYPERLINK("http://evil.test","x")`, `'=HYPERLINK("http://evil.test","x")`, `=HYPERLINK("http://evil.test","x")`},
		{"+1", "'+1", "+1"},
		{"-1", "'-1", "-1"},
		{"@SUM(A1)", "'@SUM(A1)", "@SUM(A1)"},
		{"\t=1", "' =1", " =1"},
		{"\r\n=1", "'  =1", "  =1"},
		{"\tTea", " Tea", " Tea"},
		{"\u00a0=1", "'\u00a0=1", "\u00a0=1"},
		{"＝1", "'＝1", "＝1"},
		{"＋1", "'＋1", "＋1"},
		{"－1", "'－1", "－1"},
		{"＠1", "'＠1", "＠1"},
		{"'=1", "''=1", "'=1"},
		{`"=1`, `'"=1`, `"=1`},
		{"x;=cmd|' /C calc'!A0;y", "x;'=cmd|' /C calc'!A0;y", "x;=cmd|' /C calc'!A0;y"},
		{`x; "=1`, `x;' "=1`, `x; "=1`},
		{"=1;;@2;3=4;", "'=1;;'@2;3=4;", "=1;;@2;3=4;"},
		{"a;b", "a;b", "a;b"},
		{"'tis", "'tis", "'tis"},
		{"a=1", "a=1", "a=1"},
		{"a\x00b\x1bc\x7fd\u0085e", "a\ufffdb\ufffdc\ufffdd\ufffde", "a\ufffdb\ufffdc\ufffdd\ufffde"},
		{"a\u202etxt.exe\u2066", `a\u202etxt.exe\u2066`, `a\u202etxt.exe\u2066`},
		{"\u200e=1\u061c", `\u200e=1\u061c`, `\u200e=1\u061c`},
		{"שלום", "שלום", "שלום"},
		{"a\xff\xfeb", "a\ufffd\ufffdb", "a\ufffd\ufffdb"},
	} {
		if got := (&sink{}).text(tt.in); got != tt.want {
			t.Errorf("text(%q) = %q, want %q", tt.in, got, tt.want)
		}
		if got := (&sink{keepFormulas: true}).text(tt.in); got != tt.kept {
			t.Errorf("text(%q) with formulas kept = %q, want %q", tt.in, got, tt.kept)
		}
	}
}

// undo restores the text of a site, as the package comment describes.
func undo(cell string) string {
	var text strings.Builder
	for part := range strings.SplitAfterSeq(cell, ";") {
		rest := strings.TrimLeftFunc(part, func(r rune) bool { return r == '\'' || r == '"' || unicode.IsSpace(r) })
		if first, _ := utf8.DecodeRuneInString(rest); rest != "" && strings.ContainsRune("=+-@＝＋－＠", first) {
			part = strings.TrimPrefix(part, "'")
		}
		text.WriteString(part)
	}
	return text.String()
}

// readWithSemicolons reads a table with semicolons as separators. No cell may be a formula, even
// without quotes.
func readWithSemicolons(t *testing.T, table []byte) {
	t.Helper()
	for line := range strings.Lines(string(table)) {
		for cell := range strings.SplitSeq(line, ";") {
			cell = strings.TrimLeftFunc(cell, func(r rune) bool { return r == '"' || unicode.IsSpace(r) })
			if first, _ := utf8.DecodeRuneInString(cell); cell != "" && strings.ContainsRune("=+-@＝＋－＠", first) {
				t.Errorf("%q in %q", cell, line)
			}
		}
	}
}

// FuzzText: encoding/csv reads a cell that is no formula, and that is the original text except
// for control characters.
func FuzzText(f *testing.F) {
	for _, seed := range []string{"", "Tea", "=1", "'=1", "\t\r\n=1", "\x00", "\xff", `a"b,c`, `\.`, "''", " ", "\u2028=", "＝1", `a;" =1;`, ";;=", "=;="} {
		f.Add(seed, seed)
	}
	f.Fuzz(func(t *testing.T, title, to string) {
		dir := t.TempDir()
		s := sinktest.Open(t, Format(nil), dir, nil)
		sinktest.Put(t, s, &output.Results{
			Pages: []*output.Page{{URL: "http://a.test/", Title: title, Fields: map[string]any{"x": title}}},
			Links: []*output.Links{{URL: title, To: []output.Link{{URL: to}}}},
		})
		sinktest.Close(t, s)
		readWithSemicolons(t, readFile(t, filepath.Join(dir, PagesFile)))
		readWithSemicolons(t, readFile(t, filepath.Join(dir, LinksFile)))
		page := records(t, dir, PagesFile)[1]
		link := records(t, dir, LinksFile)[1]
		for cell, in := range map[string]string{page[2]: title, link[0]: title, link[1]: to} {
			first, _ := utf8.DecodeRuneInString(strings.TrimSpace(cell))
			if !utf8.ValidString(cell) || strings.ContainsFunc(cell, unicode.IsControl) || strings.ContainsRune("=+-@", first) && cell != "" {
				t.Errorf("cell %q", cell)
			}
			if got := undo(cell); got != oneLine(in) {
				t.Errorf("%q comes back as %q from %q", in, got, cell)
			}
		}
		var fields map[string]string
		if err := json.Unmarshal([]byte(page[19]), &fields); err != nil {
			t.Errorf("%q: %v", page[19], err)
		}
	})
}

// FuzzOpen: with any checkpoint and any file, an opened table has complete records.
func FuzzOpen(f *testing.F) {
	f.Add([]byte("[70,20,9,10,10]"), []byte("url\n"))
	f.Add([]byte("null"), []byte("\"\n"))
	f.Add([]byte("[-1]"), []byte{})
	f.Fuzz(func(t *testing.T, checkpoint, content []byte) {
		dir := t.TempDir()
		s := sinktest.Open(t, Format(nil), dir, nil)
		sinktest.Put(t, s, &output.Results{Links: []*output.Links{{URL: "http://a.test/", To: []output.Link{{URL: "http://a.test/1"}, {URL: "http://a.test/2"}}}}})
		sinktest.Close(t, s)
		appendTo(t, filepath.Join(dir, LinksFile), content)
		s, err := Format(nil).Open(dir, checkpoint)
		if err != nil {
			return
		}
		sinktest.Put(t, s, &output.Results{Links: []*output.Links{{URL: "http://a.test/", To: []output.Link{{URL: "http://a.test/last"}}}}})
		sinktest.Close(t, s)
		if !bytes.HasSuffix(readFile(t, filepath.Join(dir, LinksFile)), []byte("\nhttp://a.test/,http://a.test/last\r\n")) {
			t.Error("a torn record stands before the last")
		}
	})
}
