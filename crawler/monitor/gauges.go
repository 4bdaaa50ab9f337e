package monitor

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// gauges export the latest status, which is at most a second old. Scraping costs the crawl
// nothing.
type gauges struct{ *watcher }

var (
	frontierURLs = describe("frontier_urls", "URLs in the frontier, by state.", "state")
	hostCount    = describe("hosts", "Hosts with URLs in the frontier.")
	waitingHosts = describe("waiting_hosts", "Hosts with remaining URLs whose robots.txt cannot be reached.")
	inFlight     = describe("in_flight_urls", "URLs that are being fetched.")
	isPaused     = describe("paused", "1 while the crawl is paused, else 0.")
	isHealthy    = describe("healthy", "1 while /healthz reports that the crawl is healthy, else 0.")
	startTime    = describe("start_timestamp_seconds", "Start time of this run, as Unix time.")
	progressTime = describe("last_progress_timestamp_seconds", "Time of the last progress, or of the last check while the crawl was idle, as Unix time.")
	nextDueTime  = describe("next_due_timestamp_seconds", "Time when the next URL can be fetched, as Unix time; absent when none waits.")
	streams      = describe("event_streams", "Viewers of the live page.")
)

func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("politecrawl_"+name, help, labels, nil)
}

// Describe implements prometheus.Collector.
func (g *gauges) Describe(descs chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		frontierURLs, hostCount, waitingHosts, inFlight, isPaused, isHealthy, startTime, progressTime, nextDueTime, streams,
	} {
		descs <- d
	}
}

// Collect implements prometheus.Collector.
func (g *gauges) Collect(metrics chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		metrics <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	healthy := boolean(g.well(time.Now()) == nil)
	g.mu.Lock()
	s, viewers, moved := g.status, g.viewers, g.health.progressAt
	g.mu.Unlock()
	gauge(streams, float64(viewers))
	gauge(isHealthy, healthy)
	if s == nil {
		return // not started
	}
	for state, n := range map[string]int{
		"pending": s.Frontier.Pending, "scheduled": s.Frontier.Scheduled, "leased": s.Frontier.InFlight,
		"done": s.Frontier.Done, "dropped": s.Frontier.Dropped,
	} {
		gauge(frontierURLs, float64(n), state)
	}
	gauge(hostCount, float64(s.Hosts))
	gauge(waitingHosts, float64(len(s.Waiting)))
	gauge(inFlight, float64(s.Frontier.InFlight))
	gauge(isPaused, boolean(s.Paused))
	gauge(startTime, unix(s.StartedAt))
	gauge(progressTime, unix(moved))
	if !s.NextDue.IsZero() {
		gauge(nextDueTime, unix(s.NextDue))
	}
}

func boolean(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func unix(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }
