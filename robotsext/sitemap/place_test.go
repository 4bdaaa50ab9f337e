package sitemap

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

func TestFindingSaysWhere(t *testing.T) {
	const in = "<urlset>\n<url>\n<loc>http://h.example/</loc>\n<priority>7</priority>\n</url>\n<url>\n</ur"
	_, findings, err := readAll(strings.NewReader(in), Options{})
	if len(findings) != 2 || findings[0].Kind != BadPriority || findings[0].Line != 4 || findings[0].Text != "7" {
		t.Fatalf("%+v", findings)
	}
	if want := int64(strings.Index(in, "</priority>") + len("</priority>")); findings[0].Offset != want {
		t.Errorf("offset %d, want %d", findings[0].Offset, want)
	}
	const want = "line 7: the XML ends before the end tag of its root element"
	if f, ok := errors.AsType[*Finding](err); !ok || f.Error() != want || f.Offset != int64(strings.LastIndex(in, "</ur")) {
		t.Errorf("%v", err)
	}
}

// TestColumns holds that a finding is at the start of the value or the tag that it is about, in
// bytes of UTF-8, wherever the window of the body ends.
func TestColumns(t *testing.T) {
	const no = "<loc>no</loc>"
	for name, tt := range map[string]struct {
		in           string
		line, column int
	}{
		"a value":                       {"<urlset><url>" + no, 1, 19},
		"a value with space before":     {"<urlset><url><loc> \n no</loc>", 1, 19},
		"a later line":                  {"<urlset>\n\n <url>" + no, 3, 12},
		"a line that ends in CR LF":     {"<urlset>\r\n<url>" + no, 2, 11},
		"after a byte order mark":       {"\uFEFF<urlset><url>" + no, 1, 19},
		"after a character of 2 bytes":  {"<urlset><!--ä--><url>" + no, 1, 28},
		"an unknown element":            {"<urlset><url><a>", 1, 14},
		"an element without a location": {"<urlset>\n<url> </url>", 2, 7},
		"a line of a text sitemap":      {"http://h.example/\n no\n", 2, 2},
		"an attribute":                  {`<urlset><url> <xhtml:link rel="alternate" hreflang="de" href="no"/>`, 1, 15},
	} {
		t.Run(name, func(t *testing.T) {
			for _, fill := range []int{0, windowSize - 20, windowSize - 12, windowSize} {
				in := strings.Repeat("\n", fill) + tt.in
				if fill > 0 && strings.HasPrefix(tt.in, "\uFEFF") {
					continue // a mark is at the start only
				}
				for _, r := range []io.Reader{strings.NewReader(in), iotest.HalfReader(strings.NewReader(in))} {
					_, findings, _ := readAll(r, Options{})
					if len(findings) == 0 || findings[0].Line != fill+tt.line || findings[0].Column != tt.column {
						t.Errorf("behind %d lines: %+v, want %d:%d", fill, findings, fill+tt.line, tt.column)
					}
				}
			}
		})
	}
}

// TestLineEnds holds that a line ends in LF, CR LF or CR, also where a window or
// a question falls between the last two.
func TestLineEnds(t *testing.T) {
	for name, end := range map[string]string{"LF": "\n", "CR LF": "\r\n", "CR": "\r"} {
		for form, in := range map[string]string{
			"XML":  "<urlset>|<url>|<loc>http://h.example/a</loc>|</url>||<url><loc>http://h.example/b</loc>|</url>|<url>|<loc>no</loc></url></urlset>",
			"text": "|http://h.example/a||||http://h.example/b||||no",
		} {
			for _, fill := range []int{0, windowSize - 9, windowSize - 8, windowSize - 1} {
				body := strings.Repeat(" ", fill) + strings.ReplaceAll(in, "|", end)
				for _, r := range []io.Reader{strings.NewReader(body), iotest.HalfReader(strings.NewReader(body))} {
					entries, findings, err := readAll(r, Options{})
					if err != nil || len(entries) != 2 || len(findings) != 1 {
						t.Fatalf("%s, %s: %v, %v, %v", form, name, entries, findings, err)
					}
					lines := []int{entries[0].Line, entries[1].Line, findings[0].Line}
					if want := map[string][]int{"XML": {2, 6, 9}, "text": {2, 6, 10}}[form]; !slices.Equal(lines, want) {
						t.Errorf("%s, %s behind %d bytes: lines %v, want %v", form, name, fill, lines, want)
					}
				}
			}
		}
	}
}

// TestReferenceInTwoReads holds that a reference is read whole wherever the bytes before it end.
func TestReferenceInTwoReads(t *testing.T) {
	in := "<urlset>" + strings.Repeat(" ", 200) + "<url><loc>http://h.example/?a&amp;b</loc></url></urlset>"
	for i := range in {
		entries, findings, err := readAll(io.MultiReader(strings.NewReader(in[:i]), strings.NewReader(in[i:])), Options{})
		if err != nil || len(findings) > 0 || !slices.Equal(locs(entries), []string{"http://h.example/?a&b"}) {
			t.Fatalf("after %d bytes: %v, %v, %v", i, entries, findings, err)
		}
	}
}
