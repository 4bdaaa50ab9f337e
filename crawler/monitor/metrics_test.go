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
	w := newTestWatch(monitortest.New(crawler.Status{
		Summary:  crawler.Summary{Pages: 3, Hosts: 2, Waiting: []string{"http://h"}, StartedAt: began, NextDue: began.Add(time.Second)},
		Frontier: frontier.Stats{Counts: frontier.Counts{URLs: 15, Pending: 1, Scheduled: 2, InFlight: 3, Done: 4, Dropped: 5}, Hosts: 2},
		Paused:   true,
	}))
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
# HELP politecrawl_checks_total URLs that were only checked, by result.
# TYPE politecrawl_checks_total counter
politecrawl_checks_total{result="broken"} 2
politecrawl_checks_total{result="ok"} 1
politecrawl_checks_total{result="redirected"} 0
politecrawl_checks_total{result="unverified"} 0
# HELP politecrawl_duplicate_pages_total Pages with the same body as another page.
# TYPE politecrawl_duplicate_pages_total counter
politecrawl_duplicate_pages_total 1
# HELP politecrawl_frontier_urls URLs in the frontier, by state.
# TYPE politecrawl_frontier_urls gauge
politecrawl_frontier_urls{state="done"} 4
politecrawl_frontier_urls{state="dropped"} 5
politecrawl_frontier_urls{state="leased"} 3
politecrawl_frontier_urls{state="pending"} 1
politecrawl_frontier_urls{state="scheduled"} 2
# HELP politecrawl_healthy 1 while /healthz reports that the crawl is healthy, else 0.
# TYPE politecrawl_healthy gauge
politecrawl_healthy 1
# HELP politecrawl_hosts Hosts with URLs in the frontier.
# TYPE politecrawl_hosts gauge
politecrawl_hosts 2
# HELP politecrawl_in_flight_urls URLs that are being fetched.
# TYPE politecrawl_in_flight_urls gauge
politecrawl_in_flight_urls 3
# HELP politecrawl_next_due_timestamp_seconds Time when the next URL can be fetched, as Unix time; absent when none waits.
# TYPE politecrawl_next_due_timestamp_seconds gauge
politecrawl_next_due_timestamp_seconds 1.700000001e+09
# HELP politecrawl_page_bytes_total Size of page bodies, decoded.
# TYPE politecrawl_page_bytes_total counter
politecrawl_page_bytes_total 1500
# HELP politecrawl_page_fetch_duration_seconds Time from the start of a page request to the end of the body.
# TYPE politecrawl_page_fetch_duration_seconds histogram
politecrawl_page_fetch_duration_seconds_bucket{le="0.01"} 1
politecrawl_page_fetch_duration_seconds_bucket{le="0.025"} 2
politecrawl_page_fetch_duration_seconds_bucket{le="0.05"} 2
politecrawl_page_fetch_duration_seconds_bucket{le="0.1"} 2
politecrawl_page_fetch_duration_seconds_bucket{le="0.25"} 2
politecrawl_page_fetch_duration_seconds_bucket{le="0.5"} 2
politecrawl_page_fetch_duration_seconds_bucket{le="1"} 2
politecrawl_page_fetch_duration_seconds_bucket{le="2.5"} 3
politecrawl_page_fetch_duration_seconds_bucket{le="5"} 3
politecrawl_page_fetch_duration_seconds_bucket{le="10"} 3
politecrawl_page_fetch_duration_seconds_bucket{le="30"} 3
politecrawl_page_fetch_duration_seconds_bucket{le="60"} 3
politecrawl_page_fetch_duration_seconds_bucket{le="+Inf"} 3
politecrawl_page_fetch_duration_seconds_sum 2.02
politecrawl_page_fetch_duration_seconds_count 3
# HELP politecrawl_pages_total Fetched pages, by status of the response; other: an unknown status.
# TYPE politecrawl_pages_total counter
politecrawl_pages_total{status="200"} 2
politecrawl_pages_total{status="other"} 1
# HELP politecrawl_paused 1 while the crawl is paused, else 0.
# TYPE politecrawl_paused gauge
politecrawl_paused 1
# HELP politecrawl_rejected_total Skipped URLs, by reason, counted when they are skipped; another link may lead to their fetch later.
# TYPE politecrawl_rejected_total counter
politecrawl_rejected_total{reason="before-since"} 0
politecrawl_rejected_total{reason="blocked-address"} 0
politecrawl_rejected_total{reason="content-type"} 0
politecrawl_rejected_total{reason="deferred"} 0
politecrawl_rejected_total{reason="disallowed"} 1
politecrawl_rejected_total{reason="duplicate-url"} 0
politecrawl_rejected_total{reason="excluded"} 0
politecrawl_rejected_total{reason="failed"} 0
politecrawl_rejected_total{reason="invalid-url"} 0
politecrawl_rejected_total{reason="license-required"} 0
politecrawl_rejected_total{reason="max-depth"} 0
politecrawl_rejected_total{reason="max-host-pages"} 0
politecrawl_rejected_total{reason="max-hosts"} 0
politecrawl_rejected_total{reason="max-sitemap-entries"} 0
politecrawl_rejected_total{reason="nofollow"} 1
politecrawl_rejected_total{reason="not-authorized"} 0
politecrawl_rejected_total{reason="other"} 1
politecrawl_rejected_total{reason="out-of-scope"} 1
politecrawl_rejected_total{reason="payment-required"} 0
politecrawl_rejected_total{reason="repeated-segment"} 0
politecrawl_rejected_total{reason="robots-unreachable"} 0
politecrawl_rejected_total{reason="too-long"} 0
politecrawl_rejected_total{reason="too-many-redirects"} 0
politecrawl_rejected_total{reason="trap"} 0
politecrawl_rejected_total{reason="usage"} 0
# HELP politecrawl_robots_fetches_total Fetches of robots.txt files, by outcome.
# TYPE politecrawl_robots_fetches_total counter
politecrawl_robots_fetches_total{outcome="allow-all"} 0
politecrawl_robots_fetches_total{outcome="blocked-address"} 1
politecrawl_robots_fetches_total{outcome="rules"} 1
politecrawl_robots_fetches_total{outcome="unreachable"} 2
# HELP politecrawl_sitemap_entries_total Pages listed in sitemaps, including duplicates.
# TYPE politecrawl_sitemap_entries_total counter
politecrawl_sitemap_entries_total 2
# HELP politecrawl_sitemaps_total Requested sitemap files, by result: read or failed.
# TYPE politecrawl_sitemaps_total counter
politecrawl_sitemaps_total{result="failed"} 2
politecrawl_sitemaps_total{result="read"} 1
# HELP politecrawl_start_timestamp_seconds Start time of this run, as Unix time.
# TYPE politecrawl_start_timestamp_seconds gauge
politecrawl_start_timestamp_seconds 1.7e+09
# HELP politecrawl_unchanged_pages_total Pages that have not changed since the previous fetch.
# TYPE politecrawl_unchanged_pages_total counter
politecrawl_unchanged_pages_total 1
# HELP politecrawl_waiting_hosts Hosts with remaining URLs whose robots.txt cannot be reached.
# TYPE politecrawl_waiting_hosts gauge
politecrawl_waiting_hosts 1
`
	var names []string
	for line := range strings.Lines(want) {
		if name, ok := strings.CutPrefix(line, "# TYPE "); ok {
			names = append(names, strings.Fields(name)[0])
		}
	}
	if err := testutil.GatherAndCompare(w.metrics.registry, strings.NewReader(want), names...); err != nil {
		t.Error(err)
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
