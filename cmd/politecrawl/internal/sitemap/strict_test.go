package sitemap

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
)

// A fetched sitemap is read and checked as a file is.
func TestSitemapOfSiteIsStrict(t *testing.T) {
	s := newSitemapSite(t, map[string]string{
		"/robots.txt": "User-agent: *\n",
		"/map.xml":    "\n<?xml version='1.0'?>\n<urlset><url><loc>{own}/1</loc></url></urlset>",
		"/feed.xml":   `<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="/a"/></entry><entry xml:base="b/"><link href="c"/></entry></feed>`,
	})
	for _, tt := range []struct {
		name string
		path string
		args []string
		want clitest.Result
	}{
		{"ROB-SMP-21/the base of a feed is its URL", "/feed.xml", nil, clitest.Result{Out: "/a\n/b/c\n"}},
		{"ROB-SMP-22/reading", "/map.xml", nil, clitest.Result{Out: "/1\n"}},
		{"ROB-SMP-26/check", "/map.xml", []string{"--check"}, clitest.Result{Code: cli.ExitFindings, Out: "/map.xml:2:1: an XML parser rejects the file: " +
			"XML declaration not at the start of the document; remove it, or what is before it [ROB-SMP-26]\n"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, s.list(t, tt.path, tt.args...), cmp.AllowUnexported(clitest.Result{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A finding about a location does not show its password.
func TestSitemapCheckHidesPasswords(t *testing.T) {
	for _, body := range []string{
		"https://user:secret@example.com/a b\n",
		`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://user:sec ret@example.com/</loc></url></urlset>`,
	} {
		got := runWith(t, body, "sitemap", "--check", "-")
		if got.Code != cli.ExitFindings || strings.Contains(got.Out, "user:") {
			t.Errorf("got %+v", got)
		}
	}
}
