package crawler

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/results"
	"github.com/politecrawl/politecrawl/crawler/internal/trap/traptest"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// A trapSite is a site with pages. Some lead into traps.
func trapSite(t *testing.T) *site {
	s := newSite(t, "127.0.0.1", map[string]string{"/about": "<p>" + traptest.Prose(1, 50), "/contact": "<p>" + traptest.Prose(2, 50), "/news/": "<p>" + traptest.Prose(3, 50)})
	menu := `<title>Shop</title><nav><a href="/about">About us</a><a href="/contact">Contact</a><a href="/news/">News</a></nav>` + "<p>" + traptest.Prose(4, 100) + "</p>"
	html := func(path string, body func(r *http.Request) string) {
		s.mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = fmt.Fprint(w, menu+body(r))
		})
	}
	html("/{$}", func(*http.Request) string {
		return `<a href="/calendar?month=2024-01">Calendar</a><a href="/days/2024/1/1">Days</a><a href="/here/a/">Here</a><a href="/s/1/account?sid=0a">Account</a><a href="/shop">Shop</a>`
	})
	// A month leads to the next, with nothing in it.
	html("/calendar", func(r *http.Request) string {
		var year, month int
		_, _ = fmt.Sscanf(r.FormValue("month"), "%d-%d", &year, &month)
		next := 12*year + month
		return fmt.Sprintf(`<h1>%s %d</h1><table><td>1<td>2<td>3</table>No events. <a href="?month=%d-%02d">Next</a> <a href="?month=%d-%[4]d">Next</a>`,
			[]string{"January", "February", "March"}[month%3], year, next/12, next%12+1, next/12+100)
	})
	// And so does a day, in its path.
	html("/days/{year}/{month}/{day}", func(r *http.Request) string {
		day, _ := strconv.Atoi(r.PathValue("day"))
		year, _ := strconv.Atoi(r.PathValue("year"))
		return fmt.Sprintf(`<h1>Day %d of %d</h1><a href="/days/%[2]d/1/%d">tomorrow</a><a href="/days/%d/1/%[1]d">next year</a>`, day, year, day+1, year+1)
	})
	// A link that was meant to lead elsewhere leads one further down, by one way or two.
	html("/here/", func(*http.Request) string { return `<a href="a/">a</a><a href="b/">b</a>` })
	// Every page is under another session id, in the path and in the query.
	html("/s/{session}/account", func(r *http.Request) string {
		n := rand.Uint64()
		return fmt.Sprintf(`<p>Please log in.</p><a href="/s/%d/account?sid=%x">Account</a><a href="account?sid=%x">Help</a>`, n, n, n+1)
	})
	// Forty products, and filters that can be combined in a million ways and more.
	html("/shop", func(r *http.Request) string {
		var b strings.Builder
		fmt.Fprintf(&b, "<h1>Products: %s</h1>", r.URL.RawQuery)
		products := rand.New(rand.NewPCG(uint64(len(r.URL.RawQuery)), 2)).Perm(40)
		if r.URL.RawQuery != "" {
			products = products[:10]
		}
		for _, i := range products {
			fmt.Fprintf(&b, `<p><a href="/p/%d">%s</a> <img src="/img/%[1]d.png"> %[1]d.99</p>`, 1000+i, traptest.Prose(uint64(100+i), 5))
		}
		for _, name := range []string{"color", "size", "brand", "price", "sort", "view"} {
			for value := range 4 {
				query := r.URL.Query()
				query.Set(name, strconv.Itoa(value))
				fmt.Fprintf(&b, `<a href="/shop?%s">%s %d</a>`, query.Encode(), name, value)
			}
		}
		return b.String()
	})
	html("/p/{id}", func(r *http.Request) string {
		id, _ := strconv.Atoi(r.PathValue("id"))
		return "<h1>Product</h1><p>" + traptest.Prose(uint64(id), 40)
	})
	return s
}

// A crawl of a site with many spider traps finishes, with all useful pages.
func TestTraps(t *testing.T) {
	t.Parallel()
	s := trapSite(t)
	cfg := testConfig(t, s.url+"/")
	cfg.Limits.TrapPages, cfg.Output.Links, cfg.Limits.MaxPages = 10, LinksNone, 3000 // else it would not come to an end
	got := runCrawl(t, cfg, nil)
	want := []string{"/", "/about", "/contact", "/news/", "/shop"}
	for i := range 40 {
		want = append(want, fmt.Sprintf("/p/%d", 1000+i))
	}
	fetched := got.paths(s.url)
	for _, path := range want {
		if !slices.Contains(fetched, path) {
			t.Errorf("%s was not fetched", path)
		}
	}
	kinds := make(map[string]int)
	for _, path := range fetched {
		kind, _, _ := strings.Cut(strings.TrimPrefix(path, "/")+"/", "/")
		kind, _, _ = strings.Cut(kind, "?")
		kinds[kind]++
	}
	t.Logf("%d pages, %v; rejected %v", got.Pages, kinds, got.Rejected)
	for kind, most := range map[string]int{"calendar": 100, "days": 100, "here": 100, "s": 100, "shop": 600, "p": 40} {
		if kinds[kind] > most {
			t.Errorf("%d pages of %s were fetched", kinds[kind], kind)
		}
	}
	if got.End != EndFinished || got.Rejected[output.Trap] == 0 || got.Rejected[output.RepeatedSegment] == 0 {
		t.Errorf("%+v", got.Summary)
	}
	for _, r := range got.rejected {
		if r.Reason == output.Trap && !strings.Contains(r.Detail, "trap-pages 10") {
			t.Errorf("%+v", r)
		}
	}
	if !slices.ContainsFunc(got.notices, func(line string) bool { return strings.Contains(line, "pages like /calendar?month") }) {
		t.Errorf("notices %q", got.notices)
	}
}

// A large site without traps is fetched completely: articles by date (most with a link only from
// the previous one) and numbered products.
func TestLargeSiteIsNoTrap(t *testing.T) {
	if testing.Short() {
		t.Skip("it crawls a site of 5,000 articles")
	}
	t.Parallel()
	const articles, perPage = 5000, 10
	s := newSite(t, "127.0.0.1", nil)
	article := func(i int) string { return fmt.Sprintf("/%d/%02d/%s", 2000+i/240, i/20%12+1, traptest.Slug(i)) }
	serve := func(w http.ResponseWriter, body string) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = fmt.Fprintf(w, `<title>Site</title><nav><a href="/">Home</a><a href="/blog">Blog</a></nav><p>The same on every page, again and again.</p>%s`, body)
	}
	s.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		_, name, _ := strings.Cut(r.URL.Path[1:], "/")
		i, err := strconv.Atoi(name[strings.LastIndexByte(name, '-')+1:])
		if err != nil || r.URL.Path != article(i) && r.URL.Path != fmt.Sprintf("/p/%d", i) {
			http.NotFound(w, r)
			return
		}
		serve(w, fmt.Sprintf(`<h1>%s</h1><p>%s</p>`, traptest.Slug(i), traptest.Prose(uint64(i), 30)))
	})
	s.mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) { serve(w, "") })
	s.mux.HandleFunc("/blog", func(w http.ResponseWriter, r *http.Request) {
		page, _ := strconv.Atoi(r.FormValue("page"))
		var b strings.Builder
		for i := page * perPage; i < min((page+1)*perPage, articles); i++ {
			fmt.Fprintf(&b, `<p><a href="%s">%s</a>`, article(i), traptest.Prose(uint64(i), 3))
			if i%5 == 0 {
				fmt.Fprintf(&b, `<p><a href="/p/%d">Product</a>`, i)
			}
		}
		if (page+1)*perPage < articles {
			fmt.Fprintf(&b, `<a href="/blog?page=%d">older</a>`, page+1)
		}
		serve(w, b.String())
	})
	cfg := testConfig(t, s.url+"/")
	cfg.Limits.TrapPages, cfg.Output.Links = 20, LinksNone // any of its patterns has many times as many
	got := runCrawl(t, cfg, nil)
	if want := 1 + articles + articles/perPage + articles/5; got.Pages != want || len(got.rejected) > 0 || got.Statuses[200] != want {
		t.Errorf("%d pages, want %d; statuses %v, rejected %v, notices %q", got.Pages, want, got.Statuses, got.Rejected, got.notices)
	}
}

// A large site with the same text on all pages is not a trap, with or without links between the
// pages.
func TestSiteOfOneTextIsNoTrap(t *testing.T) {
	t.Parallel()
	const size = 150
	s := newSite(t, "127.0.0.1", nil)
	s.mux.HandleFunc("/p/{id}", func(w http.ResponseWriter, r *http.Request) {
		id, _ := strconv.Atoi(r.PathValue("id"))
		w.Header().Set("Content-Type", "text/html")
		random := rand.New(rand.NewPCG(uint64(id), 3))
		_, _ = fmt.Fprintf(w, `<h1>Page %d</h1><a href="/leaf/%d">leaf</a><a href="/p/%d">next</a>`, id, id, (id+1)%size)
		for range 20 {
			_, _ = fmt.Fprintf(w, `<a href="/p/%d">page</a>`, random.IntN(size))
		}
	})
	s.mux.HandleFunc("/leaf/{id}", page(200, `<a href="/p/1">home</a>`, "Content-Type", "text/html"))
	cfg := testConfig(t, s.url+"/p/1")
	cfg.Limits.TrapPages = 50 // by then all are known
	if got := runCrawl(t, cfg, nil); got.Pages != 2*size || len(got.rejected) > 0 {
		t.Errorf("%d pages, rejected %v", got.Pages, got.Rejected)
	}
}

// A trap over two hosts is detected, and so is a trap of redirects, to another host or on the
// same one.
func TestTrapOfTwoHosts(t *testing.T) {
	t.Parallel()
	next := func(r *http.Request) int {
		n, _ := strconv.Atoi(r.FormValue("month"))
		return n + 1
	}
	page := func(url string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = fmt.Fprintf(w, `<a href="%s?month=%d">next</a>`, url, next(r))
		}
	}
	redirect := func(url string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, url+"?"+r.URL.RawQuery, http.StatusMovedPermanently)
		}
	}
	for name, serve := range map[string]func(a, b *site){
		"to and fro": func(a, b *site) {
			a.mux.HandleFunc("/view", page(b.url+"/view"))
			b.mux.HandleFunc("/view", page(a.url+"/view"))
		},
		"redirected to another host": func(a, b *site) {
			a.mux.HandleFunc("/view", page(b.url+"/view"))
			b.mux.HandleFunc("/view", redirect(a.url+"/view"))
		},
		"redirected on the same host": func(a, _ *site) {
			a.mux.HandleFunc("/view", page("/go"))
			a.mux.HandleFunc("/go", redirect("/view"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, b := newSite(t, "127.0.0.1", nil), newSite(t, "127.0.0.2", nil)
			serve(a, b)
			cfg := testConfig(t, a.url+"/view", b.url+"/")
			cfg.Limits.TrapPages, cfg.Limits.MaxPages = 20, 400 // else it would not come to an end
			if got := runCrawl(t, cfg, nil); got.End != EndFinished || got.Rejected[output.Trap] == 0 {
				t.Errorf("%+v", got.Summary)
			}
		})
	}
}

// A closed pattern stays closed in a resumed crawl, and opens when trap-pages is raised.
func TestTrapsAndResume(t *testing.T) {
	t.Parallel()
	s := newSite(t, "127.0.0.1", nil)
	const months = 140
	s.mux.HandleFunc("/{$}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		n, _ := strconv.Atoi(r.FormValue("month"))
		for i := 2*n + 1; i <= min(2*n+2, months); i++ {
			_, _ = fmt.Fprintf(w, `<a href="/?month=%d">%[1]d</a>`, i)
		}
	})
	cfg := testConfig(t, s.url+"/")
	cfg.Limits.TrapPages, cfg.Limits.Concurrency = 20, 4
	got := runCrawl(t, cfg, nil)
	first := got.Pages
	if first < 55 || first > 65 || got.Rejected[output.Trap] == 0 || got.End != EndFinished {
		t.Fatalf("%+v", got.Summary)
	}
	// A URL that comes now is skipped at once.
	s.page("/door", `<a href="/?month=139">1</a><a href="/?month=140">2</a>`)
	rejected := got.Rejected[output.Trap]
	got = resume(t, cfg, func(c *Config) { c.URLs = append(c.URLs, s.url+"/door") })
	if got.Pages != first+1 || got.Rejected[output.Trap] != rejected+2 {
		t.Errorf("%d pages after %d, %v", got.Pages, first, got.Rejected)
	}
	cfg.URLs = append(cfg.URLs, s.url+"/door")
	got = resume(t, cfg, func(c *Config) { c.Limits.TrapPages = 0 })
	if got.Pages != months+2 || len(got.rejected) > 0 {
		t.Errorf("%d pages, rejected %v", got.Pages, got.Rejected)
	}
	// In another round the pattern is as good as any.
	cfg.Limits.TrapPages = 0
	got = again(t, cfg, Options{Recrawl: true})
	if got.Rejected[output.Trap] > 0 || got.Pages != months+2 {
		t.Errorf("%d pages, rejected %v", got.Pages, got.Rejected)
	}
}

// Start URLs, sitemap entries and their redirects are not traps, also in a recrawl, and may repeat segments.
func TestSitemapEntryIsNoTrap(t *testing.T) {
	t.Parallel()
	const listed = 60
	moved := func(id string) string {
		if id == "100" {
			return "/a/a/a/a/a"
		}
		return "/new?id=" + id
	}
	s := newSite(t, "127.0.0.1", nil)
	s.page("/robots.txt", "Sitemap: {site}/map.txt\n")
	list, want, starts := "", []string{}, []string{s.url + "/"}
	for i := 100; i < 100+listed; i++ {
		list += fmt.Sprintf("{site}/old?id=%d\n{site}/new?id=%d\n", i, i+200)
		want = append(want, moved(strconv.Itoa(i)), fmt.Sprintf("/new?id=%d", i+200), fmt.Sprintf("/new?id=%d", i+400))
		starts = append(starts, fmt.Sprintf("%s/new?id=%d", s.url, i+400))
	}
	s.page("/map.txt", list)
	s.mux.HandleFunc("/old", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, moved(r.FormValue("id")), http.StatusMovedPermanently)
	})
	// Each page is the door to a trap of the same pattern.
	s.mux.HandleFunc("/new", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprintf(w, `<a href="?id=1%s">next</a>`, r.FormValue("id"))
	})
	s.page("/a/a/a/a/a", "")
	s.page("/", "")
	cfg := testConfig(t, starts...)
	cfg.Limits.TrapPages, cfg.Limits.MaxPages = 10, 2000
	for round, got := range []*crawl{runCrawl(t, cfg, nil), again(t, cfg, Options{Recrawl: true})} {
		fetched := got.paths(s.url)
		for _, path := range want {
			if !slices.Contains(fetched, path) {
				t.Errorf("round %d: %s was not fetched", round, path)
			}
		}
		if got.Rejected[output.Trap] == 0 || got.End != EndFinished {
			t.Errorf("round %d: what is linked to is no trap: %+v", round, got.Summary)
		}
	}
}

// A page that closes a pattern and is not committed is fetched again, and closes the pattern
// again.
func TestTrapIsClosedAfterItsPage(t *testing.T) {
	s := newSite(t, "127.0.0.1", nil)
	s.mux.HandleFunc("/{$}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		n, _ := strconv.Atoi(r.FormValue("month"))
		_, _ = fmt.Fprintf(w, `<a href="/?month=%d">`, n+1)
	})
	cfg := testConfig(t, s.url+"/")
	cfg.Limits.TrapPages, cfg.Limits.Concurrency = 20, 1
	var closed atomic.Bool
	c, err := New(cfg, &Options{
		Frontier: &hooked{Frontier: frontier.NewMemory(nil), finish: func([]frontier.Outcome) error {
			if closed.Load() {
				return errFrontierFails
			}
			return nil
		}},
		OnNotice: func(line string) { closed.Store(closed.Load() || strings.Contains(line, "trap-pages")) },
	})
	must(t, err)
	if _, err := c.Run(t.Context()); !errors.Is(err, errFrontierFails) {
		t.Fatal(err)
	}
	journal, err := os.ReadFile(filepath.Join(cfg.Output.Dir, results.JournalFile))
	if err != nil || strings.Contains(string(journal), `"trap"`) {
		t.Errorf("the journal closes the trap of a page that was not committed: %s %v", journal, err)
	}
}
