package crawler

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// Invalid URLs of links and assets are listed as the page writes them. A nofollow link has that
// reason, an asset of a nofollow page does not.
func TestInvalidURLsAreListedAsWritten(t *testing.T) {
	s := newSite(t, "127.0.0.1", map[string]string{
		"/":  `<a href="/a">a</a><a href="http://<x>/">1</a><a rel=nofollow href="http://<n>/">2</a><img src=" https:///trac er/i.png">`,
		"/a": `<meta name=robots content=nofollow><a href="http://<m>/">1</a><a href="http://<x>/">2</a><img src="http://<y>/"><a href="mailto:<x>">3</a>`,
	})
	cfg := testConfig(t, s.url)
	cfg.Output.Links = LinksPlain
	got, _ := checkedCrawl(t, cfg, nil, CheckAssets)
	reasons := map[string]output.Reason{}
	for _, r := range got.rejected {
		reasons[r.URL] = r.Reason
	}
	want := map[string]output.Reason{
		"http://<x>/": output.InvalidURL, "https:///trac er/i.png": output.InvalidURL, "http://<y>/": output.InvalidURL,
		"http://<n>/": output.Nofollow, "http://<m>/": output.Nofollow,
	}
	if diff := cmp.Diff(want, reasons); diff != "" {
		t.Errorf("rejected (-want +got):\n%s", diff)
	}
	links := map[string][]string{}
	for _, l := range readOutput[output.Links](t, cfg, "links.jsonl") {
		links[l.URL] = targets(l)
		for _, r := range l.Resources {
			links[l.URL] = append(links[l.URL], r.Kind+" "+r.URL)
		}
	}
	if diff := cmp.Diff(map[string][]string{
		s.url + "/":  {s.url + "/a", "http://<x>/", "http://<n>/", "img https:///trac er/i.png"},
		s.url + "/a": {"http://<m>/", "http://<x>/", "img http://<y>/"},
	}, links); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
}
