package faultsite_test

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/demosite"
	"github.com/politecrawl/politecrawl/crawler/faultsite"
)

var (
	soakTime  = flag.Duration("soak", 0, "how long TestSoak crawls; 0: some seconds, and few hosts")
	soakHosts = flag.Int("soak.hosts", 0, "how many hosts TestSoak crawls; 0: as many as suit its time")
)

// A trial is something that befalls the crawl itself.
type trial struct {
	name string
	at   float64 // when, as a part of the time
	befall
}

// befall brings it about. It returns when the crawl goes on.
type befall func(s *soak)

// trials are what the crawl has to go through. They are over before half of its time is,
// so that the rest shows whether it grows.
var trials = []trial{
	{"kill -9", 0.04, (*soak).kill},
	{"kill -9", 0.09, (*soak).kill},
	{"kill -9", 0.15, (*soak).kill},
	{"kill -9", 0.22, (*soak).kill},
	{"kill -9", 0.30, (*soak).kill},
	{"kill -9", 0.40, (*soak).kill},
}

// soak is a long crawl of many faulty hosts.
type soak struct {
	t     *testing.T
	site  *faultsite.Site
	cfg   crawler.Config
	time  time.Duration
	began time.Time

	crawl *life
	lived time.Time // since when
	kills []time.Time
	trend *trend // of crawl
}

// leastLife is how long a crawl goes on, at the least, before something befalls it.
const leastLife = 2 * time.Second

// A process crawls hosts with every fault of the table, as often as the time allows. It
// is killed now and then, and goes on. At the end no URL is lost or fetched twice, the
// hosts have nothing to complain of, and the process has not grown.
func TestSoak(t *testing.T) {
	s := &soak{t: t, time: cmp.Or(*soakTime, 6*time.Second)}
	hosts, delay := cmp.Or(*soakHosts, 2000), 3*time.Second
	if s.time < time.Minute {
		hosts, delay = cmp.Or(*soakHosts, 150), 200*time.Millisecond
	}
	s.start(hosts, delay)
	defer func() {
		if s.crawl != nil {
			_ = s.crawl.cmd.Process.Kill() // it has ended if all went well
			<-s.crawl.done
		}
	}()
	s.live()
	s.tell("start")
	due, left := time.Duration(0), trials
	step := min(max(s.time/10, time.Second), time.Minute)
	for ticks := time.NewTicker(pulse); time.Since(s.began) < s.time; <-ticks.C {
		if since := time.Since(s.began); since >= due+step {
			due = since.Truncate(step)
			s.tell(due.String())
		}
		if len(left) > 0 && time.Since(s.began) >= time.Duration(left[0].at*float64(s.time)) && time.Since(s.lived) > leastLife {
			left[0].befall(s)
			left = left[1:]
		}
		select {
		case <-s.crawl.done:
			t.Fatalf("the crawl ended by itself: %v", s.crawl.fate())
		default:
		}
	}
	s.tell("the time is over; no more pages")
	s.finish()
}

// start opens the site and says how it is crawled.
func (s *soak) start(hosts int, delay time.Duration) {
	var err error
	s.site, err = faultsite.Start(&faultsite.Options{Hosts: spread(hosts), Pages: -1, Delay: delay, Authority: authority})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = s.site.Close() }) // a second time, if all went well
	s.cfg = quick(s.t, s.site.StartURLs()...)
	s.cfg.Delay, s.cfg.Workers, s.cfg.MaxBody, s.cfg.Links, s.cfg.TrapPages = delay, 256, 64<<10, false, 0
	s.cfg.Timeout, s.cfg.RobotsTimeout, s.cfg.FirstByteTimeout, s.cfg.StallTimeout = 8*time.Second, 8*time.Second, 5*time.Second, 3*time.Second
	s.cfg.Retries, s.cfg.RobotsRetry, s.cfg.MaxSitemaps = 2, 2*time.Minute, 20
	if s.time < time.Minute {
		s.cfg.Timeout, s.cfg.RobotsTimeout, s.cfg.FirstByteTimeout, s.cfg.StallTimeout = 2*time.Second, 2*time.Second, 2*time.Second, time.Second
		s.cfg.Retries = 1
	}
	s.began = time.Now()
}

// spread is so many hosts, with every fault in turn and a sound one after every four.
func spread(n int) []faultsite.Host {
	const stride = 101 // few hosts have many kinds of faults
	all := faultsite.Everything()[1:]
	hosts := make([]faultsite.Host, n)
	for i := range hosts {
		if hosts[i] = all[i*stride%len(all)]; i%5 == 4 {
			hosts[i] = faultsite.Host{Kind: faultsite.Sound}
		}
	}
	return hosts
}

// live starts the crawl, or has it go on.
func (s *soak) live() {
	s.lived, s.trend = time.Now(), new(trend)
	s.crawl = live(s.t, s.cfg, func(v *vitals) { s.trend.add(time.Since(s.began), v) })
}

// kill ends the process that crawls at any moment, and starts another.
func (s *soak) kill() {
	if err := s.crawl.cmd.Process.Kill(); err != nil {
		s.t.Fatalf("%v: %v", err, s.crawl.fate())
	}
	s.kills = append(s.kills, time.Now())
	<-s.crawl.done
	if text := s.crawl.said.String(); strings.Contains(text, "panic") {
		s.t.Fatal(lastLines(text))
	}
	s.live()
}

// finish lets the crawl come to its end, and judges it.
func (s *soak) finish() {
	s.trend.end()
	s.site.Rest()
	select {
	case <-s.crawl.done:
	case <-time.After(s.time/2 + 5*time.Minute):
		s.t.Fatalf("the crawl does not come to its end: %+v", s.crawl.vitals())
	}
	if err := s.crawl.fate(); err != nil {
		s.t.Fatal(err)
	}
	v := s.crawl.vitals()
	if v.End != crawler.EndLater && v.End != crawler.EndFinished {
		s.t.Errorf("the crawl ended: %s", v.End)
	}
	if err := s.site.Close(); err != nil {
		s.t.Error(err)
	}
	s.tell("end")
	rep := s.site.Report()
	for _, v := range rep.Violations {
		if !s.unheard(v) {
			s.t.Errorf("violation: %v", v)
		}
	}
	if rep.Found > len(rep.Violations) || rep.Disallowed > 0 {
		s.t.Errorf("%d violations, %d disallowed requests", rep.Found, rep.Disallowed)
	}
	s.t.Logf("faults survived: %s", survived(rep.Faults))
	s.books()
	if s.time >= time.Minute { // what is shorter has no trend
		s.trend.judge(s.t)
	}
}

// unheard tells whether a violation is that of a Retry-After on an answer that was on
// its way when the crawl was killed.
func (s *soak) unheard(v demosite.Violation) bool {
	return v.Kind == demosite.BeforeRetryAfter && slices.ContainsFunc(s.kills, func(at time.Time) bool {
		return at.Sub(v.Earlier.End).Abs() < time.Second/2
	})
}

// tell writes how things stand.
func (s *soak) tell(when string) {
	rep, v := s.site.Report(), s.crawl.vitals()
	faults := 0
	for _, n := range rep.Faults {
		faults += n
	}
	s.t.Logf("%s: %d requests, %d faults of %d kinds, %d disallowed, %d violations, %d kills; %d pages, %d URLs wait; heap %d MiB, RSS %d MiB (at most %d), %d goroutines, %d descriptors",
		when, rep.Requests, faults, len(rep.Faults), rep.Disallowed, rep.Found, len(s.kills),
		v.Pages, v.Left, v.Heap>>20, v.RSS>>20, v.Peak>>20, v.Goroutines, v.Descriptors)
}

// survived lists how often each fault was met with.
func survived(faults map[string]int) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(faults)) {
		fmt.Fprintf(&b, "%s %d, ", name, faults[name])
	}
	return strings.TrimSuffix(b.String(), ", ")
}
