package robotsext_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
	"github.com/politecrawl/politecrawl/robotsext/sitemap"
)

// endless makes bodies of what next returns, one piece a wait.
type endless struct {
	wait   time.Duration
	next   func(i int) string
	closed int // how many bodies
}

func (e *endless) open(ctx context.Context) io.ReadCloser { return &endlessBody{endless: e, ctx: ctx} }

type endlessBody struct {
	*endless
	ctx  context.Context
	i    int
	rest string
}

func (b *endlessBody) Read(p []byte) (int, error) {
	if b.rest == "" {
		select {
		case <-time.After(b.wait):
		case <-b.ctx.Done():
			return 0, context.Cause(b.ctx)
		}
		b.rest = b.next(b.i)
		b.i++
	}
	n := copy(p, b.rest)
	b.rest = b.rest[n:]
	return n, nil
}

func (b *endlessBody) Close() error {
	b.closed++
	return nil
}

// serving lists a sitemap with the body.
func (e *endless) serving() map[string][]reply {
	return map[string][]reply{"/robots.txt": robotsListing(siteA + "/1.xml"), "/1.xml": {{status: 200, open: e.open}}}
}

// Whatever a site sends, a walk ends in bounded time, with an error that says why.
func TestHostileSitemaps(t *testing.T) {
	entry := func(i int) string { return fmt.Sprintf("<url><loc>%s/%d</loc></url>", siteA, i) }
	opening := strings.TrimSuffix(urlset(), "</urlset>")
	for _, test := range []struct {
		name  string
		body  *endless
		want  error
		pages int // at least
		most  time.Duration
	}{
		{"ROB-SMP-12/blanks that never end", &endless{next: func(i int) string {
			if i == 0 {
				return opening
			}
			return strings.Repeat(" ", 1<<16)
		}}, sitemap.TooManyBytes, 0, time.Minute},
		{"a byte a second", &endless{wait: time.Second, next: func(i int) string {
			whole := opening + strings.Repeat(entry(1), 1+i/20)
			return whole[i : i+1]
		}}, robotsext.ErrSitemapTimeout, 3, 6 * time.Minute},
		{"nothing at all", &endless{wait: time.Hour, next: entry}, robotsext.ErrSitemapTimeout, 0, 10 * time.Minute},
	} {
		onWeb(t, "ROB-SMP-24/"+test.name, test.body.serving(), func(t *testing.T, w *web) {
			pages, errs := w.sitemaps(robotsext.Options{})
			if len(errs) != 1 || !errors.Is(errs[0], test.want) || len(pages) < test.pages {
				t.Errorf("%d pages, errors %v; want %v", len(pages), errs, test.want)
			}
			w.after(0, test.most)
			if test.body.closed == 0 {
				t.Error("the answer was not closed")
			}
		})
	}
	var many []string
	for i := range 3000 {
		many = append(many, fmt.Sprintf("http://b.example/%d", i))
	}
	onWeb(t, "ROB-SMP-18/thousands that are not the sitemap's to list", map[string][]reply{"/robots.txt": robotsListing(siteA + "/1.xml"), "/1.xml": ok(urlset(many...))}, func(t *testing.T, w *web) {
		pages, errs := w.sitemaps(robotsext.Options{})
		wantPages(t, pages)
		wantErrors(t, errs, robotsext.ErrSitemapUseless.Error())
		if len(w.findings) != 1001 || w.findings[1000].kind != sitemap.FindingsDropped || w.files[0].NotAuthorized != 3000 {
			t.Errorf("%d findings, files %+v", len(w.findings), w.files)
		}
	})
	onWeb(t, "ROB-SMP-20/index that lists itself", map[string][]reply{
		"/robots.txt": robotsListing(siteA + "/1.xml"),
		"/1.xml":      ok(index(slices.Repeat([]string{siteA + "/1.xml", "HTTP://A.example:80/x/../1.xml", siteA + "/1.xml#x"}, 1000)...)),
	}, func(t *testing.T, w *web) {
		pages, errs := w.sitemaps(robotsext.Options{})
		loops := slices.DeleteFunc(slices.Clone(w.findings), func(f finding) bool { return f.kind != sitemap.Loop })
		if len(pages)+len(errs) != 0 || len(loops) != 1000 || len(w.findings) != 1001 || w.findings[1000].kind != sitemap.FindingsDropped {
			t.Errorf("pages %q, errors %v, %d findings, %d of them loops", pages, errs, len(w.findings), len(loops))
		}
		w.wantSent("0 /robots.txt", "2 /1.xml")
	})
	onWeb(t, "ROB-SMP-20/indexes that list each other", map[string][]reply{
		"/robots.txt": robotsListing(siteA+"/1.xml", siteA+"/3.xml"),
		"/1.xml":      ok(index(siteA + "/2.xml")),
		"/2.xml":      ok(index(siteA+"/3.xml", siteA+"/4.xml", siteA+"/1.xml")), // the first is only listed twice
		"/3.xml":      ok(urlset(siteA + "/a")),
		"/4.xml":      ok(index(siteA + "/4.xml")), // deeper than may be, but not to be followed anyway
	}, func(t *testing.T, w *web) {
		pages, errs := w.sitemaps(robotsext.Options{})
		wantPages(t, pages, "/a")
		wantErrors(t, errs)
		if want := []finding{{"/2.xml", sitemap.Loop, "/1.xml"}, {"/4.xml", sitemap.Loop, "/4.xml"}}; !slices.Equal(w.findings, want) {
			t.Errorf("findings %v, want %v", w.findings, want)
		}
		w.wantSent("0 /robots.txt", "2 /1.xml", "4 /2.xml", "6 /4.xml", "8 /3.xml")
	})
	onWeb(t, "ROB-SMP-20/endless chain of indexes", map[string][]reply{"/robots.txt": robotsListing(siteA + "/x")}, func(t *testing.T, w *web) {
		w.others = func(path string) reply { return ok(index(siteA+path+"x", siteA+path+"y"))[0] }
		_, errs := w.sitemaps(robotsext.Options{})
		wantErrors(t, errs, slices.Repeat([]string{robotsext.ErrSitemapDepth.Error()}, 4)...)
		// Four files below the index lists more.
		w.wantSent("0 /robots.txt", "2 /x", "4 /xx", "6 /xxx", "8 /xxy", "10 /xy", "12 /xyx", "14 /xyy")
	})
	onWeb(t, "ROB-SMP-20/indexes that list thousands", map[string][]reply{"/robots.txt": robotsListing(siteA + "/x")}, func(t *testing.T, w *web) {
		w.others = func(path string) reply {
			var files []string
			for i := range 300 {
				files = append(files, fmt.Sprintf("%s%s/%d", siteA, path, i))
			}
			return ok(index(files...))[0]
		}
		_, errs := w.sitemaps(robotsext.Options{Sitemaps: robotsext.SitemapOptions{MaxFiles: 20}})
		if len(w.sent) != 21 || len(errs) != 19 || !errors.Is(errs[18], robotsext.ErrSitemapBudget) {
			t.Errorf("%d requests, %d errors, the last %v", len(w.sent), len(errs), errs[len(errs)-1])
		}
	})
	for _, test := range []struct {
		lines, maxBytes, maxFiles int
		most                      int // that are read
	}{
		{2000, 0, 0, 1000},
		{30_000, 1 << 30, 10, 10},
	} {
		var robots strings.Builder
		for i := range test.lines {
			fmt.Fprintf(&robots, "Sitemap:%s/%d\n", siteA, i)
		}
		onWeb(t, fmt.Sprintf("ROB-SMP-20/%d lines", test.lines), map[string][]reply{"/robots.txt": ok(robots.String())}, func(t *testing.T, w *web) {
			w.others = func(path string) reply { return ok(urlset(siteA + "/page" + path))[0] }
			pages, errs := w.sitemaps(robotsext.Options{Parse: &robotstxt.Options{MaxBytes: test.maxBytes}, Sitemaps: robotsext.SitemapOptions{MaxFiles: test.maxFiles}})
			wantErrors(t, errs, robotsext.ErrSitemapBudget.Error())
			if len(w.sent) != 1+test.most || len(pages) != test.most {
				t.Errorf("%d requests, %d pages", len(w.sent), len(pages))
			}
			took := time.Duration(1+2*test.most) * time.Second
			w.after(took, took)
		})
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = io.WriteString(z, opening)
	for range 8 {
		_, _ = z.Write(bytes.Repeat([]byte{'\t'}, 1<<20))
	}
	_ = z.Close()
	endlessly := walk{
		name:    "ROB-SMP-20/redirects without end",
		answers: map[string][]reply{"/robots.txt": robotsListing(siteA + "/0")},
		opts:    noDelay,
		errs:    []string{"more than 20 redirects"},
		sent:    []string{"0 /robots.txt"},
	}
	for i := range 21 {
		endlessly.answers[fmt.Sprintf("/%d", i)] = []reply{redirect(fmt.Sprintf("/%d", i+1))}
		endlessly.sent = append(endlessly.sent, fmt.Sprintf("%d /%d", i+1, i))
	}
	endlessly.run(t)
	for _, test := range []walk{
		{name: "ROB-SMP-20/redirect loop", answers: map[string][]reply{"/1.xml": {redirect("/1.xml")}}, errs: []string{"redirect loop"}},
		{name: "ROB-SMP-12/blanks without end in gzip", answers: map[string][]reply{"/1.xml": ok(packed.String())}, errs: []string{sitemap.RatioTooHigh.Error()}},
		{
			name: "ROB-SMP-24/no answer", answers: map[string][]reply{"/1.xml": {{hang: true}}},
			opts: robotsext.Options{Fetch: robotsext.FetchOptions{Timeout: 10 * time.Second}},
			errs: []string{robotsext.ErrSitemapTimeout.Error()},
			sent: []string{"72 /1.xml", "202 /1.xml", "452 /1.xml"}, // four times 10 s, and waits of 1, 2 and 4 minutes
		},
	} {
		test.answers["/robots.txt"] = robotsListing(siteA + "/1.xml")
		test.sent = append([]string{"0 /robots.txt", "2 /1.xml"}, test.sent...)
		test.run(t)
	}
}
