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

func TestMaxMeta(t *testing.T) {
	doc := readPage([]byte(strings.Repeat(`<meta name=robots content=none>`, maxMeta+1)))
	if len(doc.Meta) != maxMeta {
		t.Errorf("%d meta elements are kept", len(doc.Meta))
	}
}

// A long text in one element needs no extra memory.
func TestLongTextIsNotCopied(t *testing.T) {
	const size = 8 << 20
	for _, page := range []string{
		"<script>" + strings.Repeat("x", size) + "</script>", "<style>" + strings.Repeat("x</", size/3) + "</STYLE >",
		"<title>" + strings.Repeat("x ", size/2) + "</title/>", "<title>" + strings.Repeat("x ", size/2), "<script>" + strings.Repeat("x", size), "<!--" + strings.Repeat("x", size) + "-->", strings.Repeat("x", size),
	} {
		body := []byte(page + "<a href=x>")
		open := strings.HasSuffix(page, "x") && page[0] == '<' || strings.HasSuffix(page, " ") // it has no end
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		doc := readPage(body)
		limit := uint64(1 << 20)
		if page[:7] == "<style>" { // the lexer writes behind the text, so it gets a copy
			limit += 3 * size / 2
		}
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; (len(doc.Links) != 1) != open || took > limit {
			t.Errorf("%.10s…: %d links, %d KiB", page, len(doc.Links), took>>10)
		}
	}
}

// The time to parse a page is proportional to its length, for any repeated text, and where each
// repetition has another number. Otherwise it would take minutes here.
func TestReadTime(t *testing.T) {
	if testing.Short() {
		t.Skip("it reads 40 pages of 1 MiB")
	}
	t.Parallel()
	for _, piece := range append([]string{
		"<", "<a", "<a ", "<a href=", `<a href="`, "<a href='x", "<!", "<!--", "<!-- --", "--!>", "<!-->", "<![CDATA[", "</", "</a", "<?",
		"<title>", "<title", "<script>", "<script><!--", "<svg>", "<svg><title/>", "<noscript>", "<textarea>", "<plaintext>", "<div>", "&amp", "<a &",
	}, lookPlain...) {
		page := []byte(strings.Repeat(piece, (1<<20)/len(piece)))
		began := time.Now()
		readPage(page)
		if took := time.Since(began); took > 30*time.Second {
			t.Errorf("1 MiB of %q takes %v", piece, took)
		}
	}
}

func TestReadTimeOfNumberedParts(t *testing.T) {
	t.Parallel()
	xhtml := http.Header{"Content-Type": {"application/xhtml+xml"}}
	for _, tt := range []struct {
		start, piece, end string // the piece has a number
		count             int
		header            http.Header
	}{
		{"<html>", "<html a%d>", "", 20_000, nil},
		{"<body>", "<body a%d=x>", "", 20_000, nil},
		{"<a ", "a%d=x ", "href=x>", 100_000, nil},
		{`<link rel=help href=x type="a/b`, ";a%d=0", `">`, 200_000, nil},
		{"<svg>" + strings.Repeat("<g>", 30_000), "</x%d>", "<template>", 60_000, nil},
		{`<html xmlns="http://www.w3.org/1999/xhtml"><p `, "a%d='' ", "/></html>", 400_000, xhtml},
	} {
		page := Page{Header: tt.header, Body: numbered(tt.start, tt.piece, tt.count, tt.end)}
		began := time.Now()
		Read(page, nil)
		if took := time.Since(began); took > 30*time.Second {
			t.Errorf("%.30s%s takes %v", tt.start, tt.piece, took)
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

// The references to entities are replaced in a time proportional to the length of the page, whatever
// has no end.
func TestReadTimeOfEntities(t *testing.T) {
	t.Parallel()
	for _, piece := range []string{"<!--&a;", "<?&a;", "<![CDATA[&a;", "<!--", "<", "&", "&a", "&a;", "&lt;", "&a;<?"} {
		const head = `<!DOCTYPE html [<!ENTITY a "b"><!ENTITY b "<!--&a;">]><html xmlns="http://www.w3.org/1999/xhtml">`
		page := Page{Header: http.Header{"Content-Type": {"application/xhtml+xml"}}, Body: []byte(head + strings.Repeat(piece, (1<<20)/len(piece)))}
		began := time.Now()
		Read(page, nil)
		if took := time.Since(began); took > 30*time.Second {
			t.Errorf("1 MiB of %q takes %v", piece, took)
		}
	}
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
