package robotsext_test

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/sitemap"
)

func urlset(urls ...string) string {
	return `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + locs("url", urls) + `</urlset>`
}

func index(urls ...string) string {
	return `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + locs("sitemap", urls) + `</sitemapindex>`
}

func locs(element string, urls []string) string {
	var b strings.Builder
	for _, u := range urls {
		fmt.Fprintf(&b, "<%s><loc>%s</loc></%s>", element, u, element)
	}
	return b.String()
}

// gather runs a walk to its end.
func gather(walk iter.Seq2[sitemap.Entry, error]) (pages []string, errs []error) {
	for entry, err := range walk {
		if err != nil {
			errs = append(errs, err)
			continue
		}
		pages = append(pages, entry.Loc)
	}
	return pages, errs
}

// A walk is one reading of the sitemaps of a.example, and what comes of it.
type walk struct {
	name    string
	answers map[string][]reply
	opts    robotsext.Options
	file    string        // the only sitemap that is read; empty: those of robots.txt
	timeout time.Duration // of the caller; 0: none
	pages   []string
	errs    []string // a part of the text of each
	sent    []string
}

func (test walk) run(t *testing.T) {
	t.Helper()
	onWeb(t, test.name, test.answers, func(t *testing.T, w *web) {
		ctx := t.Context()
		if test.timeout > 0 {
			limited, cancel := context.WithTimeout(ctx, test.timeout)
			defer cancel()
			ctx = limited
		}
		walked := w.robots(test.opts).Sitemaps(ctx, rootA)
		if test.file != "" {
			walked = w.robots(test.opts).Sitemap(ctx, mustParse(t, test.file))
		}
		pages, errs := gather(walked)
		wantPages(t, pages, test.pages...)
		wantErrors(t, errs, test.errs...)
		w.wantSent(test.sent...)
	})
}

// wantErrors compares errors by parts of their texts.
func wantErrors(t *testing.T, errs []error, parts ...string) {
	t.Helper()
	if !slices.EqualFunc(errs, parts, func(err error, part string) bool { return strings.Contains(err.Error(), part) }) {
		t.Errorf("errors %v, want %q", errs, parts)
	}
}

var noDelay = robotsext.Options{Sitemaps: robotsext.SitemapOptions{Delay: -1}}

func redirect(to string) reply {
	return reply{status: http.StatusFound, header: http.Header{"Location": {to}}}
}

func TestSitemaps(t *testing.T) {
	listing := robotsListing(siteA+"/index.xml", siteA+"/plain.xml", siteA+"/private/map.xml", siteA+"/gone.xml")
	listing[0].body += private
	const disallowed = `/private/map.xml is disallowed by "Disallow: /private", line 6 of ` + siteA + "/robots.txt"
	for _, test := range []walk{
		{
			name: "ROB-SMP-01/ROB-SMP-04/ROB-SMP-05/ROB-SMP-20/ROB-SMP-23/ROB-SMP-24/ROB-GEN-04",
			answers: map[string][]reply{
				"/robots.txt":      listing,
				"/index.xml":       ok(index(siteA+"/a.xml.gz", siteA+"/index.xml", siteA+"/a.xml.gz", siteA+"/moved.xml")),
				"/a.xml.gz":        ok(string(zip([]byte(urlset(siteA+"/1", siteA+"/2"))))),
				"/plain.xml":       ok(urlset(siteA+"/3", siteA+"/private/4")),
				"/moved.xml":       {redirect("/private/map.xml")},
				"/private/map.xml": ok(urlset(siteA + "/hidden")),
			},
			opts:  noDelay,
			pages: []string{"/1", "/2", "/3", "/private/4"},
			errs: []string{
				"sitemap " + siteA + "/private/map.xml: " + siteA + disallowed,
				"sitemap " + siteA + "/gone.xml: status 404",
			},
			sent: []string{"0 /robots.txt", "1 /index.xml", "2 /a.xml.gz", "3 /moved.xml", "4 /plain.xml", "5 /gone.xml"},
		},
		{
			name: "ROB-SMP-04/ROB-SMP-18/files of other origins",
			answers: map[string][]reply{
				"/robots.txt":                      robotsListing("http://hidden.example/map.xml", "http://open.example/dir/map.xml"),
				"http://hidden.example/robots.txt": ok("User-agent: *\nDisallow: /\n"),
				"http://hidden.example/map.xml":    ok(urlset(siteA + "/")),
				"http://open.example/dir/map.xml":  ok(urlset("http://open.example/dir/below", "http://open.example/above", "http://third.example/x")),
			},
			opts:  noDelay,
			pages: []string{"http://open.example/dir/below"},
			errs:  []string{"http://hidden.example/map.xml is disallowed"},
			sent:  []string{"0 /robots.txt", "1 http://hidden.example/robots.txt", "2 http://open.example/robots.txt", "2 http://open.example/dir/map.xml"},
		},
		{
			name: "ROB-SMP-20/depth",
			answers: map[string][]reply{
				"/robots.txt": robotsListing(siteA + "/0.xml"),
				"/0.xml":      ok(index(siteA + "/1.xml")),
				"/1.xml":      ok(index(siteA + "/2.xml")),
				"/2.xml":      ok(index(siteA + "/3.xml")),
				"/3.xml":      ok(urlset(siteA + "/deep")),
			},
			opts: noDelay,
			errs: []string{robotsext.ErrSitemapDepth.Error()},
			sent: []string{"0 /robots.txt", "1 /0.xml", "2 /1.xml", "3 /2.xml"},
		},
		{
			name: "ROB-SMP-20/budget",
			answers: map[string][]reply{
				"/robots.txt": robotsListing(siteA+"/0.xml", siteA+"/5.xml", siteA+"/6.xml"),
				"/0.xml":      ok(index(siteA+"/1.xml", siteA+"/2.xml", siteA+"/3.xml")),
				"/1.xml":      ok(urlset(siteA + "/a")),
				"/2.xml":      ok(urlset(siteA + "/b")),
			},
			opts:  robotsext.Options{Sitemaps: robotsext.SitemapOptions{MaxFiles: 2, Delay: -1}},
			pages: []string{"/a"},
			errs:  []string{robotsext.ErrSitemapBudget.Error()},
			sent:  []string{"0 /robots.txt", "1 /0.xml", "2 /1.xml"},
		},
		{
			name: "ROB-SMP-22/broken file",
			answers: map[string][]reply{
				"/robots.txt": robotsListing(siteA+"/0.xml", siteA+"/1.xml"),
				"/0.xml":      ok(strings.Replace(urlset(siteA+"/a"), "</urlset>", "</wrong>", 1)),
				"/1.xml":      ok(urlset(siteA + "/b")),
			},
			opts:  noDelay,
			pages: []string{"/a", "/b"},
			errs:  []string{"/0.xml"},
			sent:  []string{"0 /robots.txt", "1 /0.xml", "2 /1.xml"},
		},
		{
			name:    "ROB-SMP-09/ROB-SMP-10/no robots.txt",
			answers: map[string][]reply{"/robots.txt": {{status: 404, body: "Sitemap: " + siteA + "/map.xml"}}},
			sent:    []string{"0 /robots.txt"},
		},
		{
			name:    "ROB-SMP-09/unreachable",
			answers: map[string][]reply{"/robots.txt": {{status: 500}}},
			errs:    []string{"must wait until"},
			sent:    []string{"0 /robots.txt"},
		},
		{
			name: "ROB-SMP-09/redirected robots.txt",
			answers: map[string][]reply{
				"/robots.txt": {redirect("/r.txt")},
				"/r.txt":      robotsListing(siteA + "/0.xml"),
				"/0.xml":      ok(urlset(siteA + "/a")),
			},
			opts:  noDelay,
			pages: []string{"/a"},
			sent:  []string{"0 /robots.txt", "1 /r.txt", "2 /0.xml"},
		},
	} {
		test.run(t)
	}
}

func TestSitemapPolicy(t *testing.T) {
	const file = siteA + "/catalog/sitemap.xml"
	all := []string{siteA + "/catalog/show", siteA + "/catalog/../image", siteA + "/image/show", "https://example.com/catalog/show", "http://third.example/catalog/x"}
	for _, test := range []struct {
		id     string
		policy sitemap.Policy
		listed int // of all; the others are out of scope
	}{
		{"ROB-SMP-18/listed", sitemap.Listed, 3},
		{"ROB-SMP-19/directory", sitemap.Directory, 1},
		{"ROB-SMP-18/any", sitemap.Any, 5},
	} {
		onWeb(t, test.id, map[string][]reply{"/robots.txt": robotsListing(file), "/catalog/sitemap.xml": ok(urlset(all...))}, func(t *testing.T, w *web) {
			pages, errs := w.sitemaps(robotsext.Options{Sitemaps: robotsext.SitemapOptions{Policy: test.policy}})
			wantErrors(t, errs)
			var left []finding
			for _, text := range all[test.listed:] {
				left = append(left, finding{"/catalog/sitemap.xml", sitemap.NotAuthorized, strings.TrimPrefix(text, siteA)})
			}
			if !slices.Equal(pages, all[:test.listed]) || !slices.Equal(w.findings, left) {
				t.Errorf("pages %q, told as left out %v", pages, w.findings)
			}
			if len(w.files) != 1 || w.files[0].NotAuthorized != len(left) {
				t.Errorf("files %+v", w.files)
			}
		})
	}
}
