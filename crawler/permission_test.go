package crawler

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/output/csvout"
	"github.com/politecrawl/politecrawl/crawler/output/sqlite"
	"github.com/politecrawl/politecrawl/crawler/output/warc"
	"github.com/politecrawl/politecrawl/robotsext/usage"
)

// permissionsOf returns the lines of permissions.jsonl by path.
func permissionsOf(t *testing.T, cfg Config, s *site) map[string]output.Permission {
	t.Helper()
	lines := make(map[string]output.Permission)
	for _, p := range readOutput[output.Permission](t, cfg, "permissions.jsonl") {
		path := strings.TrimPrefix(p.URL, s.url)
		if _, twice := lines[path]; twice {
			t.Errorf("permissions.jsonl has two lines about %s", p.URL)
		}
		lines[path] = p
	}
	return lines
}

// values returns the values of a line by purpose.
func values(p output.Permission) map[usage.Purpose]string {
	said := make(map[usage.Purpose]string)
	for purpose, v := range p.Purposes {
		said[purpose] = v.Value.String()
	}
	return said
}

// What a file disallows is rejected with its line; what nothing is said about follows unknown.
func TestPurpose(t *testing.T) {
	site := func(t *testing.T) *site {
		s := newSite(t, "127.0.0.1", map[string]string{
			"/robots.txt": "User-agent: *\nAllow: /\nContent-Usage: /no train-ai=n\nContent-Usage: /yes train-ai=y\n",
			"/":           `<a href=/no>n</a><a href=/yes>y</a><a href=/own>o</a><a href=/meta>m</a>`, "/no": "n", "/yes": "y", "/meta": `<meta name=robots content=noai>`,
		})
		s.handle("/own", page(200, `<a href=/behind>b</a>`, "Content-Usage", "train-ai=n", "Content-Type", "text/html"))
		return s
	}
	for name, tt := range map[string]struct {
		purposes []string
		unknown  UnknownUsage
		requests []string // besides /
		pages    []string
	}{
		"no purpose":      {nil, UnknownAllow, []string{"/no", "/own", "/meta", "/yes", "/behind"}, []string{"/", "/no", "/own", "/meta", "/yes"}},
		"another purpose": {[]string{"search"}, UnknownAllow, []string{"/no", "/own", "/meta", "/yes", "/behind"}, []string{"/", "/no", "/own", "/meta", "/yes"}},
		"train-ai":        {[]string{"train-ai"}, UnknownAllow, []string{"/own", "/meta", "/yes"}, []string{"/", "/yes"}},
		"two":             {[]string{"archive", "train-ai"}, UnknownAllow, []string{"/own", "/meta", "/yes"}, []string{"/", "/yes"}},
		"refuse":          {[]string{"train-ai"}, UnknownRefuse, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := site(t)
			cfg := testConfig(t, s.url+"/")
			cfg.Usage.Purposes, cfg.Usage.Unknown = tt.purposes, tt.unknown
			got := runCrawl(t, cfg, nil)
			asked := slices.DeleteFunc(s.asked(), func(uri string) bool { return uri == "/" })
			if diff := cmp.Diff(sorted(tt.requests), sorted(asked)); diff != "" && len(tt.requests)+len(asked) > 0 {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
			paths := slices.DeleteFunc(got.paths(s.url), func(path string) bool { return path == "/behind" })
			if diff := cmp.Diff(sorted(tt.pages), sorted(paths)); diff != "" && len(tt.pages)+len(paths) > 0 {
				t.Errorf("pages (-want +got):\n%s", diff)
			}
			if slices.Contains(tt.purposes, "train-ai") && tt.unknown == UnknownAllow {
				want := output.Rejection{
					URL: s.url + "/no", Reason: output.Usage, Rule: "Content-Usage: /no train-ai=n", Line: 3, RobotsURL: s.url + "/robots.txt", Group: "*",
					Depth: 1, FoundOn: s.url + "/", Source: "link", Detail: `train-ai: disallowed by "/no train-ai=n", robots.txt line 3, Content-Usage`,
				}
				if diff := cmp.Diff(want, got.refusal(t, s.url+"/no"), cmpopts.EquateComparable(netip.Addr{})); diff != "" {
					t.Errorf("rejection (-want +got):\n%s", diff)
				}
				if r := got.refusal(t, s.url+"/own"); r.Reason != output.Usage || r.Rule != "" || r.Detail != `train-ai: disallowed by "train-ai=n", header Content-Usage` {
					t.Errorf("%+v", r)
				}
			}
		})
	}
}

// One of many pages disallows training: its content and its links are in no file of the crawl, and
// its URL only in lines that say so.
func TestRefusedPageIsInNoOutput(t *testing.T) {
	const n, mark, behind = 100, "SECRET-OF-THE-PAGE", "/behind-the-refused"
	s := newSite(t, "127.0.0.1", nil)
	s.handle("/", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		for i := range n {
			_, _ = fmt.Fprintf(w, "<a href=/p/%d>x</a>", i)
		}
	})
	s.handle("/p/{n}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if r.PathValue("n") == "77" {
			w.Header().Set("Content-Usage", "train-ai=n")
			_, _ = fmt.Fprintf(w, `<title>%[1]s</title><h1>%[1]s</h1><meta name=description content=%[1]s><a href=%[2]s>%[1]s</a><img src=%[2]s>`, mark, behind)
			return
		}
		_, _ = fmt.Fprintf(w, "<title>%s</title>", r.PathValue("n"))
	})
	cfg := testConfig(t, s.url+"/")
	cfg.Usage.Purposes, cfg.Output.AlsoWrite, cfg.Output.Links = []string{"train-ai"}, []string{"csv", "sqlite", "warc"}, LinksFull
	got, err := newCrawler(t, cfg, &Options{Formats: []output.Format{csvout.Format(nil), sqlite.Format(nil), warc.Format(nil)}}).Run(t.Context())
	must(t, err)
	if got.Pages != n || got.Rejected[output.Usage] != 1 || s.count("/p/77") != 1 || s.count(behind) != 0 {
		t.Fatalf("%d pages, rejected %v, %d and %d requests", got.Pages, got.Rejected, s.count("/p/77"), s.count(behind))
	}
	err = filepath.WalkDir(cfg.Output.Dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if strings.HasSuffix(path, ".gz") {
			z, err := gzip.NewReader(bytes.NewReader(text))
			if err != nil {
				return err
			}
			if text, err = io.ReadAll(z); err != nil {
				return err
			}
		}
		for _, secret := range []string{mark, behind} {
			if bytes.Contains(text, []byte(secret)) {
				t.Errorf("%s has %q", path, secret)
			}
		}
		return nil
	})
	must(t, err)
	for _, p := range readOutput[output.Page](t, cfg, "pages.jsonl") {
		if strings.HasSuffix(p.URL, "/p/77") {
			t.Errorf("in pages.jsonl: %+v", p)
		}
	}
	if p := permissionsOf(t, cfg, s)["/p/77"]; p.Withheld == "" || values(p)[usage.TrainAI] != "disallowed" {
		t.Errorf("permissions.jsonl: %+v", p)
	}
}

// A page that has not changed keeps its statements, and its header adds to them; robots.txt speaks anew. The
// record of the recrawl can be verified.
func TestPermissionsOfRecrawl(t *testing.T) {
	var second atomic.Bool
	s := newSite(t, "127.0.0.1", nil)
	s.handle("/robots.txt", func(w http.ResponseWriter, r *http.Request) {
		body := "User-agent: *\nAllow: /\n"
		if second.Load() {
			body += "Content-Usage: search=n\n"
		}
		page(200, body, "Cache-Control", "no-cache")(w, r)
	})
	s.handle("/", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"1"`)
		if r.Header.Get("If-None-Match") != "" {
			page(304, "", "X-Robots-Tag", "noai")(w, r)
			return
		}
		page(200, `<meta name=robots content="noarchive, unavailable_after: 2100-01-01">`, "Content-Type", "text/html", "X-Robots-Tag", "noarchive", "Content-Usage", "train-ai=y")(w, r)
	})
	cfg := permitConfig(t, s)
	runCrawl(t, cfg, nil)
	first := permissionsOf(t, cfg, s)["/"]
	if diff := cmp.Diff(map[usage.Purpose]string{usage.Archive: "disallowed", usage.TrainAI: "allowed"}, values(first)); diff != "" {
		t.Errorf("first crawl (-want +got):\n%s", diff)
	}
	second.Store(true)
	got := runCrawl(t, cfg, &Options{Recrawl: true})
	if len(got.pages) != 1 || got.pages[0].Status != http.StatusNotModified {
		t.Fatalf("%+v", got.pages)
	}
	again := permissionsOf(t, cfg, s)["/"]
	want := map[usage.Purpose]string{usage.Archive: "disallowed", usage.TrainAI: "disallowed", usage.AIInput: "disallowed", usage.Search: "disallowed"}
	if diff := cmp.Diff(want, values(again)); diff != "" {
		t.Errorf("recrawl (-want +got):\n%s", diff)
	}
	var raw []string
	for _, statement := range again.Statements {
		if statement.Source.Kind != usage.InRobots {
			raw = append(raw, statement.Raw)
		}
	}
	if diff := cmp.Diff([]string{"noai", "train-ai=y", "noarchive, unavailable_after: 2100-01-01"}, raw); diff != "" {
		t.Errorf("statements (-want +got):\n%s", diff)
	}
	for _, p := range []output.Permission{first, again} {
		text, err := os.ReadFile(output.VersionPath(cfg.Output.Dir, p.Robots))
		if err != nil || usage.Hash(text) != p.Robots {
			t.Errorf("the robots.txt of %s is not kept: %v", p.FetchedAt, err)
		}
	}
	writeFile(t, filepath.Join(cfg.Output.Dir, "permissions.jsonl"), "")
	if _, differences := verify(t, cfg.Output.Dir); len(differences) != 1 || !strings.Contains(differences[0], "has no line for this page of pages.jsonl") {
		t.Errorf("without the line: differences %q", differences)
	}
}

// A crawl can only be resumed with the purposes that it was started with, in any order: its record
// has one judgment for each page. A recrawl judges all pages again.
func TestResumeWithOtherPurposes(t *testing.T) {
	for name, tt := range map[string]struct {
		before, now Usage
		opts        Options
		want        string // in the error; empty if the crawl resumes
	}{
		"the same in another order": {Usage{Purposes: []string{"train-ai", "search"}}, Usage{Purposes: []string{"search", "train-ai"}}, Options{Resume: true}, ""},
		"another one":               {Usage{Purposes: []string{"train-ai"}}, Usage{Purposes: []string{"search"}}, Options{Resume: true}, "started with purpose train-ai, unknown allow"},
		"one more":                  {Usage{Purposes: []string{"train-ai"}}, Usage{Purposes: []string{"train-ai", "tdm"}}, Options{Resume: true}, "started with purpose train-ai, unknown allow"},
		"none":                      {Usage{Purposes: []string{"train-ai", "search"}}, Usage{}, Options{Resume: true}, "started with purpose search,train-ai, unknown allow"},
		"the first one":             {Usage{}, Usage{Purposes: []string{"search"}}, Options{Resume: true}, "started without a purpose"},
		"another unknown":           {Usage{Purposes: []string{"search"}}, Usage{Purposes: []string{"search"}, Unknown: UnknownRefuse}, Options{Resume: true}, "started with purpose search, unknown allow"},
		"a recrawl":                 {Usage{Purposes: []string{"train-ai"}}, Usage{Purposes: []string{"search"}}, Options{Recrawl: true}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, "127.0.0.1", map[string]string{
				"/robots.txt": "User-agent: *\nAllow: /\nContent-Usage: /no train-ai=n\n", "/": `<a href=/no>n</a>`, "/no": "n",
			})
			cfg := testConfig(t, s.url+"/")
			set := func(u Usage) {
				if cfg.Usage = u; u.Unknown == "" {
					cfg.Usage.Unknown = UnknownAllow
				}
			}
			set(tt.before)
			runCrawl(t, cfg, nil)
			lines := readOutput[output.Permission](t, cfg, "permissions.jsonl")
			set(tt.now)
			if tt.want == "" {
				runCrawl(t, cfg, &tt.opts)
				return
			}
			_, err := newCrawler(t, cfg, &tt.opts).Run(t.Context())
			if !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
			if diff := cmp.Diff(lines, readOutput[output.Permission](t, cfg, "permissions.jsonl")); diff != "" {
				t.Errorf("the record has changed:\n%s", diff)
			}
			set(tt.before)
			runCrawl(t, cfg, &Options{Resume: true})
		})
	}
}

// Workers of a shared crawl have the same purposes, in any order.
func TestSharedPurposesHaveNoOrder(t *testing.T) {
	cfg := testConfig(t, "http://h/")
	var texts []string
	for _, purposes := range [][]string{{"tdm", "search"}, {"search", "tdm", "search"}} {
		cfg.Usage.Purposes = purposes
		settings, err := settingsOf(cfg)
		must(t, err)
		texts = append(texts, string(settings["purpose"]))
	}
	if want := `["search","tdm"]`; texts[0] != want || texts[1] != want {
		t.Errorf("%q, want %s", texts, want)
	}
}

// A tdmrep.json that cannot be used says nothing, and each line and a notice say why.
func TestTDMRepProblemIsRecorded(t *testing.T) {
	for name, tt := range map[string]struct {
		serve http.HandlerFunc
		want  string
	}{
		"unreachable": {status(http.StatusServiceUnavailable), "unreachable: status 503"},
		"invalid":     {func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, "{}") }, "invalid: not a JSON array"},
		"too large": {func(w http.ResponseWriter, _ *http.Request) {
			_, _ = fmt.Fprint(w, "[]"+strings.Repeat(" ", usage.MaxTDMRepBytes))
		}, "larger than 262144 bytes"},
		"missing": {http.NotFound, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, "127.0.0.1", map[string]string{"/": "x"})
			s.handle("/.well-known/tdmrep.json", tt.serve)
			cfg := testConfig(t, s.url+"/")
			cfg.Usage.Purposes = []string{"tdm"}
			got := runCrawl(t, cfg, nil)
			if p := permissionsOf(t, cfg, s)["/"]; p.TDMRepProblem != tt.want || len(p.Statements) > 0 {
				t.Errorf("problem %q, want %q; statements %+v", p.TDMRepProblem, tt.want, p.Statements)
			}
			notice := fmt.Sprintf("the tdmrep.json of %s says nothing about pages: %s", s.url, tt.want)
			if slices.Contains(got.notices, notice) != (tt.want != "") {
				t.Errorf("notices %q, want %q", got.notices, notice)
			}
		})
	}
}

// A crawl with a purpose says once for each site which license file or tdmrep.json it does not read,
// and how to read it.
func TestUnreadFilesAreNoticed(t *testing.T) {
	const license, tdmrep = "names a license file (https://rsl.test/l.xml)", "does not read its tdmrep.json"
	for name, tt := range map[string]struct {
		robots, header, value string
		usage                 Usage
		want                  []string
	}{
		"License in robots.txt":      {robots: "License: https://rsl.test/l.xml", usage: Usage{Purposes: []string{"train-ai"}}, want: []string{license}},
		"License in Link":            {header: "Link", value: `<https://rsl.test/l.xml>; rel="license"; type="application/rsl+xml"`, usage: Usage{Purposes: []string{"search"}}, want: []string{license}},
		"no purpose":                 {robots: "License: https://rsl.test/l.xml\n# /.well-known/tdmrep.json"},
		"tdm-policy":                 {header: "tdm-policy", value: "https://rsl.test/p", usage: Usage{Purposes: []string{"train-ai"}}},
		"tdm-reservation":            {header: "tdm-reservation", value: "0", usage: Usage{Purposes: []string{"train-ai"}}, want: []string{tdmrep}},
		"tdmrep.json in robots.txt":  {robots: "Allow: /.well-known/tdmrep.json", usage: Usage{Purposes: []string{"train-ai"}}, want: []string{tdmrep}},
		"tdmrep.json that is read":   {robots: "Allow: /.well-known/tdmrep.json", usage: Usage{Purposes: []string{"train-ai", "tdm"}}},
		"tdmrep.json by permissions": {robots: "Allow: /.well-known/tdmrep.json", usage: Usage{Purposes: []string{"train-ai"}, Permissions: true}},
		"both":                       {robots: "License: https://rsl.test/l.xml\n# tdmrep.json", usage: Usage{Purposes: []string{"train-ai"}}, want: []string{license, tdmrep}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, "127.0.0.1", map[string]string{"/robots.txt": "User-agent: *\n" + tt.robots + "\n"})
			for _, path := range []string{"/", "/b"} {
				s.handle(path, func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Content-Type", "text/html")
					if tt.header != "" {
						w.Header().Set(tt.header, tt.value)
					}
					_, _ = fmt.Fprint(w, `<a href="/b">b</a>`)
				})
			}
			cfg := testConfig(t, s.url+"/")
			tt.usage.Unknown = cfg.Usage.Unknown
			cfg.Usage = tt.usage
			got := runCrawl(t, cfg, nil)
			var unread []string
			for _, notice := range got.notices {
				if strings.HasPrefix(notice, s.url+" ") {
					unread = append(unread, notice)
				}
			}
			if len(got.pages) != 2 || len(unread) != len(tt.want) {
				t.Fatalf("%d pages, notices %q", len(got.pages), unread)
			}
			for i, want := range tt.want {
				if !strings.Contains(unread[i], want) {
					t.Errorf("%q, want %q", unread[i], want)
				}
			}
		})
	}
}

// In a crawl of many sites, the files that are not read do not flood the terminal.
func TestUnreadFilesOfManySites(t *testing.T) {
	const most = 20 // notices
	cfg := testConfig(t)
	for i := range 2 * most {
		cfg.URLs = append(cfg.URLs, fmt.Sprintf("http://h%d.test/", i))
	}
	cfg.Usage.Purposes = []string{"train-ai"}
	var log bytes.Buffer
	got := runCrawl(t, cfg, &Options{Logger: slog.New(slog.NewTextHandler(&log, nil)), Transport: answering(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			_, _ = fmt.Fprint(w, "License: https://rsl.test/l.xml\nAllow: /.well-known/tdmrep.json\n")
		}
	})})
	if n := strings.Count(log.String(), "license file not read"); len(got.pages) != len(cfg.URLs) || len(got.notices) != most+1 || n != len(cfg.URLs) {
		t.Errorf("%d pages, %d of the log, %d notices: %q", len(got.pages), n, len(got.notices), got.notices)
	}
}

// A URL that tdmrep.json disallows is skipped with the rule that does it.
func TestRejectionByTDMRepHasItsRule(t *testing.T) {
	const rule = `{"location":"/","tdm-reservation":1}`
	s := newSite(t, "127.0.0.1", map[string]string{"/": "x", "/.well-known/tdmrep.json": `[{"location": "/free"}, ` + rule + "]"})
	cfg := testConfig(t, s.url+"/")
	cfg.Usage.Purposes = []string{"tdm"}
	r := runCrawl(t, cfg, nil).refusal(t, s.url+"/")
	if r.Reason != output.Usage || r.Rule != rule || r.Line != 2 || r.RobotsURL != s.url+"/.well-known/tdmrep.json" || r.Group != "" {
		t.Errorf("%+v", r)
	}
}

// A page that is withheld counts for the limits, since it was fetched.
func TestWithheldPagesCountForLimits(t *testing.T) {
	for name, limit := range map[string]func(*Limits){
		"max-pages":      func(l *Limits) { l.MaxPages = 2 },
		"max-host-pages": func(l *Limits) { l.MaxHostPages = 2 },
		"max-bytes":      func(l *Limits) { l.MaxBytes = 150_000 },
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, "127.0.0.1", nil)
			cfg := testConfig(t)
			for i := range 20 {
				path := fmt.Sprintf("/%d", i)
				cfg.URLs = append(cfg.URLs, s.url+path)
				s.handle(path, page(200, strings.Repeat("x", 100_000), "Content-Type", "text/html", "Content-Usage", "train-ai=n"))
			}
			cfg.Usage.Purposes, cfg.Limits.Concurrency = []string{"train-ai"}, 1
			limit(&cfg.Limits)
			runCrawl(t, cfg, nil)
			if n := len(s.asked()); n != 2 {
				t.Errorf("%d pages were requested, want 2", n)
			}
		})
	}
}

// No archive gets the body of an error or a redirect that disallows a purpose of the crawl.
func TestBodiesOfErrorsAreWithheld(t *testing.T) {
	const secret = "SECRET-BODY"
	for _, obeyNoindex := range []bool{true, false} {
		s := newSite(t, "127.0.0.1", nil)
		cfg := testConfig(t)
		for _, status := range []int{302, 402, 403, 404, 500} {
			path := fmt.Sprintf("/%d", status)
			cfg.URLs = append(cfg.URLs, s.url+path)
			s.handle(path, page(status, secret, "Content-Type", "text/html", "Content-Usage", "train-ai=n", "Location", "/404"))
		}
		cfg.Usage.Purposes, cfg.Robots.ObeyNoindex = []string{"train-ai"}, obeyNoindex
		kept := new(keeping)
		runCrawl(t, cfg, &Options{Formats: []output.Format{kept.format()}})
		if len(kept.Exchanges) < 5 {
			t.Fatalf("%d exchanges", len(kept.Exchanges))
		}
		for _, e := range kept.Exchanges {
			if body, _ := e.Body.(output.BytesBody); bytes.Contains(body, []byte(secret)) {
				t.Errorf("obey-noindex %v: the body of %s is archived", obeyNoindex, e.URL)
			}
		}
	}
}

// After tdmrep.json the next request waits for the delay, also if several leases of the host waited
// for the file.
func TestDelayAfterTDMRep(t *testing.T) {
	bubbled(func(t *testing.T) {
		s := newSite(t, "127.0.0.1", map[string]string{"/robots.txt": "User-agent: *\nAllow: /\n"})
		s.handle("/.well-known/tdmrep.json", func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(3 * time.Second)
			http.NotFound(w, r)
		})
		cfg := testConfig(t)
		for i := range 8 {
			s.page(fmt.Sprintf("/%d", i), "x")
			cfg.URLs = append(cfg.URLs, s.url+fmt.Sprintf("/%d", i))
		}
		cfg.Usage.Permissions, cfg.Politeness.Delay, cfg.Politeness.PerHost = true, 500*time.Millisecond, 4
		runCrawl(t, cfg, nil)
		var last request
		for i, r := range s.requests() {
			if gap := r.began.Sub(last.began); i > 0 && gap < cfg.Politeness.Delay {
				t.Errorf("%s was requested %v after %s", r.uri, gap, last.uri)
			}
			last = r
		}
	})(t)
}

// A check makes no permission of a page, so the tdmrep.json of another site is not requested for it.
func TestCheckRequestsNoTDMRep(t *testing.T) {
	other := newSite(t, "127.0.0.2", map[string]string{"/x": "x"})
	s := newSite(t, "127.0.0.1", map[string]string{"/": `<a href="` + other.url + `/x">x</a>`})
	cfg := testConfig(t, s.url+"/")
	cfg.Usage.Permissions, cfg.Scope.Check = true, []string{CheckExternal}
	runCrawl(t, cfg, nil)
	if got := other.sent(); !slices.Equal(got, []string{"HEAD /x"}) {
		t.Errorf("requests %q", got)
	}
}
