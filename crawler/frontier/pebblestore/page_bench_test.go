//go:build unix

package pebblestore

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/internal/loadtest"
)

// BenchmarkPage crawls one host as fast as possible: four workers lease one URL at a time, and one
// finisher ends all open leases at once. A page has 30 links, some of them new.
func BenchmarkPage(b *testing.B) {
	const links, workers, fresh = 30, 4, 5
	s, err := Open(b.TempDir(), nil)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	if err := s.UpdateHost(b.Context(), pageHost, frontier.HostUpdate{MaxInFlight: workers}); err != nil {
		b.Fatal(err)
	}
	known := 500
	seeds := make([]frontier.Item, known)
	for i := range seeds {
		seeds[i] = pageItem(i)
	}
	if _, err := s.Add(b.Context(), seeds); err != nil {
		b.Fatal(err)
	}
	// Created before, so that only the store is measured.
	rng := rand.New(rand.NewPCG(1, 2))
	pages := make([][]frontier.Item, b.N)
	for i := range pages {
		pages[i] = make([]frontier.Item, links)
		for j := range pages[i] {
			n := rng.IntN(known)
			if j < fresh {
				n, known = known, known+1
			}
			pages[i][j] = pageItem(n)
		}
	}
	type end struct {
		lease frontier.LeaseID
		page  int
	}
	ends := make(chan end, 64)
	var finishing, working sync.WaitGroup
	before := loadtest.CPU()
	b.ResetTimer()
	finishing.Go(func() {
		var outcomes []frontier.Outcome
		for e := range ends {
			outcomes = outcomes[:0]
			for more := true; more; {
				outcomes = append(outcomes, frontier.Outcome{
					Lease: e.lease, Result: frontier.Done, Links: pages[e.page], HostDelay: time.Nanosecond,
				})
				select {
				case e, more = <-ends:
				default:
					more = false
				}
			}
			if _, err := s.Finish(b.Context(), outcomes, []byte("lengths")); err != nil {
				b.Error(err)
			}
		}
	})
	next := make(chan int, b.N)
	for i := range b.N {
		next <- i
	}
	close(next)
	for range workers {
		working.Go(func() {
			for i := range next {
				got, err := s.Lease(b.Context(), frontier.LeaseRequest{Max: 1, PerHost: 1, Wait: -1})
				if err != nil {
					b.Error(err)
					return
				}
				ends <- end{got[0].ID, i}
			}
		})
	}
	working.Wait()
	close(ends)
	finishing.Wait()
	b.StopTimer()
	b.ReportMetric(float64((loadtest.CPU()-before).Nanoseconds())/1e3/float64(b.N), "cpu-µs/page")
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "pages/s")
}

const pageHost = frontier.Host("127.0.0.1:8080")

func pageItem(n int) frontier.Item {
	return frontier.Item{
		URL: fmt.Sprintf("http://%s/section/%d/article-%d.html", pageHost, n%17, n), Host: pageHost,
		Meta: []byte{1, byte(n), byte(n >> 8)},
	}
}
