package robotstxt

import (
	"testing"

	"github.com/politecrawl/politecrawl/robotsext/robotstxt/robotstxttest"
)

func judge(t *testing.T, body []byte, token, url string) {
	v := Parse(body, nil).Check(url, token)
	if want := robotstxttest.Allowed(body, []string{token}, url); v.Allowed != want {
		t.Errorf("%q\n%q for %q: got %v by %v, want %v", body, url, token, v.Allowed, v.Rule, want)
	}
}

func FuzzCheck(f *testing.F) {
	f.Add([]byte("User-agent: *\nDisallow: /a*b$\nAllow: /a%62?u=http://h/\n"), "a", "http://h/a%2Fb?u=http%3A%2F%2Fh/")
	f.Fuzz(func(t *testing.T, body []byte, token, url string) {
		if len(body) < 4000 && len(url) < 1000 {
			judge(t, body, token, url)
		}
	})
}

func TestJudge(t *testing.T) {
	for i := range uint64(20000) {
		g := newGenerator(i)
		body := g.file()
		for range 4 {
			judge(t, []byte(body), g.agent(), g.url(body))
		}
		if t.Failed() {
			t.Fatal(i)
		}
	}
}
