package crawler

import (
	"database/sql"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/output/csvout"
	"github.com/politecrawl/politecrawl/crawler/output/sqlite"
)

// With cookies, a redirect to a URL of its chain is followed again after a Set-Cookie, and otherwise is a
// loop. A recrawl, which begins without cookies, does the same.
func TestRedirectsThatSetCookies(t *testing.T) {
	s := newSite(t, "127.0.0.1", map[string]string{"/next": ""})
	set := func(name string, to string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			http.SetCookie(w, &http.Cookie{Name: name, Value: "1", Path: "/"})
			http.Redirect(w, r, to, http.StatusFound)
		}
	}
	unless := func(name string, otherwise http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if _, err := r.Cookie(name); err != nil {
				otherwise(w, r)
				return
			}
			page(200, "<title>shown</title><a href=/next>n</a>")(w, r)
		}
	}
	s.handle("/self", unless("self", set("self", "/self")))
	s.handle("/there", unless("back", redirect("/back")))
	s.handle("/back", set("back", "/there"))
	s.handle("/wall", unless("third", redirect("/consent")))
	s.handle("/consent", redirect("/accept"))
	s.handle("/accept", set("third", "/wall"))
	s.handle("/loop", set("same", "/loop"))
	n := 0
	s.handle("/endless", func(w http.ResponseWriter, r *http.Request) {
		n++
		set(fmt.Sprint("n", n%40), "/endless")(w, r)
	})
	s.handle("/asset", unless("asset", set("asset", "/asset")))
	links := "<img src=/asset>"
	for _, path := range []string{"/self", "/there", "/wall", "/loop", "/endless"} {
		links += "<a href=" + path + ">x</a>"
	}
	s.page("/", links)
	for _, cookies := range []bool{true, false} {
		n = 0
		cfg := testConfig(t, s.url+"/")
		cfg.Credentials.Cookies, cfg.Scope.Check = cookies, []string{CheckAssets}
		for _, recrawl := range []bool{false, true} {
			runCrawl(t, cfg, &Options{Recrawl: recrawl})
			last, requests := make(map[string]string), make(map[string]int)
			for _, p := range readOutput[output.Page](t, cfg, "pages.jsonl") {
				path := strings.TrimPrefix(p.URL, s.url)
				last[path], requests[path] = fmt.Sprint(p.Status, " ", p.Title), requests[path]+1
			}
			for path, times := range map[string]int{"/self": 2, "/there": 2, "/wall": 2} {
				want, most := "200 shown", times
				if !cookies {
					want, most = "302 ", 1
				}
				if last[path] != want || requests[path] != most {
					t.Errorf("cookies %t, recrawl %t: %s is %q after %d requests, want %q after %d", cookies, recrawl, path, last[path], requests[path], want, most)
				}
			}
			if want := map[bool][2]int{true: {2, 21}, false: {1, 1}}[cookies]; requests["/loop"] != want[0] || requests["/endless"] != want[1] {
				t.Errorf("cookies %t, recrawl %t: %d requests to a loop and %d to one with ever new cookies, want %d", cookies, recrawl, requests["/loop"], requests["/endless"], want)
			}
			checks := readOutput[output.Check](t, cfg, "checks.jsonl")
			if want := map[bool]output.CheckResult{true: output.CheckOK, false: output.CheckRedirected}[cookies]; len(checks) == 0 || checks[len(checks)-1].Result != want {
				t.Errorf("cookies %t, recrawl %t: checks %+v", cookies, recrawl, checks)
			}
		}
	}
}

// A page with upgrade-insecure-requests uses https instead of http, but for the own machine.
func TestUpgradeInsecureRequests(t *testing.T) {
	s := newSite(t, "127.0.0.1", map[string]string{"/": `<a href=/meta>m</a><a href=/header>h</a><a href=/twice>t</a><a href=/plain>p</a>`})
	sheet := `<link rel=stylesheet href=/s.css><img src="http://a.example.invalid/i.png">`
	s.page("/meta", `<meta http-equiv="Content-Security-Policy" content="upgrade-insecure-requests">`+strings.ReplaceAll(sheet, "a.example", "meta.example"))
	s.handle("/header", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", "upgrade-insecure-requests")
		page(200, "<!doctype html>"+strings.ReplaceAll(sheet, "a.example", "header.example"))(w, r)
	})
	s.page("/twice", `<meta http-equiv="Content-Security-Policy" content="upgrade-insecure-requests"><img src=http://twice.example.invalid/>`+
		`<link rel=preload as=style href=http://twice.example.invalid/s.css><img src=https://twice.example.invalid/><link rel=stylesheet href=https://twice.example.invalid/s.css>`)
	s.page("/plain", strings.ReplaceAll(`<img src="http://a.example.invalid/i.png">`, "a.example", "plain.example"))
	s.handle("/s.css", page(200, "a{background:url(http://sheet.example.invalid/i.png)}", "Content-Type", "text/css"))
	cfg := testConfig(t, s.url+"/")
	_, checks := checkedCrawl(t, cfg, nil, CheckAssets)
	for _, line := range readOutput[output.Links](t, cfg, "links.jsonl") {
		want := []output.Link{{URL: "https://twice.example.invalid/", Kind: "img"}, {URL: "https://twice.example.invalid/s.css", Kind: "stylesheet"}}
		if line.URL == s.url+"/twice" && !slices.Equal(line.Resources, want) {
			t.Errorf("resources %+v, want %+v", line.Resources, want)
		}
	}
	for _, url := range []string{"https://twice.example.invalid/", "https://meta.example.invalid/i.png", "https://header.example.invalid/i.png", "http://plain.example.invalid/i.png", "https://sheet.example.invalid/i.png", s.url + "/s.css"} {
		if _, ok := checks[url]; !ok {
			t.Errorf("%s was not requested: %v", url, slices.Sorted(maps.Keys(checks)))
		}
	}
}

// Responses are redirects, errors or pages as for a browser.
func TestResponsesAsBrowsersHandleThem(t *testing.T) {
	s := newSite(t, "127.0.0.1", nil)
	respond := func(status int, locations ...string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header()["Location"] = locations
			w.WriteHeader(status)
		}
	}
	want := map[string]string{"/": "200 "} // status and Location
	links := ""
	for name, tt := range map[string]struct {
		status   int
		location string
		to       string // the URL that is requested, if any
	}{
		"301": {301, "/to?301#f", "/to?301"}, "303": {303, "to?303", "/to?303"}, "307": {307, "/to?307", "/to?307"}, "308": {308, "/to?308", "/to?308"},
		"scheme": {302, strings.TrimPrefix(s.url, "http:") + "/to?scheme", "/to?scheme"}, "dots": {302, "./x/../to?dots", "/to?dots"},
		"300": {300, "/no", ""}, "304": {304, "/no", ""}, "305": {305, "/no", ""}, "306": {306, "/no", ""}, "310": {310, "/no", ""}, "201": {201, "/no", ""},
		"empty": {302, "", ""}, "latin1": {302, "/d\xe9j\xe0?\xfc", "/d%E9j%E0?%FC"}, "escape": {302, "/to?%zz#%", "/to?%zz"}, "percent": {302, "/to-100%", "/to-100%25"}, "moved.xml.gz": {302, "/to.xml.gz", "/to.xml.gz"}, "mail": {302, "mailto:a@example.com", ""},
	} {
		s.handle("/"+name, respond(tt.status, tt.location))
		links += "<a href=/" + name + ">x</a>"
		want["/"+name] = fmt.Sprint(tt.status, " ")
		if tt.to != "" {
			_, fragment, _ := strings.Cut(tt.location, "#")
			want["/"+name] += strings.TrimSuffix(s.url+tt.to+"#"+fragment, "#")
			want[tt.to] = "404 "
		} else if name == "mail" {
			want["/"+name] += tt.location
		}
	}
	s.handle("/several", respond(302, "/no", "/no2"))
	want["/several"] = "302 "
	s.page("/", links+"<a href=/several>x</a>")
	cfg := testConfig(t, s.url+"/")
	cfg.Output.AlsoWrite = []string{"csv", "sqlite"}
	if sum := runCrawl(t, cfg, &Options{Formats: []output.Format{csvout.Format(nil), sqlite.Format(nil)}}); sum.Unchanged > 0 {
		t.Errorf("unchanged, by a 304 to an unconditional request: %+v", sum.Summary)
	}
	got := make(map[string]string)
	for _, p := range readOutput[output.Page](t, cfg, "pages.jsonl") {
		got[strings.TrimPrefix(p.URL, s.url)] = fmt.Sprint(p.Status, " ", p.Location)
	}
	table := csvTable(t, cfg, csvout.PagesFile)
	for _, row := range table[1:] {
		path := strings.TrimPrefix(row[0], s.url)
		if location := fmt.Sprint(row[1], " ", row[slices.Index(table[0], "location")]); location != got[path] {
			t.Errorf("%s in CSV: %q, in pages.jsonl %q", path, location, got[path])
		}
	}
	db, err := sql.Open("sqlite", filepath.Join(cfg.Output.Dir, sqlite.File))
	must(t, err)
	defer func() { must(t, db.Close()) }()
	for path := range got {
		var location string
		must(t, db.QueryRowContext(t.Context(), "SELECT status || ' ' || coalesce(location, '') FROM pages WHERE url = ?", s.url+path).Scan(&location))
		if location != got[path] {
			t.Errorf("%s in SQLite: %q, in pages.jsonl %q", path, location, got[path])
		}
	}
	for path := range want {
		if got[path] != want[path] {
			t.Errorf("%s: %q, want %q", path, got[path], want[path])
		}
	}
	if len(got) != len(want) {
		t.Errorf("pages %v", got)
	}
}
