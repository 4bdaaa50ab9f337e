package monitor

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/internal/monitortest"
	"github.com/politecrawl/politecrawl/crawler/internal/pageserver"
	"github.com/politecrawl/politecrawl/crawler/output"
)

func TestHealth(t *testing.T) {
	every := func(change func(*monitortest.State)) func(*watcher, *monitortest.Crawl) {
		return func(_ *watcher, f *monitortest.Crawl) { f.Change(change) }
	}
	for _, tt := range []struct {
		name   string
		status func(s *crawler.Status)                // of a crawl at work; nil: as it is
		every  func(w *watcher, f *monitortest.Crawl) // minute
		want   string
	}{
		{name: "at work, and nothing moves", want: "stuck"},
		{name: "at work", every: every(func(s *monitortest.State) { s.Status.Frontier.Pending--; s.Status.Frontier.Done++ })},
		{name: "at work, with pages that are tried again", every: every(func(s *monitortest.State) {
			s.Status.Frontier.Pending, s.Status.Frontier.Scheduled = s.Status.Frontier.Scheduled, s.Status.Frontier.Pending
		})},
		{name: "at work, with robots.txt files alone", every: func(w *watcher, _ *monitortest.Crawl) {
			_ = w.Write(&output.Results{Robots: []*output.Robots{{Origin: "http://h", Outcome: "unreachable"}}})
		}},
		{name: "paused", status: func(s *crawler.Status) { s.Frontier.InFlight, s.Paused = 0, true }},
		{name: "paused, and a request does not end", status: func(s *crawler.Status) { s.Paused = true }, want: "stuck"},
		{name: "waiting for a host to be due", status: func(s *crawler.Status) { s.Frontier.InFlight, s.NextDue = 0, time.Now().Add(time.Hour) }},
		{name: "due, and nobody takes it", status: func(s *crawler.Status) { s.Frontier.InFlight, s.NextDue = 0, time.Now().Add(time.Minute) }, want: "stuck"},
		{name: "silent", every: every(func(s *monitortest.State) { s.Err = errors.New("/home/me: disk gone") }), want: "does not respond"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				status := monitortest.AtWork()
				if tt.status != nil {
					tt.status(&status)
				}
				w, f, done := newWatcher(""), monitortest.New(status), make(chan struct{})
				w.begin(f)
				go w.run(done)
				defer func() { close(done); synctest.Wait() }()
				ask := func() (int, string) {
					rec := httptest.NewRecorder()
					w.serveHealth(rec, httptest.NewRequest(http.MethodGet, "/healthz", http.NoBody))
					return rec.Code, rec.Body.String()
				}
				for minute := range 13 {
					time.Sleep(time.Minute)
					synctest.Wait()
					if code, body := ask(); minute < 1 && (code != 200 || body != "ok\n") {
						t.Errorf("after a minute: %d %s", code, body)
					}
					if tt.every != nil {
						tt.every(w, f)
					}
				}
				code, body := ask()
				switch {
				case tt.want == "" && (code != 200 || body != "ok\n"):
					t.Errorf("%d %s", code, body)
				case tt.want != "" && (code != 503 || !strings.Contains(body, tt.want)):
					t.Errorf("%d %q, want 503 and %q", code, body, tt.want)
				case strings.Contains(body, "/home"):
					t.Errorf("it tells more than it should: %q", body)
				}
				w.end(&crawler.Summary{End: crawler.EndFinished})
				if code, _ := ask(); code != 200 {
					t.Errorf("ended, it is said to be unwell: %d", code)
				}
			})
		})
	}
}

// TestHealthOfAFrontierThatHangs: the health check responds even if the frontier hangs.
func TestHealthOfAFrontierThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, f, done := newWatcher(""), monitortest.New(monitortest.AtWork()), make(chan struct{})
		f.Hang = make(chan struct{})
		w.begin(f)
		go w.run(done)
		time.Sleep(responseTime + time.Second)
		if err := w.well(time.Now()); !errors.Is(err, errSilent) {
			t.Errorf("%v", err)
		}
		close(f.Hang)
		time.Sleep(2 * refreshEvery)
		synctest.Wait()
		if err := w.well(time.Now()); err != nil {
			t.Errorf("it answers again: %v", err)
		}
		close(done)
		synctest.Wait()
	})
}

func TestHealthBeforeTheCrawl(t *testing.T) {
	s, err := Listen("127.0.0.1:0", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if got := get(t, s.URL()+"healthz"); got.status != 200 {
		t.Errorf("%d %s", got.status, got.body)
	}
	if got := get(t, s.URL()+"metrics"); got.status != 200 || !strings.Contains(got.body, "politecrawl_healthy 1") || strings.Contains(got.body, "politecrawl_hosts ") {
		t.Errorf("%d %s", got.status, got.body)
	}
	if got := ask(t, "POST", s.URL()+"stop", fields(pageserver.ChangeHeader, changeOf(t, s))); got.status != 409 {
		t.Errorf("a crawl that has not begun was stopped: %d", got.status)
	}
}
