package monitor

import (
	"math"
	"time"
)

const (
	// rateOver is the time over which the rate of pages is taken.
	rateOver = 30 * time.Second

	// chartSeconds is how many bars the chart has.
	chartSeconds = 120
)

// pace is how fast pages come. The zero pace has seen none.
type pace struct {
	passed []sample // of the last rateOver
	chart  []float64
	bar    sample // where the next bar begins
}

// A sample is how many pages there were at a time.
type sample struct {
	at    time.Time
	pages int
}

// pass takes in how many pages there are. A bar of the chart ends with each full
// second.
func (p *pace) pass(now time.Time, pages int, fullSecond bool) {
	s := sample{now, pages}
	p.passed = append(p.passed, s)
	for len(p.passed) > 2 && now.Sub(p.passed[1].at) >= rateOver {
		p.passed = p.passed[1:]
	}
	switch {
	case p.bar.at.IsZero():
		p.bar = s
	case fullSecond:
		p.chart = append(p.chart, perSecond(p.bar, s))
		p.chart = p.chart[max(len(p.chart)-chartSeconds, 0):]
		p.bar = s
	}
}

// rate is the number of pages a second of late.
func (p *pace) rate() float64 {
	if len(p.passed) == 0 {
		return 0
	}
	return perSecond(p.passed[0], p.passed[len(p.passed)-1])
}

// perSecond is the number of pages a second from one sample to another, to a tenth.
func perSecond(from, to sample) float64 {
	took := to.at.Sub(from.at).Seconds()
	if took <= 0 {
		return 0
	}
	return math.Round(float64(to.pages-from.pages)/took*10) / 10
}
