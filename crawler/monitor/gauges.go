package monitor

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// gauges export the latest status, which is at most a second old. Scraping costs the crawl
// nothing.
type gauges struct{ *watcher }

// Describe implements prometheus.Collector. It describes nothing, since some gauges are absent at times.
func (*gauges) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (g *gauges) Collect(metrics chan<- prometheus.Metric) {
	gauge := func(name string, v float64, help string, labels prometheus.Labels) {
		metrics <- prometheus.MustNewConstMetric(prometheus.NewDesc("politecrawl_"+name, help, nil, labels), prometheus.GaugeValue, v)
	}
	healthy := boolean(g.well(time.Now()) == nil)
	g.mu.Lock()
	s, viewers, moved := g.status, g.viewers, g.health.progressAt
	g.mu.Unlock()
	gauge("event_streams", float64(viewers), "Viewers of the live page.", nil)
	gauge("healthy", healthy, "1 while /healthz reports that the crawl is healthy, else 0.", nil)
	if s == nil {
		return // not started
	}
	for state, n := range map[string]int{
		"pending": s.Frontier.Pending, "scheduled": s.Frontier.Scheduled, "leased": s.Frontier.InFlight,
		"done": s.Frontier.Done, "dropped": s.Frontier.Dropped,
	} {
		gauge("frontier_urls", float64(n), "URLs in the frontier, by state.", prometheus.Labels{"state": state})
	}
	gauge("hosts", float64(s.Hosts), "Hosts with URLs in the frontier.", nil)
	gauge("waiting_hosts", float64(len(s.Waiting)), "Hosts with remaining URLs whose robots.txt cannot be reached.", nil)
	gauge("in_flight_urls", float64(s.Frontier.InFlight), "URLs that are being fetched.", nil)
	gauge("paused", boolean(s.Paused), "1 while the crawl is paused, else 0.", nil)
	gauge("start_timestamp_seconds", unix(s.StartedAt), "Start time of this run, as Unix time.", nil)
	gauge("last_progress_timestamp_seconds", unix(moved), "Time of the last progress, or of the last check while the crawl was idle, as Unix time.", nil)
	if !s.NextDue.IsZero() {
		gauge("next_due_timestamp_seconds", unix(s.NextDue), "Time when the next URL can be fetched, as Unix time; absent when none waits.", nil)
	}
}

func boolean(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func unix(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }
