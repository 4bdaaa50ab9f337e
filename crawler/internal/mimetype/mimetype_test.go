package mimetype

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/http/httpguts"

	"github.com/politecrawl/politecrawl/crawler/internal/charset"
)

// String serializes the type by MIME Sniffing, section 4.5.
func (t Type) String() string {
	var b strings.Builder
	b.WriteString(t.Essence)
	for _, p := range t.Parameters {
		b.WriteString(";" + p.Name + "=")
		if httpguts.ValidHeaderFieldName(p.Value) {
			b.WriteString(p.Value)
		} else {
			b.WriteString(`"` + quoter.Replace(p.Value) + `"`)
		}
	}
	return b.String()
}

var quoter = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// readTests reads public tests, which lie beside the repository.
func readTests(t *testing.T, name string) []json.RawMessage {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "shared", "web-suites", name))
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("the public tests are missing: ../shared/web-suites")
		}
		t.Skip("the public tests are not here: ../shared/web-suites")
	}
	var tests []json.RawMessage
	if err := json.Unmarshal(text, &tests); err != nil || len(tests) == 0 {
		t.Fatalf("%s: %d tests, %v", name, len(tests), err)
	}
	return tests
}

func TestPublicSuites(t *testing.T) {
	for _, name := range []string{"mime-types.json", "generated-mime-types.json"} {
		for _, text := range readTests(t, name) {
			if text[0] != '{' {
				continue // a heading
			}
			var test struct {
				Input            string
				Output, Encoding *string
			}
			if err := json.Unmarshal(text, &test); err != nil {
				t.Fatal(err)
			}
			got, ok := Parse(test.Input)
			if ok != (test.Output != nil) || ok && got.String() != *test.Output {
				t.Errorf("%s: %q, %t", text, got, ok)
			}
			e, known := charset.Lookup(got.Charset())
			if known != (test.Encoding != nil) && ok && strings.Contains(string(text), `"encoding"`) || known && test.Encoding != nil && !strings.EqualFold(e.Name(), *test.Encoding) {
				t.Errorf("%s: charset %q", text, got.Charset())
			}
		}
	}
}

func TestExtract(t *testing.T) {
	for _, test := range []struct {
		values []string
		want   string // empty if none
	}{
		{nil, ""},
		{[]string{""}, ""},
		{[]string{"text/html"}, "text/html"},
		{[]string{" TEXT/HTML ; Charset=UTF-8 "}, "text/html;charset=UTF-8"},
		{[]string{"text/html, charset=utf-8"}, "text/html"},
		{[]string{"text/html;charset=utf-8, text/html"}, "text/html;charset=utf-8"},
		{[]string{"text/html;charset=utf-8", "text/html"}, "text/html;charset=utf-8"},
		{[]string{"text/html;charset=gbk", "text/html;charset=utf-8", "text/html"}, "text/html;charset=gbk"},
		{[]string{"text/html;charset=gbk", "text/plain", "text/html"}, "text/html"},
		{[]string{"text/html;charset=gbk", "text/plain", "text/plain;a=b"}, "text/plain;a=b"},
		{[]string{"text/plain", "text/html"}, "text/html"},
		{[]string{"text/html", "text/plain"}, "text/plain"},
		{[]string{"text/html;charset=gbk", "*/*"}, "text/html;charset=gbk"},
		{[]string{"x", "text/html"}, "text/html"},
		{[]string{"text/html", "x", "", "a/b c/d"}, "text/html"},
		{[]string{"*/*"}, ""},
		{[]string{`text/html;a=",text/plain"`}, `text/html;a=",text/plain"`},
		{[]string{`text/html;a="\",text/plain,"`}, `text/html;a="\",text/plain,"`},
		{[]string{`text/html;a="`, `text/plain;b="`, "text/css"}, "text/css"}, // the quotes reach over the fields
		{[]string{`text/html;a="x`, "text/plain"}, `text/html;a="x, text/plain"`},
		{[]string{"text/html;a=\xe9"}, "text/html;a=\"é\""},
		{[]string{"text/html\u00a0"}, ""},
		{[]string{"text/html,"}, "text/html"},
		{[]string{",text/html"}, "text/html"},
	} {
		got, ok := Extract(test.values)
		if ok != (test.want != "") || got.String() != test.want {
			t.Errorf("%q: %q, %t; want %q", test.values, got, ok, test.want)
		}
	}
}

func TestTypeOfResponse(t *testing.T) {
	const page, text, binary, png = "<!doctype html><title>x</title>", "text", "\x00\x01\x02", "\x89PNG\r\n\x1a\n"
	blank := strings.Repeat(" \n\f\r\t", 200)
	for _, test := range []struct {
		values        []string
		noSniff       string
		body          string
		want          string
		isHTML, isXML bool
	}{
		// A declared type counts, whatever the content is.
		{[]string{"text/html"}, "", png, "text/html", true, false},
		{[]string{"text/html, charset=utf-8"}, "", text, "text/html", true, false},
		{[]string{"text/plain"}, "", page, "text/plain", false, false},
		{[]string{"application/octet-stream"}, "", page, "application/octet-stream", false, false},
		{[]string{"text/htm"}, "", page, "text/htm", false, false},
		{[]string{"application/xhtml+xml"}, "", page, "application/xhtml+xml", false, true},
		{[]string{"text/xml"}, "", page, "text/xml", false, true},
		{[]string{"application/xml"}, "", page, "application/xml", false, true},
		{[]string{"image/svg+xml"}, "", page, "image/svg+xml", false, true},
		{[]string{"application/vnd.wap.xhtml+xml"}, "", page, "application/vnd.wap.xhtml+xml", false, true},
		{[]string{"text/html", "text/plain"}, "", page, "text/plain", false, false},
		{[]string{"text/plain", "text/html"}, "", text, "text/html", true, false},

		// The content decides about a type that is missing, invalid or unknown.
		{nil, "", page, "text/html", true, false},
		{[]string{""}, "", page, "text/html", true, false},
		{[]string{"*/*"}, "", page, "text/html", true, false},
		{[]string{"*/*; charset=koi8-r"}, "", page, "text/html", true, false},
		{[]string{"unknown/unknown"}, "", page, "text/html", true, false},
		{[]string{"Application/Unknown"}, "", page, "text/html", true, false},
		{[]string{"text/plain", "application/unknown"}, "", page, "text/html", true, false},
		{[]string{"html"}, "", page, "text/html", true, false},
		{[]string{"charset=utf-8"}, "", page, "text/html", true, false},
		{[]string{"; charset=utf-8"}, "", page, "text/html", true, false},
		{[]string{"text/html: charset=utf-8"}, "", page, "text/html", true, false},
		{[]string{`"text/html"`}, "", page, "text/html", true, false},
		{[]string{"text / html"}, "", page, "text/html", true, false},
		{[]string{"text/html\u00a0"}, "", page, "text/html", true, false},
		{nil, "", "", "text/plain", false, false},
		{nil, "", text, "text/plain", false, false},
		{nil, "", binary, "application/octet-stream", false, false},
		{nil, "", png, "image/png", false, false},
		{nil, "", "%PDF-1.7", "application/pdf", false, false},
		{nil, "", "<?xml version='1.0'?>", "text/xml", false, true},
		{nil, "", "<HTML lang=en>", "text/html", true, false},
		{nil, "", "<script src=x>", "text/html", true, false},
		{nil, "", "<!-- x -->", "text/html", true, false},
		{nil, "", "<ul>", "text/plain", false, false},
		{nil, "", blank + page, "text/html", true, false},
		{nil, "", blank + blank + page, "text/plain", false, false}, // after what is looked at
		{nil, "", blank + "GIF89a", "text/plain", false, false},
		{nil, "", strings.Repeat("x", 1000) + binary, "application/octet-stream", false, false},
		{nil, "", strings.Repeat("x", 1500) + binary, "text/plain", false, false},
		{nil, "", "\xef\xbb\xbf" + text + binary, "text/plain", false, false},

		// With nosniff, no content is HTML that does not declare it.
		{nil, "nosniff", page, "text/plain", false, false},
		{[]string{"*/*"}, "NoSniff, x", page, "text/plain", false, false},
		{nil, "x, nosniff", page, "text/html", true, false},
		{nil, "nosniff", "<!-- " + binary, "application/octet-stream", false, false},
		{nil, "nosniff", "%PDF-1.7", "text/plain", false, false},
		{nil, "nosniff", png, "image/png", false, false},
		{[]string{"text/html"}, "nosniff", text, "text/html", true, false},
	} {
		h := http.Header{"X-Content-Type-Options": {test.noSniff}}
		if test.values != nil {
			h["Content-Type"] = test.values
		}
		got := Of(h, []byte(test.body))
		if got.Essence != test.want || got.IsHTML() != test.isHTML || got.IsXML() != test.isXML || got.IsXHTML() != (test.want == "application/xhtml+xml") {
			t.Errorf("%q, nosniff %q, %.20q: %s", test.values, test.noSniff, test.body, got)
		}
		if len(test.values) == 0 && got.Charset() != "" {
			t.Errorf("%.20q: guessed charset %q", test.body, got.Charset())
		}
	}
}

// The charset of an unknown type is that of the type of the content.
func TestCharsetOfUnknownType(t *testing.T) {
	h := http.Header{"Content-Type": {"unknown/unknown; charset=koi8-r"}}
	if got := Of(h, []byte("<html>")); got.String() != "text/html;charset=koi8-r" {
		t.Error(got)
	}
}

// FuzzParse: a type that was written is read back, alone and from a header.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"text/html;charset=gbk", `a/b;c="\d,";c=e`, "a/b;;x=\xff", "a/b, */*", "x/x;test=\"\\", "; charset=utf-8"} {
		f.Add(text, text)
	}
	f.Fuzz(func(t *testing.T, text, other string) {
		for _, read := range []func(string) (Type, bool){Parse, func(s string) (Type, bool) { return Extract([]string{s, other}) }} {
			first, ok := read(text)
			if !ok {
				continue
			}
			again, ok := Parse(first.String())
			if diff := cmp.Diff(first, again); !ok || diff != "" {
				t.Errorf("%q: %s", text, diff)
			}
		}
		Of(http.Header{"Content-Type": {other}}, []byte(text))
	})
}
