package robotsext_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

func TestNew(t *testing.T) {
	tests := []struct {
		name  string
		agent string
		opts  robotsext.Options
		want  string // in the error
	}{
		{"ROB-UA-10/ok", agent, robotsext.Options{}, ""},
		{"ROB-UA-10/token with version", agent, robotsext.Options{Tokens: []string{"Foobot/2.1"}}, "Foobot/2.1"},
		{"ROB-UA-10/empty token", agent, robotsext.Options{Tokens: []string{""}}, "token"},
		{"ROB-UA-10/token of two words", agent, robotsext.Options{Tokens: []string{"Foo Bar"}}, "Foo Bar"},
		{"ROB-UA-10/token not ASCII", agent, robotsext.Options{Tokens: []string{"ツ"}}, "ツ"},
		{"ROB-UA-10/no tokens", agent, robotsext.Options{Tokens: []string{}}, "empty"},
		{"ROB-UA-10/no name", "", robotsext.Options{}, "user agent"},
		{"ROB-UA-10/number", "1.0", robotsext.Options{}, "user agent"},
		{"ROB-UA-11/digits", "MJ12bot/1.0", robotsext.Options{Tokens: []string{"MJ12bot"}}, ""},
		{"ROB-UA-15/other characters", "b\u00f6t/1.0", robotsext.Options{}, "user agent"},
		{"ROB-UA-14/compatible", "Mozilla/5.0 (compatible; ExampleBot/0.1; https://www.example.com/bot.html)", robotsext.Options{}, ""},
		{"line end", "bot/1.0\r\nX: y", robotsext.Options{}, "header"},
		{"timeout", agent, robotsext.Options{Fetch: robotsext.FetchOptions{Timeout: -1}}, "Timeout"},
		{"retries", agent, robotsext.Options{Outage: robotsext.OutageOptions{RetryMin: time.Hour, RetryMax: time.Minute}}, "RetryMin"},
		{"lifetimes", agent, robotsext.Options{Cache: robotsext.CacheOptions{MinAge: 25 * time.Hour}}, "MinAge"},
		{"limits", agent, robotsext.Options{Cache: robotsext.CacheOptions{MaxRecords: -1}}, "negative"},
		{"body limit", agent, robotsext.Options{Parse: &robotstxt.Options{MaxBytes: -1}}, "MaxBytes"},
		{"profile", agent, robotsext.Options{Outage: robotsext.OutageOptions{Profile: 9}}, "Outage"},
		{"sitemap policy", agent, robotsext.Options{Sitemaps: robotsext.SitemapOptions{Policy: 9}}, "Sitemaps.Policy"},
		{"sitemap timeout", agent, robotsext.Options{Sitemaps: robotsext.SitemapOptions{Timeout: -1}}, "Sitemaps.Timeout"},
		{"fetcher", agent, robotsext.Options{Fetch: robotsext.FetchOptions{Schemes: map[string]robotsext.Fetcher{"gopher": nil}}}, "gopher"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := robotsext.New(test.agent, &test.opts)
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one about %q", err, test.want)
			}
		})
	}
}

func TestCheck(t *testing.T) {
	s := newSite(t, text("User-agent: *\nDisallow: /private\nDisallow: /caf%C3%A9\nDisallow: /*?secret\n"))
	r := newRobots(t, nil)
	for _, test := range []struct {
		id, path string
		line     int // of the rule that disallows; 0: allowed
	}{
		{"ROB-GEN-02", "/other", 0},
		{"ROB-GEN-05", "/private", 2},
		{"ROB-MAT-12", "/a?secret=1", 4},
		{"ROB-MAT-13", "/a#?secret", 0},
		{"ROB-MAT-14", "?secret", 4},
		{"ROB-MAT-16", "/café", 3},
		{"ROB-MAT-21/itself", "/robots.txt", 0},
		{"ROB-MAT-25", "/a/%2e%2e/private", 2},
		{"ROB-MAT-25/out of it", "/private/../a", 0},
	} {
		t.Run(test.id, func(t *testing.T) {
			err := r.Check(t.Context(), mustParse(t, s.URL+test.path))
			switch {
			case test.line == 0 && err != nil:
				t.Error(err)
			case test.line != 0:
				wantDisallowed(t, err, test.line)
			}
		})
	}
	t.Run("ROB-GEN-05/detail", func(t *testing.T) {
		u := s.url("/private/x")
		err := r.Check(t.Context(), u)
		b, ok := errors.AsType[*robotsext.BlockedError](err)
		if !ok || b.URL != u.String() || b.Group != "*" || b.Rule.Pattern != "/private" ||
			string(b.Origin) != s.URL || b.RobotsURL != s.URL+"/robots.txt" || b.Err != nil || !b.RetryAt.IsZero() {
			t.Errorf("got %+v", b)
		}
		want := fmt.Sprintf(`%s is disallowed by "Disallow: /private", line 2 of %s/robots.txt, for user agent "*"`, u, s.URL)
		if err.Error() != want {
			t.Errorf("message %s\nwant    %s", err, want)
		}
	})
	t.Run("ROB-MAT-25/URL as given", func(t *testing.T) {
		u := mustParse(t, strings.Replace(s.URL, "//", "//user:secret@", 1)+"/a/%2e%2e/private?b=/../c")
		b, _ := errors.AsType[*robotsext.BlockedError](r.Check(t.Context(), u))
		if b == nil || b.URL != u.Redacted() {
			t.Errorf("got %v, want the URL %s", b, u.Redacted())
		}
	})
	t.Run("ROB-MAT-21/before all else", func(t *testing.T) {
		dead := newSite(t, status(500))
		wantOK(t, r.Check(t.Context(), dead.url("/robots.txt")))
		dead.wantAsked(t)
	})
	t.Run("ROB-LOC-07", func(t *testing.T) {
		wantOK(t, r.Check(t.Context(), s.url("/folder/robots.txt")))
		if n := s.count("GET /folder/robots.txt"); n != 0 {
			t.Error("asked for")
		}
	})
	t.Run("ROB-LOC-11", func(t *testing.T) {
		u := s.url("/private")
		u.Scheme = "HTTP"
		wantDisallowed(t, r.Check(t.Context(), u), 2)
		disallowAll := newSite(t, text("User-agent: *\nDisallow: /"))
		wantDisallowed(t, r.Check(t.Context(), disallowAll.url("/Robots.txt")), 2)
	})
	for _, u := range []string{"gopher://h/", "mailto:a@b", "ftp://h/x", "http:///x"} {
		t.Run("ROB-LOC-12/ROB-LOC-16/"+u, func(t *testing.T) {
			err := r.Check(t.Context(), mustParse(t, u))
			if !errors.Is(err, robotsext.ErrUnsupportedScheme) && !errors.Is(err, robotsext.ErrInvalidHost) && !errors.Is(err, robotsext.ErrUncheckable) {
				t.Errorf("error %v", err)
			}
		})
	}
}

// A crawler obeys the group of its whole name, and never that of its leading letters.
func TestIdentity(t *testing.T) {
	robots := "User-agent: *\nDisallow: /all\n"
	paths := []string{"/all"}
	for _, name := range []string{"a", "b", "h", "h3bot", "MJ12bot"} {
		robots += "\nUser-agent: " + name + "\nDisallow: /of-" + name + "$\n"
		paths = append(paths, "/of-"+name)
	}
	s := newSite(t, text(robots))
	for _, test := range []struct {
		id      string
		agent   string
		opts    robotsext.Options
		blocked string // the only path that is
	}{
		{"ROB-UA-04/first that has a group", agent, robotsext.Options{Tokens: []string{"c", "b", "a"}}, "/of-b"},
		{"ROB-UA-04/most specific", agent, robotsext.Options{Tokens: []string{"a", "b"}}, "/of-a"},
		{"ROB-UA-06", agent, robotsext.Options{Tokens: []string{"c"}}, "/all"},
		{"ROB-UA-09/named", agent, robotsext.Options{Tokens: []string{"c", "a"}, IgnoreWildcardGroup: true}, "/of-a"},
		{"ROB-UA-09/not named", agent, robotsext.Options{Tokens: []string{"c"}, IgnoreWildcardGroup: true}, ""},
		{"ROB-UA-11", agent, robotsext.Options{Tokens: []string{"MJ12bot"}}, "/of-MJ12bot"},
		{"ROB-UA-15/group of the name", "Mozilla/5.0 (compatible; h3bot/2; +https://example.com)", robotsext.Options{}, "/of-h3bot"},
		{"ROB-UA-15/group of the leading letters", "Mozilla/5.0 (compatible; h4bot/2; +https://example.com)", robotsext.Options{}, "/all"},
	} {
		t.Run(test.id, func(t *testing.T) {
			r, err := robotsext.New(test.agent, &test.opts)
			wantOK(t, err)
			for _, path := range paths {
				if err := r.Check(t.Context(), s.url(path)); (err != nil) != (path == test.blocked) {
					t.Errorf("%s: %v", path, err)
				}
			}
			r.CloseIdleConnections()
		})
	}
}

// An asker that leaves does not end the fetch for the others.
func TestCallerContextEndsLookupContinues(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		type key struct{}
		slow := roundTripper(func(req *http.Request) (*http.Response, error) {
			if req.Context().Value(key{}) != "first" {
				t.Error("the first asker's values are not there")
			}
			time.Sleep(10 * time.Second)
			if err := req.Context().Err(); err != nil {
				t.Errorf("the fetch was cut short: %v", err)
			}
			return robotsReply.RoundTrip(req)
		})
		r := newRobots(t, &robotsext.Options{Transport: slow})
		u := mustParse(t, "http://example.com/private")
		left := make(chan error)
		go func() {
			ctx, cancel := context.WithTimeout(context.WithValue(t.Context(), key{}, "first"), time.Second)
			defer cancel()
			left <- r.Check(ctx, u)
		}()
		synctest.Wait()
		second := make(chan error)
		go func() { second <- r.Check(t.Context(), u) }()
		if err := <-left; !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v, want the asker's own", err)
		}
		wantDisallowed(t, <-second, 2)
	})
}

func TestOnRecord(t *testing.T) {
	onWeb(t, "ten askers", map[string][]reply{"/robots.txt": {robotsReply}}, func(t *testing.T, w *web) {
		var told []*robotsext.Record
		r := w.robots(robotsext.Options{OnRecord: func(rec *robotsext.Record) {
			time.Sleep(time.Second)
			told = append(told, rec)
		}})
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() {
				rec, err := r.Record(t.Context(), rootA)
				if err != nil || len(told) != 1 || told[0] != rec {
					t.Errorf("asker has %v, %v before OnRecord: %v", rec, err, told)
				}
			})
		}
		wg.Wait()
	})
}

func TestRecordFields(t *testing.T) {
	s := newSite(t, text(private))
	clock := newClock()
	r := newRobots(t, &robotsext.Options{Now: clock.now})
	t.Run("ROB-STA-11/rules", func(t *testing.T) {
		rec := recordFor(t, r, s.url("/"))
		if string(rec.Origin) != s.URL || rec.Outcome != robotsext.OutcomeRules || rec.Status != 200 || rec.Err != nil ||
			string(rec.Body) != private || rec.Truncated || len(rec.RedirectChain) != 1 || rec.RedirectChain[0] != s.URL+"/robots.txt" ||
			!rec.FetchedAt.Equal(clock.now()) || rec.ExpiresAt.Sub(rec.FetchedAt).Round(time.Minute) != 24*time.Hour ||
			!rec.FailingSince.IsZero() || !rec.RetryAt.IsZero() {
			t.Errorf("got %+v", rec)
		}
	})
	t.Run("ROB-STA-11/unreachable", func(t *testing.T) {
		down := newSite(t, status(502))
		rec := recordFor(t, r, down.url("/"))
		if rec.Outcome != robotsext.OutcomeUnreachable || rec.Status != 502 || rec.Err == nil || rec.File != nil || rec.Failures != 1 ||
			!rec.FailingSince.Equal(clock.now()) || !rec.RetryAt.Equal(clock.now().Add(time.Minute)) {
			t.Errorf("got %+v", rec)
		}
		blocked := wantLater(t, r.Check(t.Context(), down.url("/x")))
		if want, got := fmt.Sprintf("%s/x must wait until 2026-10-01T12:01:00Z: %s/robots.txt is unreachable: status 502", down.URL, down.URL), blocked.Error(); got != want {
			t.Errorf("message %s\nwant    %s", got, want)
		}
	})
}

// Tokens returns a copy, so that callers cannot change which rules apply.
func TestTokens(t *testing.T) {
	for _, test := range []struct {
		opts robotsext.Options
		want []string
	}{
		{robotsext.Options{}, []string{"testbot"}},
		{robotsext.Options{Tokens: []string{"a", "b"}}, []string{"a", "b"}},
	} {
		r := newRobots(t, &test.opts)
		r.Tokens()[0] = "changed"
		if got := r.Tokens(); !slices.Equal(got, test.want) {
			t.Errorf("tokens %q, want %q", got, test.want)
		}
	}
}
