package robotsext_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/robotsext"
)

// chain serves a number of redirects before end, and counts requests.
func chain(t *testing.T, hops int, end http.HandlerFunc) *site {
	s := newSite(t, nil)
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		s.mu.Lock()
		n := len(s.seen)
		s.seen = append(s.seen, req)
		s.mu.Unlock()
		if n < hops {
			http.Redirect(w, req, fmt.Sprintf("/private/%d", n), http.StatusMovedPermanently)
			return
		}
		end(w, req)
	})
	return s
}

func TestRedirects(t *testing.T) {
	hops := func(n int, end reply) map[string][]reply {
		answers := map[string][]reply{"/robots.txt": {redirect("/private/1")}, fmt.Sprintf("/private/%d", n): {end}}
		for i := 1; i < n; i++ {
			answers[fmt.Sprintf("/private/%d", i)] = []reply{redirect(fmt.Sprintf("/private/%d", i+1))}
		}
		return answers
	}
	refresh := http.Header{"Refresh": {"0; url=/other.txt"}, "Content-Type": {"text/html"}}
	type row struct {
		name    string
		answers map[string][]reply
		want    robotsext.Outcome
		status  int
		err     error  // of the redirects
		sent    string // requests
	}
	rows := []row{
		{"ROB-FET-05/ROB-FET-09/five", hops(5, robotsReply), robotsext.OutcomeRules, 200, nil, "/robots.txt /private/1 /private/2 /private/3 /private/4 /private/5"},
		{"ROB-FET-05/six", hops(6, robotsReply), robotsext.OutcomeAllowAll, 302, robotsext.ErrTooManyRedirects, "/robots.txt /private/1 /private/2 /private/3 /private/4 /private/5"},
		{"ROB-FET-07/loop", map[string][]reply{"/robots.txt": {redirect("/robots.txt")}}, robotsext.OutcomeAllowAll, 302, robotsext.ErrRedirectLoop, "/robots.txt"},
		{"ROB-FET-07/loop of two", map[string][]reply{"/robots.txt": {redirect("/to")}, "/to": {redirect("/robots.txt")}}, robotsext.OutcomeAllowAll, 302, robotsext.ErrRedirectLoop, "/robots.txt /to"},
		{"ROB-FET-10/404 at the end", hops(2, reply{status: 404}), robotsext.OutcomeAllowAll, 404, nil, "/robots.txt /private/1 /private/2"},
		{"ROB-FET-10/500 at the end", hops(2, reply{status: 500}), robotsext.OutcomeUnreachable, 500, nil, "/robots.txt /private/1 /private/2"},
		{"ROB-FET-10/dead end", hops(1, reply{err: errors.New("refused")}), robotsext.OutcomeUnreachable, 0, nil, "/robots.txt /private/1 /private/1"},
		{"ROB-FET-11/refresh", map[string][]reply{"/robots.txt": {{status: 200, header: refresh, body: `<meta http-equiv="refresh" content="0; url=/other.txt">` + "\n" + private}}}, robotsext.OutcomeRules, 200, nil, "/robots.txt"},
		{"ROB-FET-08/credentials", map[string][]reply{"/robots.txt": {redirect("http://user:secret@a.example/r.txt")}, "/r.txt": {robotsReply}}, robotsext.OutcomeRules, 200, nil, "/robots.txt /r.txt"},
	}
	for _, code := range []int{300, 301, 302, 303, 307, 308, 399} {
		answers := map[string][]reply{"/robots.txt": {{status: code, header: http.Header{"Location": {"r.txt#x"}}}}, "/r.txt": {robotsReply}}
		rows = append(rows, row{fmt.Sprintf("ROB-FET-08/%d", code), answers, robotsext.OutcomeRules, 200, nil, "/robots.txt /r.txt"})
	}
	for _, test := range rows {
		onWeb(t, test.name, test.answers, func(t *testing.T, w *web) {
			rec := recordFor(t, w.robots(robotsext.Options{}), rootA)
			wantOutcome(t, rec, test.want)
			var sent []string
			for _, line := range w.sent {
				_, url, _ := strings.Cut(line, " ")
				sent = append(sent, url)
			}
			if strings.Join(sent, " ") != test.sent || !slices.Equal(short(rec.RedirectChain), slices.Compact(sent)) {
				t.Errorf("sent %q, chain %q, want %s", sent, rec.RedirectChain, test.sent)
			}
			if err := rec.RedirectError(); !errors.Is(err, test.err) || rec.Status != test.status || (rec.Err == nil) != (test.want != robotsext.OutcomeUnreachable) {
				t.Errorf("status %d, error %v, redirect error %v", rec.Status, rec.Err, err)
			}
		})
	}
	onWeb(t, "ROB-FET-06/other origin", map[string][]reply{
		"/robots.txt": {redirect("http://b.example/robots.txt")}, "http://b.example/robots.txt": ok("User-agent: *\nDisallow: /x\n"),
	}, func(t *testing.T, w *web) {
		r := w.robots(robotsext.Options{})
		for _, origin := range []string{siteA, "http://b.example"} {
			wantDisallowed(t, r.Check(t.Context(), mustParse(t, origin+"/x")), 2)
		}
		w.wantSent("0 /robots.txt", "1 http://b.example/robots.txt", "2 http://b.example/robots.txt") // asked for its own
	})
	for name, to := range map[string]string{
		"no URL": "//user:secret@h.example/%zz", "another scheme": "gopher://user:secret@h.example/", "no host": "http://user:secret@h..example/",
	} {
		t.Run("ROB-FET-08/credentials, "+name, func(t *testing.T) {
			rec := recordBy(t, redirect(to))
			wantOutcome(t, rec, robotsext.OutcomeUnreachable)
			if text := fmt.Sprint(rec.Err); !strings.Contains(text, "redirect") || !strings.Contains(text, "***@h.") || strings.Contains(text, "secret") {
				t.Errorf("error %s", text)
			}
		})
	}
}
