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
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// other is the label value for everything unknown: a site can send any status.
const other = "other"

// metrics are the counters for Prometheus, from the start of this process. For gauges see
// gauges.go.
type metrics struct {
	registry *prometheus.Registry

	pages     *prometheus.CounterVec // status
	rejected  *prometheus.CounterVec // reason
	robots    *prometheus.CounterVec // outcome
	sitemaps  *prometheus.CounterVec // result
	checks    *prometheus.CounterVec // result
	bytes     prometheus.Counter
	entries   prometheus.Counter
	duplicate prometheus.Counter
	unchanged prometheus.Counter
	took      prometheus.Histogram
}

// The values of labels.
var (
	reasons = []string{
		string(output.Disallowed), string(output.RobotsUnreachable), string(output.Deferred), string(output.OutOfScope), string(output.Excluded), string(output.NotAuthorized),
		string(output.BeforeSince), string(output.MaxDepth), string(output.Nofollow), string(output.Failed),
		string(output.InvalidURL), string(output.TooManyRedirects), string(output.DuplicateURL), string(output.MaxHostPages),
		string(output.Trap), string(output.RepeatedSegment), string(output.TooLong), string(output.MaxHosts), string(output.MaxSitemapEntries),
		string(output.BlockedAddress), string(output.ContentType), string(output.PaymentRequired), string(output.LicenseRequired),
		string(output.Usage),
	}
	outcomes     = []string{"rules", "allow-all", unreachable, refused}
	checkResults = []string{string(output.CheckOK), string(output.CheckRedirected), string(output.CheckBroken), string(output.CheckUnverified)}
)

const (
	unreachable = "unreachable" // as an output.Robots says it
	read        = "read"
	failed      = "failed"
)

func newMetrics() *metrics {
	registry := prometheus.NewRegistry()
	registry.MustRegister(buildInfo(), collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	register := promauto.With(registry)
	counter := func(name, help string) prometheus.Counter {
		return register.NewCounter(prometheus.CounterOpts{Namespace: "politecrawl", Name: name, Help: help})
	}
	// Known label values start as zero, so that rates work and a dashboard is not empty.
	counters := func(name, help, label string, values ...string) *prometheus.CounterVec {
		vec := register.NewCounterVec(prometheus.CounterOpts{Namespace: "politecrawl", Name: name, Help: help}, []string{label})
		for _, v := range values {
			vec.WithLabelValues(v)
		}
		return vec
	}
	return &metrics{
		registry:  registry,
		pages:     counters("pages_total", "Fetched pages, by status of the response; other: an unknown status.", "status", "200"),
		rejected:  counters("rejected_total", "Skipped URLs, by reason, counted when they are skipped; another link may lead to their fetch later.", "reason", reasons...),
		robots:    counters("robots_fetches_total", "Fetches of robots.txt files, by outcome.", "outcome", outcomes...),
		sitemaps:  counters("sitemaps_total", "Requested sitemap files, by result: read or failed.", "result", read, failed),
		checks:    counters("checks_total", "URLs that were only checked, by result.", "result", checkResults...),
		bytes:     counter("page_bytes_total", "Size of page bodies, decoded."),
		entries:   counter("sitemap_entries_total", "Pages listed in sitemaps, including duplicates."),
		duplicate: counter("duplicate_pages_total", "Pages with the same body as another page."),
		unchanged: counter("unchanged_pages_total", "Pages that have not changed since the previous fetch."),
		took: register.NewHistogram(prometheus.HistogramOpts{
			Namespace: "politecrawl", Name: "page_fetch_duration_seconds",
			Help:    "Time from the start of a page request to the end of the body.",
			Buckets: []float64{.01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60},
		}),
	}
}

// found updates the counters.
func (m *metrics) found(f *output.Results) {
	for _, p := range f.Pages {
		m.pages.WithLabelValues(statusLabel(p.Status)).Inc()
		m.bytes.Add(float64(max(p.BytesRead(), 0)))
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
	for _, c := range f.Checks {
		m.checks.WithLabelValues(known(string(c.Result), checkResults)).Inc()
	}
}

// rejections returns the URLs that are rejected now, or skipped for now, each once.
func rejections(f *output.Results) []*output.Rejection {
	announced := func(r *output.Rejection) bool { return r.WasProvisional }
	return slices.Concat(f.Provisional, slices.DeleteFunc(slices.Clone(f.Rejected), announced))
}

// statusLabel returns the label value for a status.
func statusLabel(status int) string {
	if http.StatusText(status) == "" {
		return other
	}
	return strconv.Itoa(status)
}

// known returns value if it is in values, else other.
func known(value string, values []string) string {
	if slices.Contains(values, value) {
		return value
	}
	return other
}

// buildInfo exports version, revision and Go version as labels.
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
		Namespace: "politecrawl", Name: "build_info", Help: "Always 1; labels have the version of the program.",
		ConstLabels: prometheus.Labels{"version": version, "revision": revision, "goversion": runtime.Version()},
	})
	g.Set(1)
	return g
}
