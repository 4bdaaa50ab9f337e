package extract

import (
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestMaxMeta(t *testing.T) {
	doc := Parse([]byte(strings.Repeat(`<meta name=robots content=none>`, maxMeta+1)))
	if len(doc.Meta) != maxMeta {
		t.Errorf("%d meta elements are kept", len(doc.Meta))
	}
}

// The text of one element may be all of a page, and takes no memory for that.
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
		doc := Parse(body)
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; (len(doc.Links) != 1) != open || took > 1<<20 {
			t.Errorf("%.10s…: %d links, %d KiB", page, len(doc.Links), took>>10)
		}
	}
}

// Whatever a page repeats, reading it takes time in proportion to its length. What did
// not would take minutes here.
func TestParseTime(t *testing.T) {
	t.Parallel()
	for _, piece := range append([]string{
		"<", "<a", "<a ", "<a href=", `<a href="`, "<a href='x", "<!", "<!--", "<!-- --", "--!>", "<!-->", "<![CDATA[", "</", "</a", "<?",
		"<title>", "<title", "<script>", "<script><!--", "<svg>", "<svg><title/>", "<noscript>", "<textarea>", "<plaintext>", "<div>", "&amp", "<a &",
	}, lookPlain...) {
		page := []byte(strings.Repeat(piece, (1<<20)/len(piece)))
		began := time.Now()
		Parse(page)
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("1 MiB of %q takes %v", piece, took)
		}
	}
}
