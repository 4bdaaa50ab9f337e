package monitor

import (
	"math"
	"time"
)

const (
	// rateOver is the time over which the page rate is averaged.
	rateOver = 30 * time.Second

	// chartSeconds is the number of bars in the chart.
	chartSeconds = 120
)

// rate measures pages per second. The zero value is ready to use.
type rate struct {
	samples []sample // of the last rateOver
	chart   []float64
	bar     sample // start of the next bar
}

// A sample is the number of pages at a time.
type sample struct {
	at    time.Time
	pages int
}

// add records the number of pages. Each full second completes a bar of the chart.
func (p *rate) add(now time.Time, pages int, fullSecond bool) {
	s := sample{now, pages}
	p.samples = append(p.samples, s)
	for len(p.samples) > 2 && now.Sub(p.samples[1].at) >= rateOver {
		p.samples = p.samples[1:]
	}
	switch {
	case p.bar.at.IsZero():
		p.bar = s
	case fullSecond:
		p.chart = append(p.chart, rateBetween(p.bar, s))
		p.chart = p.chart[max(len(p.chart)-chartSeconds, 0):]
		p.bar = s
	}
}

// perSecond returns the recent number of pages per second.
func (p *rate) perSecond() float64 {
	if len(p.samples) == 0 {
		return 0
	}
	return rateBetween(p.samples[0], p.samples[len(p.samples)-1])
}

// rateBetween returns the pages per second between two samples, to a tenth.
func rateBetween(from, to sample) float64 {
	took := to.at.Sub(from.at).Seconds()
	if took <= 0 {
		return 0
	}
	return math.Round(float64(to.pages-from.pages)/took*10) / 10
}
