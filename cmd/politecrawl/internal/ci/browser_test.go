package ci

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
)

// respond responds with a body of this type, the URL of the site in place of {site}.
func respond(contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", contentType)
		_, _ = w.Write([]byte(strings.ReplaceAll(body, "{site}", "http://"+r.Host)))
	}
}

// shown responds with a page that has no problems of its own.
func shown(head, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		text := "Page " + strings.ReplaceAll(r.RequestURI, "&", "+")
		respond("text/html; charset=utf-8", fmt.Sprintf(
			"<!doctype html><html lang=en><head><title>%[1]s</title><meta name=description content='%[1]s.'>%[2]s</head><body><h1>%[1]s</h1>%[3]s</body></html>", text, head, body,
		))(w, r)
	}
}

// getOnly responds to GET, and with an error to HEAD.
func getOnly(status int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead {
			w.WriteHeader(status)
			return
		}
		respond("image/png", "x")(w, r)
	}
}

// straying responds with a page whose header has a line without a colon.
func straying(w http.ResponseWriter, r *http.Request) {
	conn, out, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err)
	}
	recorded := httptest.NewRecorder()
	shown("", "")(recorded, r)
	_, _ = fmt.Fprintf(out, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nstray line\r\n\r\n%s", recorded.Body)
	_ = out.Flush()
	_ = conn.Close()
}

func redirectTo(location string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", location)
		w.WriteHeader(http.StatusFound)
	}
}

// The gate fails for what is broken in a browser, passes what works there, and requests what a browser does.
func TestVerdictIsThatOfABrowser(t *testing.T) {
	const html = "text/html"
	for _, tt := range []struct {
		name     string
		site     map[string]http.HandlerFunc // by request target
		flags    []string
		problems []string // errors and warnings: rule and URL
		requests []string // but for robots.txt and sitemaps
	}{
		{"canonical link against the base element", map[string]http.HandlerFunc{
			"/":           shown("", "<a href=/docs/a>a</a><a href=/docs/c>c</a>"),
			"/docs/a":     shown("<base href='/'><link rel=canonical href='docs/a'>", ""),
			"/docs/c":     shown("<base href='/x/'><link rel=canonical href=gone>", ""),
			"/robots.txt": respond("text/plain", "Sitemap: {site}/sm.xml\n"),
			"/sm.xml": respond("application/xml",
				"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc>{site}/</loc></url><url><loc>{site}/docs/a</loc></url></urlset>"),
		}, nil, []string{"canonical-broken /docs/c"}, []string{"GET /", "GET /docs/a", "GET /docs/c", "GET /sm.xml", "GET /x/gone"}},
		{"query in the encoding of the page", map[string]http.HandlerFunc{
			"/":         respond("text/html; charset=windows-1251", "<!doctype html><html lang=ru><title>\xf2</title><h1>x</h1><a href='/s?q=\xef'>q</a>"),
			"/s?q=%EF":  shown("", ""),
			"/s?q=\xef": shown("", ""),
		}, nil, nil, []string{"GET /", "GET /s?q=%EF"}},
		{"line of a header without a colon", map[string]http.HandlerFunc{"/": shown("", "<a href=/a>a</a>"), "/a": straying}, nil, nil, []string{"GET /", "GET /a", "GET /a"}},
		{"images that exist for GET alone", map[string]http.HandlerFunc{
			"/": shown("", "<img src=/a.png alt=x><img src=/b.png alt=x>"), "/a.png": getOnly(http.StatusNotFound), "/b.png": getOnly(http.StatusInternalServerError),
		}, nil, nil, []string{"GET /", "GET /a.png", "GET /b.png", "HEAD /a.png", "HEAD /b.png"}},
		{"empty script element in XHTML", map[string]http.HandlerFunc{
			"/": respond("application/xhtml+xml", "<html xmlns='http://www.w3.org/1999/xhtml' lang='en'><head><title>t</title><script src='/a.js'/></head>"+
				"<body><h1>t</h1><a href='/missing'>m</a></body></html>"),
			"/a.js": respond("text/javascript", "//"),
		}, nil, []string{"broken-link /missing"}, []string{"GET /", "GET /missing", "HEAD /a.js"}},
		{"comma in the type of a page", map[string]http.HandlerFunc{
			"/": respond("text/html, charset=utf-8", "<!doctype html><html lang=en><title>t</title><h1>t</h1><a href=/missing>m</a>"),
		}, nil, []string{"broken-link /missing"}, []string{"GET /", "GET /missing"}},
		{"redirect to itself that sets a cookie", map[string]http.HandlerFunc{
			"/": func(w http.ResponseWriter, r *http.Request) {
				if _, err := r.Cookie("sid"); err == nil {
					shown("", "<a href=/a>a</a>")(w, r)
					return
				}
				w.Header().Set("Set-Cookie", "sid=7; Path=/")
				redirectTo("/")(w, r)
			},
			"/a": shown("", ""),
		}, []string{"--cookies"}, nil, []string{"GET /", "GET /", "GET /a"}},
		{"no-break space at the end of a link", map[string]http.HandlerFunc{
			"/": shown("", "<a href='/a\u00a0'>a</a>"), "/a": shown("", ""),
		}, nil, []string{"broken-link /a%C2%A0"}, []string{"GET /", "GET /a%C2%A0"}},
		{"declared encodings", map[string]http.HandlerFunc{
			"/":               respond(html, "<!doctype html><html lang=zh><meta charset=gbk><title>\xc4\xbf\xc2\xbc</title><h1>x</h1><a href='/\xc4\xbf.html'>l</a><a href=/late>2</a>"), // also valid UTF-8
			"/%E7%9B%AE.html": shown("", ""),
			"/late":           respond(html, "<!doctype html><html lang=ru><script>/*"+strings.Repeat("x", 1100)+"*/</script><meta charset=windows-1251><title>\xcf\xf0</title><h1>x</h1><a href='/\xef'>l</a>"),
			"/%D0%BF":         shown("", ""),
		}, nil, nil, []string{"GET /", "GET /%D0%BF", "GET /%E7%9B%AE.html", "GET /late"}},

		{"link in a template", map[string]http.HandlerFunc{
			"/": shown("", "<template><a href='/item/{{id}}'>x</a></template>"),
		}, nil, nil, []string{"GET /"}},
		{"line end after a gzip stream", map[string]http.HandlerFunc{
			"/": shown("", "<a href=/a>a</a>"),
			"/a": func(w http.ResponseWriter, r *http.Request) {
				var body bytes.Buffer
				z := gzip.NewWriter(&body)
				_, _ = z.Write([]byte("<!doctype html><html lang=en><title>a</title><h1>a</h1><a href=/missing>m</a>"))
				_ = z.Close()
				w.Header().Set("Content-Encoding", "gzip")
				respond(html, body.String()+"\n")(w, r)
			},
		}, nil, []string{"broken-link /missing"}, []string{"GET /", "GET /a", "GET /missing"}},
		{"link in SVG", map[string]http.HandlerFunc{
			"/": shown("", "<svg><a xlink:href='/missing'><text y=9>x</text></a></svg>"),
		}, nil, []string{"broken-link /missing"}, []string{"GET /", "GET /missing"}},
		{"refreshes", map[string]http.HandlerFunc{
			"/":  shown("", "<a href=/1>x</a><a href=/2>x</a><a href=/3>x</a><a href=/4>x</a><a href=/5>x</a><a href=/6>x</a>"),
			"/1": shown("<meta http-equiv=refresh content='0;/m1'>", ""),
			"/2": shown("<meta http-equiv=refresh content='0 url=/m2'>", ""),
			"/3": func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Refresh", "0; url=/m3")
				shown("", "")(w, r)
			},
			"/4": shown("<meta http-equiv=refresh content='0,url=/m4?a;b'>", ""),
			"/5": shown("<meta http-equiv=refresh content='x;url=/no5'>", ""),
			"/6": shown("<meta http-equiv=refresh content=\"0;url='/m6' x\">", ""),
		}, nil, []string{"broken-link /m1", "broken-link /m2", "broken-link /m3", "broken-link /m4?a;b", "broken-link /m6"}, []string{
			"GET /", "GET /1", "GET /2", "GET /3", "GET /4", "GET /5", "GET /6", "GET /m1", "GET /m2", "GET /m3", "GET /m4?a;b", "GET /m6",
		}},
		{"backgrounds and image sets", map[string]http.HandlerFunc{
			"/": shown("<style>h1{background-image:image-set('/s.png' 1x)}</style>", "<table background=/t.png><tr><td background=/d.png>x</td></tr></table>"),
		}, nil, []string{"broken-asset /d.png", "broken-asset /s.png", "broken-asset /t.png"}, []string{
			"GET /", "GET /d.png", "GET /s.png", "GET /t.png", "HEAD /d.png", "HEAD /s.png", "HEAD /t.png",
		}},
		{"redirect in Latin-1", map[string]http.HandlerFunc{
			"/": shown("", "<a href=/r>x</a>"), "/r": redirectTo("/\xe9"), "/%E9": shown("", ""),
		}, nil, nil, []string{"GET /", "GET /%E9", "GET /r"}},
		{"fragment of a redirect", map[string]http.HandlerFunc{
			"/": shown("", "<a href='/old#gone'>x</a>"), "/old": redirectTo("/new#sec"), "/new": shown("", "<p id=sec>x</p>"),
		}, nil, nil, []string{"GET /", "GET /new", "GET /old"}},
		{"304 to a request without conditions", map[string]http.HandlerFunc{
			"/": shown("", "<a href=/a>a</a>"), "/a": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotModified) },
		}, nil, []string{"broken-link /a"}, []string{"GET /", "GET /a"}},
		{"fragment with a percent sign", map[string]http.HandlerFunc{
			"/": shown("", "<a href='#50%-%C3%A9'>x</a><a href='#50%-e'>x</a><p id='50%-é'>y</p>"),
		}, nil, []string{"broken-fragment /#50%-e"}, []string{"GET /"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var mu sync.Mutex
			var requests []string
			server := clitest.Server(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/robots.txt" && r.URL.Path != "/sitemap.xml" {
					mu.Lock()
					requests = append(requests, r.Method+" "+r.RequestURI)
					mu.Unlock()
				}
				if handler := tt.site[r.RequestURI]; handler != nil {
					handler(w, r)
				} else {
					http.NotFound(w, r)
				}
			})
			t.Chdir(t.TempDir())
			got := run(t, append([]string{"ci", server.URL + "/", "--delay", "0s", "--retries", "0", "--quiet", "--fail-on", "warning", "--format", "json"}, tt.flags...)...)
			v := clitest.JSON[verdict](t, got.Out)
			var problems []string
			for _, p := range v.Problems {
				problems = append(problems, p.Rule+" "+strings.TrimPrefix(p.URL, server.URL))
			}
			slices.Sort(problems)
			slices.Sort(requests)
			code := cli.ExitDone
			if len(tt.problems) > 0 {
				code = cli.ExitFindings
			}
			if got.Code != code || !slices.Equal(problems, tt.problems) {
				t.Errorf("exit code %d, problems %q; want %d, %q", got.Code, problems, code, tt.problems)
			}
			if !slices.Equal(requests, tt.requests) {
				t.Errorf("requests %q, want %q", requests, tt.requests)
			}
		})
	}
}

// Browsers follow twenty redirects, to pages and images alike.
func TestVerdictOfManyRedirects(t *testing.T) {
	server := clitest.Server(t, func(w http.ResponseWriter, r *http.Request) {
		var n int
		switch _, err := fmt.Sscanf(r.URL.Path[1:], "%d", &n); {
		case r.URL.Path == "/":
			shown("", "<a href=/12/page>x</a><a href=/12/gone>x</a><img src=/12/image alt=x>")(w, r)
		case err == nil && n > 0:
			redirectTo(fmt.Sprintf("/%d%s", n-1, r.URL.Path[strings.LastIndexByte(r.URL.Path, '/'):]))(w, r)
		case r.URL.Path == "/0/page":
			shown("", "")(w, r)
		case r.URL.Path == "/0/image":
			respond("image/png", "x")(w, r)
		default:
			http.NotFound(w, r)
		}
	})
	t.Chdir(t.TempDir())
	got := run(t, "ci", server.URL+"/", "--delay", "0s", "--retries", "0", "--quiet", "--format", "json")
	v := clitest.JSON[verdict](t, got.Out)
	if len(v.Problems) != 1 || v.Problems[0].Rule != "redirect-dead-end" || v.Problems[0].URL != server.URL+"/12/gone" {
		t.Errorf("problems %+v", v.Problems)
	}
}
