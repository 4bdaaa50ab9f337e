package monitor

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/escape"
	"github.com/politecrawl/politecrawl/crawler/internal/monitortest"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/plan"
)

func TestStream(t *testing.T) {
	s, f := serve(t, nil)
	f.Change(func(s *monitortest.State) {
		s.Status = monitortest.AtWork()
		s.Status.Pages, s.Status.Rejected = 2, map[output.Reason]int{output.Disallowed: 3, output.Failed: 1}
		s.Hosts["h"] = frontier.HostRecord{Delay: time.Second, Due: time.Now().Add(time.Hour), Counts: frontier.Counts{Pending: 3, Scheduled: 2, InFlight: 1, Done: 7}}
	})
	sink, err := s.Format().Open("", nil)
	if err != nil {
		t.Fatal(err)
	}
	err = sink.Write(&output.Results{
		Pages:    []*output.Page{{URL: "http://h/1", Status: 200, Title: "one"}, {URL: "http://h/2", Status: 404, Title: "two"}},
		Rejected: []*output.Rejection{{URL: "http://h/3", Reason: output.Disallowed, Rule: "Disallow: /3", Line: 4}, {URL: "http://h/4", Reason: output.Failed, Detail: "no answer"}},
		Robots:   []*output.Robots{{Origin: "http://h", URL: "http://h/robots.txt", Outcome: "rules", Status: 200, Body: []byte("User-agent: politecrawl\nDisallow: /3\nCrawl-delay: 7\n")}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if checkpoint, err := sink.Commit(true); checkpoint != nil || err != nil {
		t.Errorf("a checkpoint %q, %v", checkpoint, err)
	}
	v := view(t, s)
	now := until(v, "status", func(o overview) bool { return o.State == running })
	if now.Pages != 2 || now.Rejected != 4 || now.Errors != 1 || now.Remaining != 10 || now.Reasons[0] != (count{"disallowed", 3}) {
		t.Errorf("now: %+v", now)
	}
	hosts := until(v, "hosts", func(rows []hostRow) bool { return len(rows) > 0 })
	if h := hosts[0]; h.Host.Text != "h" || h.Host.Href != "http://h" || h.Done != 7 || h.Waiting != 5 || h.InFlight != 1 || h.Delay != plan.Millis(time.Second) || h.Due < plan.Millis(3500*time.Second) || h.Robots != "rules" || h.Status != 404 {
		t.Errorf("hosts: %+v", h)
	}
	pages := until(v, "pages", func([]pageRow) bool { return true })
	if len(pages) != 2 || pages[0].Title != "two" || pages[1].URL.Href != "http://h/1" {
		t.Errorf("pages: %+v", pages)
	}
	rejections := until(v, "rejections", func([]rejectionRow) bool { return true })
	if len(rejections) != 2 || rejections[1].Rule != "Disallow: /3" || rejections[1].Line != 4 {
		t.Errorf("rejections: %+v", rejections)
	}
	rows := until(v, "errors", func([]errorRow) bool { return true })
	if len(rows) != 2 || rows[0].Message != "failed: no answer" || rows[1].Message != "error: status 404" {
		t.Errorf("errors: %+v", rows)
	}
	robots := until(v, "robots", func([]robotsRow) bool { return true })
	if r := robots[0]; r.Group != "politecrawl" || r.Rules != 1 || r.CrawlDelay != plan.Millis(7*time.Second) {
		t.Errorf("robots: %+v", r)
	}

	f.Pause()
	s.watch.refreshSoon()
	until(v, "status", func(o overview) bool { return o.State == pausing })
	f.Change(func(s *monitortest.State) { s.Status.Frontier.InFlight = 0 })
	s.watch.refreshSoon()
	until(v, "status", func(o overview) bool { return o.State == paused })
	s.Finish(&crawler.Summary{End: crawler.EndInterrupted, Pages: 5, Remaining: 6})
	if now := until(v, "status", func(o overview) bool { return o.State == ended }); now.Pages != 5 || now.Remaining != 6 || now.End != "interrupted" {
		t.Errorf("the last numbers: %+v", now)
	}
	until(v, "ended", func(struct{}) bool { return true })
	if e, err := v.next(); !errors.Is(err, io.EOF) {
		t.Errorf("after the end: %+v, %v", e, err)
	}
}

// TestPartsThatStay: a viewer gets only changes.
func TestPartsThatStay(t *testing.T) {
	s, f := serve(t, nil)
	f.Change(func(s *monitortest.State) { s.Status = monitortest.AtWork() })
	v := view(t, s)
	var names []string
	for n := 0; n < 4; {
		e, err := v.next()
		if err != nil {
			t.Fatal(err)
		}
		if names = append(names, e.name); e.name == "status" {
			n++
			f.Change(func(s *monitortest.State) { s.Status.Pages++ })
			s.watch.refreshSoon()
		}
	}
	for _, name := range []string{"pages", "rejections", "errors", "robots", "hosts"} {
		n := 0
		for _, got := range names {
			if got == name {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%s was sent %d times: %v", name, n, names)
		}
	}
}

func TestCloseEndsStreams(t *testing.T) {
	s, f := serve(t, nil)
	f.Change(func(s *monitortest.State) { s.Status = monitortest.AtWork() })
	v := view(t, s)
	until(v, "status", func(overview) bool { return true })
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	until(v, "ended", func(struct{}) bool { return true })
	if _, err := net.DialTimeout("tcp", strings.TrimSuffix(strings.TrimPrefix(s.URL(), "http://"), "/"), time.Second); err == nil {
		t.Error("it still listens")
	}
	if err := s.Close(); err != nil {
		t.Errorf("closed again: %v", err)
	}
}

func TestEnoughViewers(t *testing.T) {
	s, f := serve(t, nil)
	f.Change(func(s *monitortest.State) { s.Status = monitortest.AtWork() })
	var viewers []*viewer
	for range maxStreams {
		v := view(t, s)
		until(v, "status", func(overview) bool { return true })
		viewers = append(viewers, v)
	}
	got := get(t, s.URL()+"events")
	if got.status != 503 || got.header.Get("Retry-After") == "" {
		t.Errorf("one more: status %d", got.status)
	}
	if text := get(t, s.URL()+"metrics").body; !strings.Contains(text, fmt.Sprintf("politecrawl_event_streams %d", maxStreams)) {
		t.Error("the metrics do not know the viewers")
	}
	viewers[0].leave()
	for range 3000 { // until the server has noticed
		if text := get(t, s.URL()+"metrics").body; strings.Contains(text, fmt.Sprintf("politecrawl_event_streams %d", maxStreams-1)) {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	until(view(t, s), "status", func(overview) bool { return true })
}

// A way is one end of a connection without a buffer.
type way struct{ net.Conn }

func (way) Header() http.Header { return http.Header{} }
func (way) WriteHeader(int)     {}
func (way) Flush()              {}

// TestViewerWhoDoesNotRead: a viewer who does not read blocks neither the crawl nor other viewers, and is
// disconnected. What waits for it is bounded. A viewer who reads stays connected, and gets the current state.
func TestViewerWhoDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, f := newWatcher(""), monitortest.New(monitortest.AtWork())
		w.begin(f)
		began := time.Now()
		connect := func() (far net.Conn, left chan time.Duration) {
			near, far := net.Pipe()
			left = make(chan time.Duration, 1)
			go func() {
				defer func() { left <- time.Since(began) }()
				w.serveEvents(way{near}, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/events", nil))
			}()
			return far, left
		}
		_, silent := connect()
		reading, left := connect()
		var seen overview // read after synctest.Wait
		go func() {
			v := &viewer{t: t, lines: bufio.NewReader(reading)}
			for e, err := v.next(); err == nil; e, err = v.next() {
				into(t, e, "status", &seen)
			}
		}()
		synctest.Wait()
		long := strings.Repeat("x", 10*escape.MaxChars)
		for n := range 5 {
			var found output.Results
			for i := range 2 * maxRecent {
				u := fmt.Sprintf("http://h/%d/%d/%s", n, i, long[:1500])
				found.Pages = append(found.Pages, &output.Page{URL: u, Title: long, Status: 500, Location: long})
				found.Rejected = append(found.Rejected, &output.Rejection{URL: u, Reason: output.Failed, Rule: long, Detail: long})
			}
			before := time.Now()
			if err := w.Write(&found); err != nil {
				t.Fatal(err)
			}
			f.Change(func(s *monitortest.State) { s.Status.Pages = n + 1 })
			if w.refresh(false); time.Since(before) > 0 {
				t.Errorf("the crawl has waited: %v", time.Since(before))
			}
			if synctest.Wait(); seen.Pages != n+1 {
				t.Errorf("the other viewer sees %d pages, want %d", seen.Pages, n+1)
			}
			time.Sleep(eventTime / 4)
		}
		size := 0
		board, _ := w.events.since(new([parts]int))
		for _, part := range board {
			size += len(part)
		}
		if size > 1<<20 {
			t.Errorf("the board is %d bytes", size)
		}
		if took := <-silent; took != eventTime || w.viewers != 1 {
			t.Errorf("it is left after %v, %d viewers are counted", took, w.viewers)
		}
		time.Sleep(10 * eventTime)
		reading.Close()
		w.end(nil)
		<-left
	})
}

func TestRecent(t *testing.T) {
	r := recent[int]{most: 3}
	for i, want := range [][]int{{}, {1}, {2, 1}, {3, 2, 1}, {4, 3, 2}, {5, 4, 3}, {6, 5, 4}, {7, 6, 5}} {
		if i > 0 {
			r.add(i)
		}
		if got := r.list(); !slices.Equal(got, want) {
			t.Errorf("after %d: %v, want %v", i, got, want)
		}
	}
}

func TestHostsAreForgotten(t *testing.T) {
	h := hosts{known: map[string]*host{}}
	for i := range 3 * maxHosts {
		h.touch(fmt.Sprintf("http://h%d", i))
		h.touch("http://busy")
	}
	last := h.byActivity()
	if len(last) != maxHosts || last[0].origin != "http://busy" || last[1].origin != fmt.Sprintf("http://h%d", 3*maxHosts-1) {
		t.Errorf("%d hosts, the last %s and %s", len(last), last[0].origin, last[1].origin)
	}
}

func TestCounts(t *testing.T) {
	name := func(s string) string { return s }
	for _, tt := range []struct {
		in   map[string]int
		want []count
	}{
		{nil, []count{}},
		{map[string]int{"a": 1, "b": 3}, []count{{"b", 3}, {"a", 1}}},
		{map[string]int{"a": 1, "b": 3, "c": 1}, []count{{"b", 3}, {"a", 1}, {"c", 1}}},
		{map[string]int{"a": 1, "b": 3, "c": 1, "d": 2}, []count{{"b", 3}, {"d", 2}, {other, 2}}},
	} {
		if got := counts(tt.in, name, 2); !slices.Equal(got, tt.want) {
			t.Errorf("%v: %v, want %v", tt.in, got, tt.want)
		}
	}
}

func TestPace(t *testing.T) {
	var p rate
	at := time.Unix(0, 0)
	for i := range 200 {
		p.add(at.Add(time.Duration(i)*time.Second), 5*i, true)
		p.add(at.Add(time.Duration(i)*time.Second+time.Millisecond), 5*i, false)
	}
	if p.perSecond() != 5 || len(p.chart) != chartSeconds || p.chart[0] != 5 || p.chart[chartSeconds-1] != 5 || len(p.samples) > 70 {
		t.Errorf("rate %v, %d bars %v, %d samples", p.perSecond(), len(p.chart), p.chart, len(p.samples))
	}
	for i := 200; i < 240; i++ {
		p.add(at.Add(time.Duration(i)*time.Second), 1000, true)
	}
	if p.perSecond() != 0 || p.chart[chartSeconds-1] != 0 {
		t.Errorf("at rest: rate %v, the last bar %v", p.perSecond(), p.chart[chartSeconds-1])
	}
}
