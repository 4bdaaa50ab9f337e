package robotsext_test

import (
	"errors"
	"fmt"
	"net/http"
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
	t.Run("ROB-FET-05/five", func(t *testing.T) {
		rec := fetched(t, chain(t, 5, text(private)))
		wantOutcome(t, rec, robotsext.OutcomeRules)
		if len(rec.RedirectChain) != 6 {
			t.Errorf("chain %q, want 6 URLs", rec.RedirectChain)
		}
	})
	t.Run("ROB-FET-05/six", func(t *testing.T) {
		s := chain(t, 6, text(private))
		rec := fetched(t, s)
		wantOutcome(t, rec, robotsext.OutcomeAllowAll)
		if err := rec.RedirectError(); !errors.Is(err, robotsext.ErrTooManyRedirects) {
			t.Errorf("redirect error %v", err)
		}
		if n := len(s.asked()); n != 6 {
			t.Errorf("%d requests, want 6", n)
		}
	})
	t.Run("ROB-FET-06/other origin", func(t *testing.T) {
		target := newSite(t, text("User-agent: *\nDisallow: /x\n"))
		s := newSite(t, http.RedirectHandler(target.URL+"/robots.txt", http.StatusFound).ServeHTTP)
		r := newRobots(t, nil)
		wantDisallowed(t, r.Check(t.Context(), s.url("/x")), 2)
		target.wantAsked(t, robotsLine)
		wantDisallowed(t, r.Check(t.Context(), target.url("/x")), 2)
		target.wantAsked(t, robotsLine, robotsLine) // asked for its own
	})
	t.Run("ROB-FET-07/loop", func(t *testing.T) {
		s := newSite(t, http.RedirectHandler("/robots.txt", http.StatusFound).ServeHTTP)
		wantOutcome(t, fetched(t, s), robotsext.OutcomeAllowAll)
		if n := len(s.asked()); n > 6 {
			t.Errorf("%d requests", n)
		}
	})
	t.Run("ROB-FET-07/loop of two", func(t *testing.T) {
		s := newSite(t, http.RedirectHandler("/to?/robots.txt", http.StatusFound).ServeHTTP)
		rec := fetched(t, s)
		wantOutcome(t, rec, robotsext.OutcomeAllowAll)
		if err := rec.RedirectError(); !errors.Is(err, robotsext.ErrRedirectLoop) {
			t.Errorf("redirect error %v", err)
		}
		s.wantAsked(t, robotsLine, "GET /to?/robots.txt")
	})
	for _, code := range []int{300, 301, 302, 303, 307, 308, 399} {
		t.Run(fmt.Sprintf("ROB-FET-08/%d", code), func(t *testing.T) {
			s := newSite(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Location", "r.txt#x")
				w.WriteHeader(code)
			})
			wantOutcome(t, fetched(t, s), robotsext.OutcomeRules)
			s.wantAsked(t, robotsLine, "GET /r.txt")
		})
	}
	t.Run("ROB-FET-08/credentials", func(t *testing.T) {
		s := newSite(t, func(w http.ResponseWriter, req *http.Request) {
			w.Header().Set("Location", "http://user:secret@"+req.Host+"/r.txt")
			w.WriteHeader(301)
		})
		wantOutcome(t, fetched(t, s), robotsext.OutcomeRules)
		if v := s.seen[1].Header.Get("Authorization"); v != "" {
			t.Errorf("Authorization: %s", v)
		}
	})
	for name, to := range map[string]string{
		"no URL": "//user:secret@h.example/%zz", "another scheme": "gopher://user:secret@h.example/", "no host": "http://user:secret@h..example/",
	} {
		t.Run("ROB-FET-08/credentials, "+name, func(t *testing.T) {
			rec := recordBy(t, reply{status: 302, header: http.Header{"Location": {to}}})
			wantOutcome(t, rec, robotsext.OutcomeUnreachable)
			if text := fmt.Sprint(rec.Err); !strings.Contains(text, "redirect") || !strings.Contains(text, "***@h.") || strings.Contains(text, "secret") {
				t.Errorf("error %s", text)
			}
		})
	}
	t.Run("ROB-FET-09/into a disallowed path", func(t *testing.T) {
		s := chain(t, 1, text(private))
		wantOutcome(t, fetched(t, s), robotsext.OutcomeRules)
		s.wantAsked(t, robotsLine, "GET /private/0")
	})
	t.Run("ROB-FET-10/404 at the end", func(t *testing.T) {
		rec := fetched(t, chain(t, 2, status(404)))
		wantOutcome(t, rec, robotsext.OutcomeAllowAll)
		if err := rec.RedirectError(); err != nil {
			t.Errorf("redirect error %v", err)
		}
	})
	t.Run("ROB-FET-10/500 at the end", func(t *testing.T) {
		rec := fetched(t, chain(t, 2, status(500)))
		wantOutcome(t, rec, robotsext.OutcomeUnreachable)
		if rec.Status != 500 {
			t.Errorf("status %d", rec.Status)
		}
	})
	t.Run("ROB-FET-10/dead end", func(t *testing.T) {
		s := newSite(t, http.RedirectHandler("http://127.0.0.1:1/", http.StatusFound).ServeHTTP)
		rec := fetched(t, s)
		wantOutcome(t, rec, robotsext.OutcomeUnreachable)
		if rec.Status != 0 || rec.Err == nil {
			t.Errorf("status %d, error %v", rec.Status, rec.Err)
		}
	})
	t.Run("ROB-FET-11/refresh", func(t *testing.T) {
		s := newSite(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Refresh", "0; url=/other.txt")
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, `<meta http-equiv="refresh" content="0; url=/other.txt">`+"\n"+private)
		})
		wantOutcome(t, fetched(t, s), robotsext.OutcomeRules)
		s.wantAsked(t, robotsLine)
	})
}
