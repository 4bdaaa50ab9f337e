package monitor

import (
	"net/http"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// other is the value of a label for all that has no value of its own: a site can
// answer with any status.
const other = "other"

// metrics are what Prometheus is told of what was found. They count what this process
// has found, from zero, as counters do. See gauges.go for what is a state, not a count.
type metrics struct {
	registry *prometheus.Registry

	pages     *prometheus.CounterVec // status
	rejected  *prometheus.CounterVec // reason
	withdrawn *prometheus.CounterVec // reason
	robots    *prometheus.CounterVec // outcome
	sitemaps  *prometheus.CounterVec // result
	bytes     prometheus.Counter
	entries   prometheus.Counter
	duplicate prometheus.Counter
	unchanged prometheus.Counter
	took      prometheus.Histogram
}

// The values of labels.
var (
	reasons = []string{
		string(output.Disallowed), string(output.RobotsUnreachable), string(output.Deferred), string(output.OutOfScope), string(output.NotAuthorized),
		string(output.Unchanged), string(output.MaxDepth), string(output.Nofollow), string(output.Failed),
		string(output.InvalidURL), string(output.TooManyRedirects), string(output.DuplicateURL), string(output.MaxHostPages),
		string(output.Trap), string(output.RepeatedSegment), string(output.TooLong), string(output.MaxHosts), string(output.MaxSitemapEntries),
		string(output.BlockedAddress),
	}
	outcomes = []string{"rules", "allow-all", unreachable, refused}
)

const (
	unreachable = "unreachable" // as an output.Robots says it
	read        = "read"
	failed      = "failed"
)

func newMetrics() *metrics {
	counter := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Namespace: "politecrawl", Name: name, Help: help})
	}
	// What is known from the beginning is there from the beginning, as zero: a rate
	// can be taken of it, and a dashboard is not empty.
	counters := func(name, help, label string, values ...string) *prometheus.CounterVec {
		vec := prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "politecrawl", Name: name, Help: help}, []string{label})
		for _, v := range values {
			vec.WithLabelValues(v)
		}
		return vec
	}
	m := &metrics{
		registry:  prometheus.NewRegistry(),
		pages:     counters("pages_total", "Pages that were fetched, by the status of the answer; other: one that HTTP does not know.", "status", "200"),
		rejected:  counters("rejected_total", "URLs that were rejected, by reason, counted when that happens.", "reason", reasons...),
		withdrawn: counters("rejections_withdrawn_total", "Of those, URLs that were fetched after all, or rejected for another reason then.", "reason", reasons...),
		robots:    counters("robots_fetches_total", "Fetches of a robots.txt, by what came of them.", "outcome", outcomes...),
		sitemaps:  counters("sitemaps_total", "Sitemap files that were asked for, by result: read, or failed.", "result", read, failed),
		bytes:     counter("page_bytes_total", "Bytes of the bodies of pages, decoded."),
		entries:   counter("sitemap_entries_total", "Pages that sitemaps list, repeated ones too."),
		duplicate: counter("duplicate_pages_total", "Pages with the body of another one."),
		unchanged: counter("unchanged_pages_total", "Pages that were fetched before and are the same."),
		took: prometheus.NewHistogram(prometheus.HistogramOpts{
			Namespace: "politecrawl", Name: "page_fetch_duration_seconds",
			Help:    "Time from the start of the request for a page to the end of its body.",
			Buckets: []float64{.01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60},
		}),
	}
	m.registry.MustRegister(
		m.pages, m.rejected, m.withdrawn, m.robots, m.sitemaps, m.bytes, m.entries, m.duplicate, m.unchanged, m.took,
		buildInfo(), collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	return m
}

// found counts what was found.
func (m *metrics) found(f *output.Found) {
	for _, p := range f.Pages {
		m.pages.WithLabelValues(statusLabel(p.Status)).Inc()
		m.bytes.Add(float64(max(p.Bytes, 0)))
		m.took.Observe((time.Duration(p.DurationMS) * time.Millisecond).Seconds())
		if p.DuplicateOf != "" {
			m.duplicate.Inc()
		}
		if p.Unchanged {
			m.unchanged.Inc()
		}
	}
	for _, r := range rejections(f) {
		m.rejected.WithLabelValues(known(string(r.Reason), reasons)).Inc()
	}
	for _, r := range f.Withdrawn {
		m.withdrawn.WithLabelValues(known(string(r.Reason), reasons)).Inc()
	}
	for _, r := range f.Robots {
		m.robots.WithLabelValues(known(outcomeOf(r), outcomes)).Inc()
	}
	for _, s := range f.Sitemaps {
		result := failed
		if s.Status/100 == 2 || s.Status == http.StatusNotModified {
			result = read
		}
		m.sitemaps.WithLabelValues(result).Inc()
	}
	m.entries.Add(float64(len(f.Entries)))
}

// rejections are the URLs that are rejected now, or skipped for now, each once.
func rejections(f *output.Found) []*output.Rejection {
	announced := func(r *output.Rejection) bool { return r.Announced }
	return slices.Concat(f.Skipped, slices.DeleteFunc(slices.Clone(f.Rejected), announced))
}

// statusLabel is the value of a label for a status.
func statusLabel(status int) string {
	if http.StatusText(status) == "" {
		return other
	}
	return strconv.Itoa(status)
}

// known returns value where it is among values.
func known(value string, values []string) string {
	if slices.Contains(values, value) {
		return value
	}
	return other
}

// buildInfo says in its labels which program this is.
func buildInfo() prometheus.Collector {
	version, revision := "unknown", "unknown"
	if info, ok := debug.ReadBuildInfo(); ok {
		version = info.Main.Version
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				revision = s.Value
			}
		}
	}
	g := prometheus.NewGauge(prometheus.GaugeOpts{
		Namespace: "politecrawl", Name: "build_info", Help: "Always 1; the labels say which program this is.",
		ConstLabels: prometheus.Labels{"version": version, "revision": revision, "goversion": runtime.Version()},
	})
	g.Set(1)
	return g
}
