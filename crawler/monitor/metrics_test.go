package monitor

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/doctest"
	"github.com/politecrawl/politecrawl/crawler/internal/monitortest"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// newTestWatch returns a watcher of a crawl that has started and was read once.
func newTestWatch(f *monitortest.Crawl) *watcher {
	w := newWatcher("")
	w.begin(f)
	w.refresh(true)
	return w
}

func TestMetrics(t *testing.T) {
	began := time.Unix(1_700_000_000, 0)
	server, crawl := serve(t, nil)
	crawl.Change(func(s *monitortest.State) {
		s.Status = crawler.Status{
			Summary:  crawler.Summary{Pages: 3, Hosts: 2, Waiting: []string{"http://h"}, StartedAt: began, NextDue: began.Add(time.Second)},
			Frontier: frontier.Stats{Counts: frontier.Counts{URLs: 15, Pending: 1, Scheduled: 2, InFlight: 3, Done: 4, Dropped: 5}, Hosts: 2},
			Paused:   true,
		}
	})
	w := server.watch
	w.refresh(true)
	err := w.Write(&output.Results{
		Pages: []*output.Page{
			{URL: "http://h/", Status: 200, Bytes: 1000, DurationMS: 20},
			{URL: "http://h/a", Status: 200, Bytes: 500, DurationMS: 2000, DuplicateOf: "http://h/"},
			{URL: "http://h/b", Status: 799, Unchanged: true},
		},
		Rejected:    []*output.Rejection{{Reason: output.Disallowed}, {Reason: "made up"}, {Reason: output.OutOfScope, WasProvisional: true}},
		Provisional: []*output.Rejection{{Reason: output.OutOfScope}, {Reason: output.Nofollow}},
		Robots:      []*output.Robots{{Outcome: "rules"}, {Outcome: "unreachable", RetryAt: began}, {Outcome: "unreachable", RetryAt: began}, {Outcome: "unreachable"}},
		Sitemaps:    []*output.Sitemap{{Status: 200}, {Status: 404}, {}},
		Entries:     []*output.Entry{{}, {}},
		Checks:      []*output.Check{{Result: output.CheckOK}, {Result: output.CheckBroken}, {Result: output.CheckBroken}},
	})
	if err != nil {
		t.Fatal(err)
	}
	const want = `
checks_total{result="broken"} 2
checks_total{result="ok"} 1
checks_total{result="redirected"} 0
checks_total{result="unverified"} 0
duplicate_pages_total 1
event_streams 0
frontier_urls{state="done"} 4
frontier_urls{state="dropped"} 5
frontier_urls{state="leased"} 3
frontier_urls{state="pending"} 1
frontier_urls{state="scheduled"} 2
healthy 1
hosts 2
in_flight_urls 3
next_due_timestamp_seconds 1.700000001e+09
page_bytes_total 1500
page_fetch_duration_seconds_bucket{le="0.01"} 1
page_fetch_duration_seconds_bucket{le="0.025"} 2
page_fetch_duration_seconds_bucket{le="0.05"} 2
page_fetch_duration_seconds_bucket{le="0.1"} 2
page_fetch_duration_seconds_bucket{le="0.25"} 2
page_fetch_duration_seconds_bucket{le="0.5"} 2
page_fetch_duration_seconds_bucket{le="1"} 2
page_fetch_duration_seconds_bucket{le="2.5"} 3
page_fetch_duration_seconds_bucket{le="5"} 3
page_fetch_duration_seconds_bucket{le="10"} 3
page_fetch_duration_seconds_bucket{le="30"} 3
page_fetch_duration_seconds_bucket{le="60"} 3
page_fetch_duration_seconds_bucket{le="+Inf"} 3
page_fetch_duration_seconds_sum 2.02
page_fetch_duration_seconds_count 3
pages_total{status="200"} 2
pages_total{status="other"} 1
paused 1
rejected_total{reason="disallowed"} 1
rejected_total{reason="nofollow"} 1
rejected_total{reason="other"} 1
rejected_total{reason="out-of-scope"} 1
robots_fetches_total{outcome="allow-all"} 0
robots_fetches_total{outcome="blocked-address"} 1
robots_fetches_total{outcome="rules"} 1
robots_fetches_total{outcome="unreachable"} 2
sitemap_entries_total 2
sitemaps_total{result="failed"} 2
sitemaps_total{result="read"} 1
start_timestamp_seconds 1.7e+09
unchanged_pages_total 1
waiting_hosts 1
`
	got := "\n"
	for line := range strings.Lines(get(t, server.URL()+"metrics").body) {
		line, ours := strings.CutPrefix(line, "politecrawl_")
		name, _, _ := strings.Cut(line, "{")
		name, _, _ = strings.Cut(name, " ")
		if ours && name != "build_info" && name != "last_progress_timestamp_seconds" && (name != "rejected_total" || !strings.HasSuffix(line, " 0\n")) {
			got += line
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	problems, err := testutil.GatherAndLint(w.metrics.registry)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("Prometheus's linter: %s: %s", p.Metric, p.Text)
	}
}

// TestMetricsBeforeTheCrawl: metrics exist before the crawl, and the linter reports errors.
func TestMetricsBeforeTheCrawl(t *testing.T) {
	w := newWatcher("")
	if n, err := testutil.GatherAndCount(w.metrics.registry, "politecrawl_build_info", "politecrawl_event_streams", "go_goroutines", "process_start_time_seconds"); err != nil || n != 4 {
		t.Errorf("%d metrics, %v", n, err)
	}
	w.metrics.registry.MustRegister(prometheus.NewCounter(prometheus.CounterOpts{Name: "politecrawl_badName"}))
	if problems, err := testutil.GatherAndLint(w.metrics.registry); err != nil || len(problems) == 0 {
		t.Errorf("nothing to say against a bad name: %v", err)
	}
}

// TestEveryReasonHasALabel: no reason of package output is counted as other.
func TestEveryReasonHasALabel(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", "output", "output.go"), nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if kind, ok := spec.Type.(*ast.Ident); ok && kind.Name == "Reason" {
			all = append(all, strings.Trim(spec.Values[0].(*ast.BasicLit).Value, `"`))
		}
		return false
	})
	slices.Sort(all)
	if diff := cmp.Diff(all, slices.Sorted(slices.Values(reasons))); diff != "" {
		t.Errorf("reasons (-output +labels):\n%s", diff)
	}
}

// hostile has results that hostile sites can cause.
func hostile(r *rand.Rand, n int) *output.Results {
	odd := func() string { return fmt.Sprintf("http://h%d.example/%x\xff\u202e<script>", r.Uint64(), r.Uint64()) }
	now := time.Now()
	f := &output.Results{}
	for range n {
		f.Pages = append(f.Pages, &output.Page{URL: odd(), Title: odd(), Location: odd(), Status: int(r.Int32()) - 1<<30, Bytes: int(r.Int32()), DurationMS: r.Int64(), FetchedAt: now})
		f.Rejected = append(f.Rejected, &output.Rejection{URL: odd(), Reason: output.Reason(odd()), Rule: odd(), Detail: odd()})
		f.Provisional = append(f.Provisional, &output.Rejection{URL: odd(), Reason: output.Reason(odd()), Detail: odd()})
		f.Robots = append(f.Robots, &output.Robots{Origin: odd(), Outcome: odd(), Error: odd(), URL: odd(), FetchedAt: now})
		f.Sitemaps = append(f.Sitemaps, &output.Sitemap{URL: odd(), Status: r.Int(), Detail: odd()})
	}
	return f
}

// TestNothingGrows: after more than a day of a fast crawl with unique values, neither series nor
// memory have grown.
func TestNothingGrows(t *testing.T) {
	if testing.Short() {
		t.Skip("it feeds more than a day's worth of a crawl")
	}
	w := newTestWatch(new(monitortest.Crawl))
	r := rand.New(rand.NewPCG(1, 2)) // the same each time
	measure := func() (series int, bytes uint64) {
		families, err := w.metrics.registry.Gather()
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range families {
			series += len(f.GetMetric())
		}
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return series, m.HeapAlloc
	}
	feed := func(times int) {
		for range times {
			if err := w.Write(hostile(r, 256)); err != nil {
				t.Fatal(err)
			}
			w.refresh(true)
		}
	}
	feed(8)
	for status := range 1000 { // all that HTTP knows has its series
		if err := w.Write(&output.Results{Pages: []*output.Page{{URL: "http://h/", Status: status}}}); err != nil {
			t.Fatal(err)
		}
	}
	series, bytes := measure()
	feed(40)
	seriesNow, bytesNow := measure()
	if seriesNow != series || series > 250 {
		t.Errorf("%d series, and later %d", series, seriesNow)
	}
	if bytesNow > bytes+1<<20 {
		t.Errorf("%d bytes are kept, and later %d", bytes, bytesNow)
	}
	t.Logf("%d series, %d kB", series, bytes>>10)

	// What does come twice costs less to make, so there can be much more of it.
	usual := hostile(r, 256)
	for range 1000 { // a million, of four kinds
		w.metrics.found(usual)
	}
	if seriesNow, _ := measure(); seriesNow != series {
		t.Errorf("%d series, and later %d", series, seriesNow)
	}
}

// TestMetricsAreDocumented holds that METRICS.md has each metric.
func TestMetricsAreDocumented(t *testing.T) {
	w := newTestWatch(monitortest.New(crawler.Status{Summary: crawler.Summary{NextDue: time.Unix(1, 0)}}))
	families, err := w.metrics.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	table.WriteString("\n| metric | type | labels | |\n|---|---|---|---|\n")
	for _, f := range families {
		if !strings.HasPrefix(f.GetName(), "politecrawl_") {
			continue
		}
		var labels []string
		for _, l := range f.GetMetric()[0].GetLabel() {
			labels = append(labels, "`"+l.GetName()+"`")
		}
		_, _ = fmt.Fprintf(&table, "| `%s` | %s | %s | %s |\n", f.GetName(), strings.ToLower(f.GetType().String()), strings.Join(labels, " "), f.GetHelp())
	}
	doctest.Section(t, "METRICS.md", "<!-- metrics -->", "<!-- end -->", table.String())
}
