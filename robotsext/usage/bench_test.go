package usage

import (
	"net/http"
	"testing"

	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// commonPage is a page without any signal: its site, its headers and its meta elements.
type commonPage struct {
	file   *robotstxt.File
	tdmrep *TDMRep
	header http.Header
}

func newCommonPage(tb testing.TB) commonPage {
	tdmrep, err := ParseTDMRep([]byte(`[{"location": "/reserved/", "tdm-reservation": 1}]`))
	if err != nil {
		tb.Fatal(err)
	}
	return commonPage{
		file:   robotstxt.Parse([]byte("User-agent: *\nCrawl-delay: 1\nDisallow: /private/\nSitemap: https://example.com/sitemap.xml\n"), nil),
		tdmrep: tdmrep,
		header: http.Header{
			"Content-Type": {"text/html; charset=utf-8"}, "Cache-Control": {"max-age=60"}, "Etag": {`"x"`},
			"Link": {`<https://example.com/style.css>; rel="preload"; as="style"`},
		},
	}
}

var tokens = []string{"examplebot"}

func (p commonPage) merge(metas []meta) Verdicts {
	all := FromRobots(p.file, p.file.Group(tokens...), "", "/articles/1?page=2")
	if s, ok := p.tdmrep.Match("/articles/1?page=2"); ok {
		all = append(all, s)
	}
	all = append(all, FromHeader(p.header, tokens, now)...)
	all = append(all, FromMeta(metas, tokens, now)...)
	return Merge(all)
}

var commonMetas = metas("viewport=width=device-width", "description=An article", "og:title=An article", "theme-color=#fff")

// TestNoSignalAllocatesNothing shows that a page without a signal costs no memory.
func TestNoSignalAllocatesNothing(t *testing.T) {
	page := newCommonPage(t)
	if n := testing.AllocsPerRun(100, func() {
		if page.merge(commonMetas) != nil {
			t.Error("a verdict")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkNoSignal(b *testing.B) {
	page := newCommonPage(b)
	b.ReportAllocs()
	for b.Loop() {
		page.merge(commonMetas)
	}
}

func BenchmarkAllSignals(b *testing.B) {
	page := newCommonPage(b)
	page.file = robotstxt.Parse([]byte("User-agent: *\nContent-Usage: / train-ai=n\nContent-Signal: search=yes, ai-train=no\nLicense: https://example.com/license.xml\n"), nil)
	page.header = http.Header{"Content-Usage": {"train-ai=n, search=y"}, "X-Robots-Tag": {"noai, noarchive"}, "Tdm-Reservation": {"1"}}
	elements := metas("robots=noai, noimageai", "tdm-reservation=1")
	b.ReportAllocs()
	for b.Loop() {
		page.merge(elements)
	}
}
