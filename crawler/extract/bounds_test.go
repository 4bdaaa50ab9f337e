package extract

import (
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A long text in one element needs no extra memory.
func TestLongTextIsNotCopied(t *testing.T) {
	const size = 2 << 20
	for _, page := range []string{
		"<script>" + strings.Repeat("x", size) + "</script>", "<style>" + strings.Repeat("x</", size/3) + "</STYLE >",
		"<title>" + strings.Repeat("x ", size/2) + "</title/>", "<title>" + strings.Repeat("x ", size/2), "<script>" + strings.Repeat("x", size), "<!--" + strings.Repeat("x", size) + "-->", strings.Repeat("x", size),
	} {
		body := []byte(page + "<a href=x>")
		open := strings.HasSuffix(page, "x") && page[0] == '<' || strings.HasSuffix(page, " ") // it has no end
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		doc := readPage(body)
		limit := uint64(size / 4)
		if page[:7] == "<style>" { // the lexer writes behind the text, so it gets a copy
			limit += 3 * size / 2
		}
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; (len(doc.Links) != 1) != open || took > limit {
			t.Errorf("%.10s…: %d links, %d KiB", page, len(doc.Links), took>>10)
		}
	}
}

// The time to read a text is proportional to its length, for any repeated part, and where each
// repetition has another number. Otherwise it would take minutes for a text of full size.
func TestReadTime(t *testing.T) {
	t.Parallel()
	size, limit := 1<<20, 30*time.Second
	if testing.Short() {
		size, limit = 128<<10, 5*time.Second
	}
	xhtml := http.Header{"Content-Type": {"application/xhtml+xml"}}
	readPage := func(text []byte) { Read(Page{Body: text}, nil) }
	readXHTML := func(text []byte) { Read(Page{Header: xhtml, Body: text}, nil) }
	const entities = `<!DOCTYPE html [<!ENTITY a "b"><!ENTITY b "<!--&a;">]><html xmlns="http://www.w3.org/1999/xhtml">`
	for _, tt := range []struct {
		name   string
		size   int
		limit  time.Duration
		read   func(text []byte)
		pieces []string
		start  string
		end    string
	}{
		{"page", size, limit, readPage, append([]string{
			"<", "<a", "<a ", "<a href=", `<a href="`, "<a href='x", "<!", "<!--", "<!-- --", "--!>", "<!-->", "<![CDATA[", "</", "</a", "<?",
			"<title>", "<title", "<script>", "<script><!--", "<svg>", "<svg><title/>", "<noscript>", "<textarea>", "<plaintext>", "<div>", "&amp", "<a &",
		}, lookPlain...), "", ""},
		{"numbered tags", 4 * size, 2 * limit, readPage, []string{"<html a%d>", "<body a%d=x>"}, "", ""},
		{"numbered attributes", 4 * size, 2 * limit, readPage, []string{"a%d=x "}, "<a ", "href=x>"},
		{"numbered parameters of a type", 4 * size, 2 * limit, readPage, []string{";a%d=0"}, `<link rel=help href=x type="a/b`, `">`},
		{"numbered end tags", 4 * size, 2 * limit, readPage, []string{"</x%d>"}, "<svg>" + strings.Repeat("<g>", size/32), "<template>"},
		{"numbered attributes of XHTML", 4 * size, 2 * limit, readXHTML, []string{"a%d='' "}, `<html xmlns="http://www.w3.org/1999/xhtml"><p `, "/></html>"},
		{"entities", size, limit, readXHTML, []string{"<!--&a;", "<?&a;", "<![CDATA[&a;", "<!--", "<", "&", "&a", "&a;", "&lt;", "&a;<?"}, entities, ""},
		{"stylesheet", 1 << 20, 10 * time.Second, func(text []byte) { stylesheetResources(string(text)) }, []string{"url(", `url("`, "@import ", "/*", `\`, "a{", "u+", "url( \n", "<!--"}, "", ""},
		{"visible parts", 4 << 20, 10 * time.Second, func(text []byte) {
			for range VisibleParts(text) {
			}
		}, []string{"<", "</", "<!--", "<script>", "<script></", "<style></", "<img ", "<img src=", `<img src="`, "x>", "<p>x"}, "", ""},
	} {
		for _, piece := range tt.pieces {
			text := []byte(tt.start)
			for i := 0; len(text) < tt.size; i++ {
				if strings.Contains(piece, "%d") {
					text = fmt.Appendf(text, piece, i)
				} else {
					text = append(text, piece...)
				}
			}
			began := time.Now()
			tt.read(append(text, tt.end...))
			if took := time.Since(began); took > tt.limit {
				t.Errorf("%s: %d bytes of %q take %v", tt.name, tt.size, piece, took)
			}
		}
	}
}

// A formatting element that is not closed is repeated in each paragraph, whatever looks like its end tag.
func TestTreesAreBounded(t *testing.T) {
	paragraphs := "</p>" + strings.Repeat("<p>x</p>", 5000)
	for piece, bounded := range map[string]bool{
		"<b a%d></i>": true, `<b a%d x="</b>">`: true, "<b a%d><object></b></object>": true, "<b title='%d'>": true, "<b></b>%d": false, "<b a%d></b>": true, "<I>%d</i>": false,
	} {
		root, ok := parsePage(numbered("<p>", piece, 300, paragraphs))
		if ok == bounded {
			t.Errorf("%s: tree %t", piece, ok)
		}
		nodes := 0
		if ok {
			for range root.Descendants() {
				nodes++
			}
		}
		if nodes > maxPageNodes {
			t.Errorf("%s: %d nodes", piece, nodes)
		}
	}
}

// numbered returns a page with a piece that is repeated, each time with another number.
func numbered(start, piece string, count int, end string) []byte {
	page := []byte(start)
	for i := range count {
		page = fmt.Appendf(page, piece, i)
	}
	return append(page, end...)
}

// TestSlowSelector: a selector that is too slow is stopped, and the results so far are returned.
func TestSlowSelector(t *testing.T) {
	rules, err := NewRules(map[string]Rule{"a-first": {Selector: "p"}, "b-none": {Selector: "h3 ~ p"}, "c-never": {Selector: "p"}})
	if err != nil {
		t.Fatal(err)
	}
	page := []byte("<p>one" + strings.Repeat("<p>", 50_000))
	rules.time = 50 * time.Millisecond // of some seconds
	began := time.Now()
	fields, err := rules.Fields(readPage(page))
	if !errors.Is(err, ErrTooSlow) || errors.Is(err, ErrTooManyTags) {
		t.Errorf("error %v after %v", err, time.Since(began))
	}
	if diff := cmp.Diff(map[string]any{"a-first": "one", "c-never": "one"}, fields); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
	rules.time = time.Hour
	if _, err := rules.Fields(readPage([]byte(strings.Repeat("<p>", 1000)))); err != nil {
		t.Errorf("a page that is looked through at once: %v", err)
	}
}
