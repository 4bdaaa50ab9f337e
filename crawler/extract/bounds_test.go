package extract

import (
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
