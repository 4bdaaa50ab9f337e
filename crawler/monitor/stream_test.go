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
	until(v, "status", func(o overview) bool { return o.State == pausing })
	f.Change(func(s *monitortest.State) { s.Status.Frontier.InFlight = 0 })
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
	began := time.Now()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took > closeTime {
		t.Errorf("it took %v", took)
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
	for range 100 { // until the server has noticed
		if text := get(t, s.URL()+"metrics").body; strings.Contains(text, fmt.Sprintf("politecrawl_event_streams %d", maxStreams-1)) {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	until(view(t, s), "status", func(overview) bool { return true })
}

// TestViewerWhoDoesNotRead: a viewer who does not read blocks neither the crawl nor other
// viewers, and later gets only the current state.
func TestViewerWhoDoesNotRead(t *testing.T) {
	s, f := serve(t, nil)
	f.Change(func(s *monitortest.State) { s.Status = monitortest.AtWork() })
	conn, err := net.Dial("tcp", strings.TrimSuffix(strings.TrimPrefix(s.URL(), "http://"), "/"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.(*net.TCPConn).SetReadBuffer(1 << 10)
	fmt.Fprintf(conn, "GET /events HTTP/1.1\r\nHost: %s\r\n\r\n", conn.RemoteAddr())
	v := view(t, s)
	until(v, "status", func(overview) bool { return true })

	long := strings.Repeat("x", 10*escape.MaxChars)
	n := 0
	for n = 0; n < 60; n++ { // so many times all that can be on the page: more than any buffer between the two holds
		var found output.Results
		for i := range maxRecent {
			u := fmt.Sprintf("http://h/%d/%d/%s", n, i, long[:1500])
			found.Pages = append(found.Pages, &output.Page{URL: u, Title: long, Status: 500, Location: long})
			found.Rejected = append(found.Rejected, &output.Rejection{URL: u, Reason: output.Failed, Rule: long, Detail: long})
		}
		began := time.Now()
		if err := s.watch.Write(&found); err != nil {
			t.Fatal(err)
		}
		f.Change(func(s *monitortest.State) { s.Status.Pages = n + 1 })
		s.watch.refresh(false)
		if took := time.Since(began); took > eventTime { // after which the viewer would be given up
			t.Errorf("the crawl has waited: %v", took)
		}
	}
	until(v, "status", func(o overview) bool { return o.Pages == n })
	size := 0
	board, _ := s.watch.events.since(new([parts]int))
	for _, part := range board {
		size += len(part)
	}
	if size > 1<<20 || n*size < 16<<20 {
		t.Errorf("the board is %d bytes", size)
	}
}

// A way is one end of a connection without a buffer.
type way struct{ net.Conn }

func (way) Header() http.Header { return http.Header{} }
func (way) WriteHeader(int)     {}
func (way) Flush()              {}

// TestSlowViewer: a viewer who reads stays connected, and one who does not is disconnected.
func TestSlowViewer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		defer near.Close()
		defer far.Close()
		w := newWatcher("")
		left := make(chan struct{})
		go func() {
			defer close(left)
			w.serveEvents(way{near}, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/events", nil))
		}()
		read := bufio.NewScanner(far)
		for n := range 5 {
			w.events.put([parts][]byte{partStatus: fmt.Append(nil, n)})
			for read.Text() != fmt.Sprint("data: ", n) {
				if !read.Scan() {
					t.Fatalf("it is left: %v", read.Err())
				}
			}
			time.Sleep(eventTime)
		}
		began := time.Now()
		w.events.put([parts][]byte{partStatus: []byte("more")}) // which nobody reads
		select {
		case <-left:
		case <-time.After(writeTime):
			near.Close()
			<-left
		}
		if took := time.Since(began); took != eventTime || w.viewers > 0 {
			t.Errorf("it is left after %v, %d viewers are counted", took, w.viewers)
		}
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
