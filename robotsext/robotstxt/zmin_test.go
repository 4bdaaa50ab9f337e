package robotstxt

import (
	"testing"
	"time"

	"github.com/temoto/robotstxt"
)

func minTime(n int, f func()) time.Duration {
	best := time.Hour
	for range n {
		t := time.Now()
		f()
		best = min(best, time.Since(t))
	}
	return best
}

func BenchmarkMin(b *testing.B) {
	files, size := corpus(b)
	ours := minTime(300, func() {
		for _, f := range files {
			Parse(f, nil)
		}
	})
	temoto := minTime(20, func() {
		for _, f := range files {
			_, _ = robotstxt.FromBytes(f)
		}
	})
	b.Logf("corpus %d: ours %v %.0f MB/s, temoto %v: %.1f x", size, ours, float64(size)/1e6/ours.Seconds(), temoto, float64(temoto)/float64(ours))
	body := typical()
	ours = minTime(20000, func() { Parse(body, nil) })
	temoto = minTime(2000, func() { _, _ = robotstxt.FromBytes(body) })
	b.Logf("typical: ours %v %.0f MB/s, temoto %v: %.1f x", ours, float64(len(body))/1e6/ours.Seconds(), temoto, float64(temoto)/float64(ours))
	body = honest()
	ours = minTime(300, func() { Parse(body, nil) })
	b.Logf("honest: ours %v %.0f MB/s", ours, float64(len(body))/1e6/ours.Seconds())
	body = agents(500 << 10)
	ours = minTime(300, func() { Parse(body, nil) })
	b.Logf("agents: ours %v %.0f MB/s", ours, float64(len(body))/1e6/ours.Seconds())
}
