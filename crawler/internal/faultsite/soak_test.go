package faultsite_test

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore/redistest"
	"github.com/politecrawl/politecrawl/crawler/internal/faultsite"
)

var (
	soakTime  = flag.Duration("soak", 0, "how long TestSoak crawls; 0: some seconds, and few hosts")
	soakHosts = flag.Int("soak.hosts", 0, "how many hosts TestSoak crawls; 0: as many as suit its time")
)

// soak is a long crawl of many faulty hosts, by one process or by several that share it.
type soak struct {
	t     *testing.T
	site  *faultsite.Site
	delay time.Duration
	time  time.Duration
	began time.Time

	crawlers []*member
	deaf     []span            // when responses in flight may have been lost
	disk     *smallDisk        // of the only member; nil if there is none to be had
	redis    *redistest.Server // that the members share; nil if there is one member
	late     int               // healthy responses that exceeded a time limit
	told     int               // violations that were written
}

// A member is one of the processes that crawl.
type member struct {
	cfg   crawler.Config
	crawl *life
	lived time.Time // since when
	trend *trend    // of crawl
}

// leastLife is the minimum time before a process is disrupted.
const leastLife = 2 * time.Second

// A process crawls hosts with every fault of the table, as often as the time allows. It is killed
// now and then, its disk gets full, and it resumes. At the end no URL is lost or fetched twice, the
// hosts report no violation, and the process has not grown.
func TestSoak(t *testing.T) {
	if testing.Short() {
		t.Skip("it crawls until all trials are over, and to its end")
	}
	t.Parallel()
	s := newSoak(t, 2000, 150)
	cfg := s.config()
	s.disk = newSmallDisk(t)
	if s.disk != nil {
		cfg.Output.Dir = filepath.Join(s.disk.dir, "crawl")
	}
	s.crawlers = []*member{{cfg: cfg}}
	s.run([]disruption{
		{"kill -9", 0.04, (*soak).kill},
		{"kill -9", 0.09, (*soak).kill},
		{"disk full", 0.15, (*soak).fillDisk},
		{"kill -9", 0.22, (*soak).kill},
		{"disk full", 0.30, (*soak).fillDisk},
		{"kill -9", 0.40, (*soak).kill},
	})
}

// TestSharedSoak is TestSoak for two processes that share a crawl, and lose their Redis.
func TestSharedSoak(t *testing.T) {
	if testing.Short() {
		t.Skip("it crawls until all trials are over, and to its end")
	}
	t.Parallel()
	s := newSoak(t, 500, 80)
	// What it has written survives its own end, but not that of the machine; see SHARED.md.
	s.redis = redistest.Start(t, "--appendonly", "yes", "--appendfsync", "no")
	for _, name := range []string{"one", "two"} {
		cfg := s.config()
		cfg.Output.Dir = filepath.Join(t.TempDir(), name)
		cfg.Sharing.Frontier, cfg.Sharing.CrawlName, cfg.Sharing.WorkerName = s.redis.URL(), "soak", name
		s.crawlers = append(s.crawlers, &member{cfg: cfg})
	}
	s.run([]disruption{
		{"kill -9", 0.04, (*soak).kill},
		{"Redis is lost", 0.09, (*soak).loseRedis},
		{"kill -9", 0.15, (*soak).kill},
		{"Redis is lost", 0.22, (*soak).loseRedis},
		{"kill -9", 0.30, (*soak).kill},
		{"Redis is lost", 0.40, (*soak).loseRedis},
	})
}

// newSoak opens the site, with fewer hosts if there is little time.
func newSoak(t *testing.T, hosts, few int) *soak {
	s := &soak{t: t, time: cmp.Or(*soakTime, 6*time.Second), delay: 3 * time.Second}
	if s.time < time.Minute {
		hosts, s.delay = few, 200*time.Millisecond
	}
	var err error
	s.site, err = faultsite.Start(&faultsite.Options{Hosts: spread(cmp.Or(*soakHosts, hosts)), Pages: -1, Delay: s.delay, Authority: authority})
	must(t, err)
	t.Cleanup(func() { _ = s.site.Close() }) // a second time, if all went well
	return s
}

// config says how the site is crawled.
func (s *soak) config() crawler.Config {
	cfg := quick(s.t, s.site.StartURLs()...)
	cfg.Politeness.Delay, cfg.Limits.Concurrency, cfg.Fetch.MaxBody, cfg.Output.Links, cfg.Limits.TrapPages = s.delay, 256, 64<<10, crawler.LinksNone, 0
	cfg.Fetch.Timeout, cfg.Robots.Timeout, cfg.Fetch.FirstByteTimeout, cfg.Fetch.StallTimeout = 8*time.Second, 8*time.Second, 5*time.Second, 3*time.Second
	cfg.Fetch.Retries, cfg.Robots.Retry, cfg.Sitemaps.MaxFiles = 2, 2*time.Minute, 20
	if s.time < time.Minute {
		// No shorter: if a busy site reads a request only after its client has given up, the next
		// one seems to be too soon.
		cfg.Fetch.Timeout, cfg.Robots.Timeout, cfg.Fetch.FirstByteTimeout, cfg.Fetch.StallTimeout = 6*time.Second, 6*time.Second, 5*time.Second, 3*time.Second
		cfg.Fetch.Retries = 1
	}
	return cfg
}

// run lets the crawl run for its time, disrupts it, and judges it. The disruptions end before half
// of the time, so that the rest shows whether it grows.
func (s *soak) run(trials []disruption) {
	s.began = time.Now()
	defer func() {
		for _, m := range s.crawlers {
			if m.crawl != nil {
				_ = m.crawl.cmd.Process.Kill() // it has ended if all went well
				<-m.crawl.done
			}
		}
	}()
	for i, m := range s.crawlers {
		if i > 0 {
			time.Sleep(time.Second) // the first makes the crawl that the others join
		}
		s.live(m)
	}
	s.tell("start")
	due, step := time.Duration(0), min(max(s.time/10, time.Second), time.Minute)
	for ticks := time.NewTicker(pulse); time.Since(s.began) < s.time || len(trials) > 0; <-ticks.C {
		if since := time.Since(s.began); since >= due+step {
			due = since.Truncate(step)
			s.tell(due.String())
		}
		if len(trials) > 0 && time.Since(s.began) >= time.Duration(trials[0].at*float64(s.time)) && s.settled() {
			s.t.Logf("%v: %s", time.Since(s.began).Round(time.Second), trials[0].name)
			trials[0].disrupt(s, s.crawlers[len(trials)%len(s.crawlers)])
			trials = trials[1:]
		}
		for _, m := range s.crawlers {
			select {
			case <-m.crawl.done:
				s.t.Fatalf("the crawl ended by itself: %v", m.crawl.ended())
			default:
			}
		}
	}
	s.tell("the time is over; no more pages")
	s.finish()
}

// spread is so many hosts, with every fault in turn and a sound one after every four.
func spread(n int) []faultsite.Host {
	const stride = 101 // few hosts have many kinds of faults
	all := faultsite.AllHosts()[1:]
	hosts := make([]faultsite.Host, n)
	for i := range hosts {
		if hosts[i] = all[i*stride%len(all)]; i%5 == 4 {
			hosts[i] = faultsite.Host{Kind: faultsite.Healthy}
		}
	}
	return hosts
}

// settled reports whether all processes have been crawling for a while: a new one needs its disk
// and its Redis, and ends without them.
func (s *soak) settled() bool {
	return !slices.ContainsFunc(s.crawlers, func(m *member) bool {
		return time.Since(m.lived) < leastLife || m.crawl.vitals().Goroutines == 0
	})
}

// live starts a process that crawls, or resumes it.
func (s *soak) live(m *member) {
	m.lived, m.trend = time.Now(), new(trend)
	m.crawl = live(s.t, m.cfg, func(v *vitals) { m.trend.add(time.Since(s.began), v) })
}

// finish lets the crawl come to its end, and judges it.
func (s *soak) finish() {
	for _, m := range s.crawlers {
		m.trend.end()
	}
	s.site.StopChains()
	over := time.After(s.time/2 + 5*time.Minute)
	for _, m := range s.crawlers {
		for ended := false; !ended; {
			select {
			case <-m.crawl.done:
				ended = true
			case <-time.After(patience / 6):
				s.tell("not yet at its end")
			case <-over:
				s.t.Fatalf("the crawl does not come to its end: %+v", m.crawl.vitals())
			}
		}
		must(s.t, m.crawl.ended())
		if v := m.crawl.vitals(); v.End != crawler.EndDeferred && v.End != crawler.EndFinished {
			s.t.Errorf("the crawl ended: %s", v.End)
		}
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
	if rep.ViolationCount > len(rep.Violations) || rep.Disallowed > 0 {
		s.t.Errorf("%d violations, %d disallowed requests", rep.ViolationCount, rep.Disallowed)
	}
	s.t.Logf("faults survived: %s", survived(rep.Faults))
	s.checkFiles()
	for _, m := range s.crawlers {
		s.leaks(m.crawl.vitals())
		if s.time >= leastTrend {
			m.trend.judge(s.t)
		}
	}
}

// leastTrend is the shortest time in which a crawl on a busy machine knows all of two thousand
// hosts, so that memory taken later is growth.
const leastTrend = 10 * time.Minute

// leaks checks that a finished crawl leaves nothing behind, and never took more than it may.
func (s *soak) leaks(v vitals) {
	const peak = 640 << 20
	if v.Goroutines > maxLeft || v.Descriptors > maxLeft || v.Peak > peak {
		s.t.Errorf("at its end the crawl has %d goroutines and %d descriptors (limit %d), and took %d MiB at the most (limit %d)",
			v.Goroutines, v.Descriptors, maxLeft, v.Peak>>20, peak>>20)
	}
}

// tell writes the state of the crawl.
func (s *soak) tell(when string) {
	rep, faults := s.site.Report(), 0
	for _, n := range rep.Faults {
		faults += n
	}
	s.t.Logf("%s: %d requests, %d faults of %d kinds, %d disallowed, %d violations", when, rep.Requests, faults, len(rep.Faults), rep.Disallowed, rep.ViolationCount)
	for _, v := range rep.Violations[s.told:] {
		s.t.Logf("  violation: %v (the answer before it ended at %v, status %d; it may have gone unheard: %v)", v, v.Earlier.End.Sub(s.began), v.Earlier.Status, s.unheard(v))
	}
	s.told = len(rep.Violations)
	for _, m := range s.crawlers {
		v := m.crawl.vitals()
		s.t.Logf("  process %d: %d pages, %d URLs wait; heap %d MiB, RSS %d MiB (at most %d), %d goroutines, %d descriptors",
			m.crawl.cmd.Process.Pid, v.Pages, v.Left, v.Heap>>20, v.RSS>>20, v.Peak>>20, v.Goroutines, v.Descriptors)
	}
}

// survived lists how often each fault occurred.
func survived(faults map[string]int) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(faults)) {
		fmt.Fprintf(&b, "%s %d, ", name, faults[name])
	}
	return strings.TrimSuffix(b.String(), ", ")
}
