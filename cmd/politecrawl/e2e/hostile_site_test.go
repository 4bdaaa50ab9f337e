package e2e

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
)

// What a crawl of a hostileSite is told in confidence: by whoever runs it, and by the
// site, which writes it into URLs.
const (
	proxyPassword = "pr0xy-pa55"
	watchToken    = "t0ken-of-whoever-watches"
	sitePassword  = "s1te-pa55"
	queryPassword = "qu3ry-pa55" // of a parameter that the site needs
)

// ruses are texts that are made to be taken for something else: markup, script, a formula,
// a command to a terminal, the end of a line.
var ruses = []string{
	`<script>window.ran = 1</script>`,
	`</title></style></script><script>window.ran = 1</script>`,
	`"><img src=http://evil.test/x.png onerror="window.ran = 1">`,
	`' onmouseover='window.ran = 1`,
	`<meta http-equiv=refresh content="0;url=http://evil.test/"><base href=http://evil.test/>`,
	`javascript:window.ran=1`,
	`=HYPERLINK("http://evil.test/","x")`,
	"\t=1+1;=2+2",
	"\r\n@SUM(1)",
	"\x1b]0;owned\x07\x1b[2J\u009b31m\u202e\u2028</script>\x7f",
	"\ntime=2030-01-01 level=ERROR msg=forged\n{\"level\":\"forged\"}\n",
}

// A hostileSite answers as a proxy for every host name ending in .test, writes
// sitePassword into all URLs that it can, and ruses into all texts.
type hostileSite struct {
	url     string        // of the proxy, with its user and password
	reached chan struct{} // closed when the page /last is asked for
	free    chan struct{} // close it to have that answered

	mu     sync.Mutex // guards leaked, and the closing of reached
	leaked []string   // what should not have been sent
}

func newHostileSite(t *testing.T) *hostileSite {
	s := &hostileSite{reached: make(chan struct{}), free: make(chan struct{})}
	server := clitest.Server(t, s.answer)
	s.url = strings.Replace(server.URL, "http://", "http://aladdin:"+proxyPassword+"@", 1)
	return s
}

func (s *hostileSite) answer(w http.ResponseWriter, r *http.Request) {
	if _, password, _ := proxyUser(r); password != proxyPassword {
		w.WriteHeader(http.StatusProxyAuthRequired)
		return
	}
	s.inspect(r)
	const user = "alice:" + sitePassword + "@"
	h := w.Header()
	h.Set("Set-Cookie", "session="+sitePassword)
	switch host, path := r.URL.Hostname(), r.URL.Path; {
	case path == "/robots.txt" && host == "moved.test":
		h.Set("Location", "http://"+user+"site.test/robots.txt")
		w.WriteHeader(302)
	case path == "/robots.txt" && host == "lost.test":
		h.Set("Location", "ftp://"+user+"site.test/robots.txt")
		w.WriteHeader(302)
	case path == "/robots.txt" && host == "odd.test": // net/http says what it has read
		answerAsIs(w, "HTTP/1.1 200 OK\r\nContent-Length: x http://"+user+"h/\r\n\r\n")
	case path == "/robots.txt":
		fmt.Fprintf(w, "User-agent: *\nDisallow: /no\nDisallow: /said?by=http://%[1]sh/\nCrawl-delay: 0\nSitemap: http://%[1]ssite.test/map.xml\nSitemap: http://%[1]ssite.test:x/bad.xml\n"+
			"Sitemap: http://%[1]sother.test/index.xml\nDisalow: http://%[1]ssite.test/\n"+
			"Sitemap: http:/%[1]ssite.test/\nSitemap: http:///%[1]ssite.test/\nSitemap: https:%[1]ssite.test\nSitemap: %[1]ssite.test/x\nSitemap: http://alice:x/%[1]ssite.test/\n"+
			"Host: %[1]ssite.test\nDisallow: http://alice:x %[1]ssite.test\nDisallow: %[1]ssite.test/x\nhttp //%[1]ssite.test/\n", user)
		for _, ruse := range ruses {
			fmt.Fprintf(w, "Disallow: /no/%s\nnote: %[1]s\n", ruse)
		}
	case path == "/map.xml":
		fmt.Fprintf(w, "<urlset><url><loc>http://%[1]ssite.test/listed</loc></url><url><loc>http://%[1]ssite.test:x/</loc></url><url><loc>http:///%[1]ssite.test/</loc></url>"+
			"<url><loc>http:/%[1]ssite.test/</loc></url><url><loc>http://alice:x %[1]ssite.test/</loc></url><url><loc>http://alice:x/%[1]ssite.test/</loc></url>"+
			"<url><loc>http://%[1]selsewhere.test/</loc></url><oops %[1]s", user)
	case path == "/index.xml":
		fmt.Fprintf(w, "<sitemapindex><sitemap><loc>http://%[1]sother.test/map.xml</loc></sitemap><sitemap><loc>http://%[1]selsewhere.test/map.xml</loc></sitemap></sitemapindex>", user)
	case path == "/moved":
		h.Set("Location", "http://"+user+"site.test/target")
		w.WriteHeader(301)
	case path == "/astray":
		h.Set("Location", "http://"+user+"site.test:x/")
		w.WriteHeader(302)
	case path == "/source":
		h.Set("Location", "view-source:http://"+user+"site.test/")
		w.WriteHeader(302)
	case path == "/mail":
		h.Set("Location", "mailto:"+user+"site.test")
		w.WriteHeader(302)
	case path == "/elsewhere":
		h.Set("Location", "//"+user+"elsewhere.test/")
		w.WriteHeader(307)
	case path == "/torn":
		panic(http.ErrAbortHandler)
	case strings.HasPrefix(path, "/ruse"):
		i := slices.Index([]string{"/ruse0", "/ruse1", "/ruse2", "/ruse3", "/ruse4", "/ruse5", "/ruse6", "/ruse7", "/ruse8", "/ruse9", "/ruse10"}, path)
		h.Set("Content-Type", "text/html; x="+strings.Map(visible, ruses[max(i, 0)]))
		h.Set("X-Robots-Tag", "unavailable_after: "+strings.Map(visible, ruses[max(i, 0)]))
		fmt.Fprintf(w, "<title>%s</title><h1>%[1]s</h1>", strings.NewReplacer("<", "&lt;", "&", "&amp;").Replace(ruses[max(i, 0)]))
	case path == "/last":
		s.mu.Lock()
		select {
		case <-s.reached:
		default:
			close(s.reached)
		}
		s.mu.Unlock()
		<-s.free
	default:
		h.Set("Content-Type", `text/html; charset="http://`+user+`h/"`)
		h.Set("X-Note", strings.Map(visible, strings.Join(ruses, " ")))
		fmt.Fprintf(w, `<title>%s</title><link rel="canonical" href="http://%[2]ssite.test/canonical"><base href="http://%[2]ssite.test/">`+
			`<a href="http://%[2]ssite.test/x">1</a><a href="http://%[2]ssite.test:x/">2</a><a href="//%[2]ssite.test/y">3</a><a href="ht`+"\t"+`tp:\\%[2]ssite.test/z">4</a>`+
			`<a href="http://%[2]selsewhere.test/">5</a><a href="http://%[2]smoved.test/" rel="nofollow">6</a><a href="/moved">7</a><a href="/astray">8</a><a href="/elsewhere">9</a>`+
			`<a href="/torn?password=`+strings.ReplaceAll("P&api_key=P&sid=P&token=P&secret=P", "P", queryPassword)+`">10</a><a href="http://%[2]ssite.test/no">11</a><a href="ftp://%[2]ssite.test/">12</a><a href="http://`+sitePassword+`@site.test/token">13</a>`+
			`<a href="javascript:window.ran=1">14</a><a href="http://%[2]sy z/">15</a>`+
			`<a href="http://`+strings.Replace(user, "@", "＠", 1)+`site.test/f10">17</a><a href="http://alice:x/%[2]ssite.test/">18</a><a href="/source">19</a><a href="/mail">20</a>`+
			`<a href="http:///%[2]ssite.test:x/">21</a>`+
			`<a href="/said?by=http://%[3]sh/">16</a>`, ruses[0], user, strings.Replace(user, "s1te", "%731te", 1)) // the rule's own, in other letters
		for i, ruse := range ruses {
			fmt.Fprintf(w, `<a href="/ruse%d" rel="%s">%[3]s</a><a href="/?%[2]s">q</a><a href="http://site.test:%[2]s/">q</a><img src="/ruse%[1]d?image" alt="%[2]s">`,
				i, strings.NewReplacer(`"`, "&quot;", "&", "&amp;").Replace(ruse), strings.NewReplacer("<", "&lt;", "&", "&amp;").Replace(ruse))
		}
		if path == "/target" {
			fmt.Fprint(w, `<a href="/last">last</a>`)
		}
	}
}

// answerAsIs sends an answer that net/http would not.
func answerAsIs(w http.ResponseWriter, text string) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err == nil {
		_, _ = io.WriteString(conn, text)
		_ = conn.Close()
	}
}

// visible leaves out what cannot stand in a header.
func visible(r rune) rune {
	if r < ' ' || r > '~' {
		return -1
	}
	return r
}

// inspect notes what tells the site something of others.
func (s *hostileSite) inspect(r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, field := range []string{"Authorization", "Cookie", "Referer"} {
		if v := r.Header.Get(field); v != "" {
			s.leaked = append(s.leaked, field+": "+v)
		}
	}
	if r.URL.User != nil || strings.Contains(r.RequestURI, sitePassword) {
		s.leaked = append(s.leaked, r.RequestURI)
	}
}

// wantNothingSent holds that the site was sent no password, its own neither.
func (s *hostileSite) wantNothingSent(t *testing.T) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, what := range s.leaked {
		t.Errorf("the site was sent %q", what)
	}
}
