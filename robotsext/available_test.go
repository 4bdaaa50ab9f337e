package robotsext_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/politecrawl/politecrawl/robotsext"
)

func TestProbeMissing(t *testing.T) {
	for _, test := range []struct {
		name    string
		probe   bool
		missing int
		home    int
		robots  int
		want    robotsext.Outcome
	}{
		{"on", true, 500, 200, 500, robotsext.AllowAll},
		{"off", false, 500, 200, 500, robotsext.Unreachable},
		{"all down", true, 500, 500, 500, robotsext.Unreachable},
		{"404 for what is missing", true, 404, 200, 500, robotsext.Unreachable},
		{"another 5xx", true, 503, 200, 500, robotsext.Unreachable},
		{"429", true, 429, 200, 429, robotsext.Unreachable},
	} {
		t.Run("ROB-STA-09/"+test.name, func(t *testing.T) {
			var paths []string
			r := newRobots(t, &robotsext.Options{Outage: robotsext.OutageOptions{ProbeMissing: test.probe}, Transport: roundTripper(func(req *http.Request) (*http.Response, error) {
				paths = append(paths, req.URL.Path)
				status := map[string]int{"/robots.txt": test.robots, "/": test.home}[req.URL.Path]
				if status == 0 {
					status = test.missing
				}
				return reply{status: status}.RoundTrip(req)
			})})
			rec, err := r.Record(context.Background(), mustParse(t, "http://example.com/"))
			if err != nil {
				t.Fatal(err)
			}
			wantOutcome(t, rec, test.want)
			if !test.probe && len(paths) != 1 {
				t.Errorf("requested %q", paths)
			}
			if test.name == "on" && (len(paths) != 3 || len(paths[1]) < 20 || paths[2] != "/") {
				t.Errorf("requested %q", paths)
			}
		})
	}
}

// A site that does not answer for what is missing is asked for no longer than for its
// robots.txt.
func TestProbeMissingHasALimit(t *testing.T) {
	t.Run("ROB-STA-09/no answer", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRobots(t, &robotsext.Options{Outage: robotsext.OutageOptions{ProbeMissing: true}, Transport: roundTripper(func(req *http.Request) (*http.Response, error) {
				if req.URL.Path == "/robots.txt" {
					return reply{status: 500}.RoundTrip(req)
				}
				<-req.Context().Done()
				return nil, req.Context().Err()
			})})
			began := time.Now()
			rec, err := r.Record(t.Context(), mustParse(t, "http://example.com/"))
			if err != nil {
				t.Fatal(err)
			}
			wantOutcome(t, rec, robotsext.Unreachable)
			if took := time.Since(began); took > time.Minute {
				t.Errorf("took %s", took)
			}
		})
	})
}

func TestAvailable(t *testing.T) {
	// More than 30 days into an outage of robots.txt: are pages answered?
	for _, test := range []struct {
		name string
		page reply
		ago  time.Duration
		want string
	}{
		{"200", reply{status: 200}, 13 * time.Hour, "A"},
		{"404", reply{status: 404}, 13 * time.Hour, "A"},
		{"500", reply{status: 500}, 13 * time.Hour, "D"},
		{"429", reply{status: 429}, 13 * time.Hour, "D"},
		{"no such host", reply{err: errors.New("no such host")}, 13 * time.Hour, "D"},
		{"long ago", reply{status: 200}, 26 * time.Hour, "D"},
	} {
		t.Run("ROB-STA-10/"+test.name, func(t *testing.T) {
			h := newHost(t, robotsext.Options{Outage: robotsext.OutageOptions{Profile: robotsext.Google}})
			h.now = robotsReply
			h.refresh()
			h.clock.advance(day)
			h.now = reply{status: 500}
			h.failFor(30 * day)
			h.pages["/page"] = test.page
			client := &http.Client{Transport: h.r.Transport(nil)}
			resp, err := client.Get("http://example.com/page") // the copy holds by now
			if err == nil {
				resp.Body.Close()
			} else if test.page.err == nil || !errors.Is(err, test.page.err) {
				t.Fatal(err)
			}
			var rec *robotsext.Record
			for waited := time.Duration(0); waited < test.ago; waited += 13 * time.Hour {
				h.clock.advance(13 * time.Hour)
				rec = h.refresh()
			}
			if got := letter(rec); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
	t.Run("ROB-STA-10/no traffic", func(t *testing.T) {
		h := newHost(t, robotsext.Options{Outage: robotsext.OutageOptions{Profile: robotsext.Google}})
		h.now = reply{status: 500}
		if got := letter(h.failFor(31 * day)); got != "D" {
			t.Errorf("got %s, want D", got)
		}
	})
}
