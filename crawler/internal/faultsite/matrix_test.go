package faultsite_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/archive"
	"github.com/politecrawl/politecrawl/crawler/internal/faultsite"
	"github.com/politecrawl/politecrawl/crawler/internal/testserver"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/output/warc"
)

// authority is trusted by all crawls of these tests; see TestMain.
var authority *testserver.Authority

func TestMain(m *testing.M) {
	if config := os.Getenv(crawlEnv); config != "" {
		if err := crawlAsChild(config); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	log.SetOutput(io.Discard) // net/http logs there what sites send without a request
	os.Exit(func() int {
		var err error
		if authority, err = testserver.NewAuthority(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		dir, err := os.MkdirTemp("", "faultsite")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer func() { _ = os.RemoveAll(dir) }()
		file := filepath.Join(dir, "authority.pem")
		if err := os.WriteFile(file, authority.PEM(), 0o600); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		if err := os.Setenv("SSL_CERT_FILE", file); err != nil { // read when a certificate is first looked at
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return m.Run()
	}())
}

// quick is a configuration without waits, except those that a fault requires.
func quick(t *testing.T, urls ...string) crawler.Config {
	t.Helper()
	cfg := crawler.Default()
	cfg.URLs, cfg.Output.Dir = urls, filepath.Join(t.TempDir(), "crawl")
	cfg.Politeness.Delay, cfg.Politeness.ResponseFactor, cfg.Limits.Concurrency = 60*time.Millisecond, 0, 4
	cfg.Fetch.Retries, cfg.Limits.MaxWait, cfg.Robots.Retry = 0, 10*time.Second, time.Minute // a Retry-After of seconds is waited for
	cfg.Fetch.MaxBody, cfg.Fetch.AllowAddr = 4<<20, []string{"127.0.0.0/8"}
	return cfg
}

// Every fault affects every kind of response, on hosts of its own beside a healthy host. The results are as the table
// says, everything else is crawled as usual, and the hosts report no violation.
func TestMatrix(t *testing.T) {
	// Crawls that differ in their time limits, or in how they end.
	type group struct {
		endless bool
		end     crawler.End
	}
	cells := make(map[group][]faultsite.Host)
	for i, f := range faultsite.Faults() {
		kinds := slices.DeleteFunc([]faultsite.Kind{faultsite.Page, faultsite.Robots, faultsite.Sitemap}, func(k faultsite.Kind) bool {
			return f.Want(k).Outcome == ""
		})
		if testing.Short() && len(kinds) > 1 {
			kinds = kinds[i%len(kinds):][:1] // each fault affects one kind
		}
		for _, k := range kinds {
			g := group{f.Endless, crawler.EndFinished}
			if f.Want(k).Outcome == faultsite.Unreachable {
				g.end = crawler.EndDeferred
			}
			cells[g] = append(cells[g], faultsite.Host{Fault: f.Name, Kind: k})
		}
	}
	for g, hosts := range cells {
		for some := range slices.Chunk(hosts, atOnce) {
			t.Run(fmt.Sprintf("endless=%t,%s", g.endless, g.end), func(t *testing.T) {
				t.Parallel() // it mostly waits
				crawlFaults(t, some, g.endless, g.end)
			})
		}
	}
}

// atOnce is how many faulty hosts a crawl has.
const atOnce = 32

// cellTime is how long a crawl may take on a busy machine.
const cellTime = 5 * time.Minute

// crawlFaults crawls a healthy host and faulty ones, and judges the results of each.
func crawlFaults(t *testing.T, faulty []faultsite.Host, endless bool, end crawler.End) {
	cfg := quick(t)
	cfg.Limits.Concurrency = atOnce + 1
	// Only an endless response may time out: a busy machine takes its time to decode a bomb.
	cfg.Fetch.Timeout, cfg.Robots.Timeout, cfg.Fetch.FirstByteTimeout, cfg.Fetch.StallTimeout = cellTime, cellTime, cellTime, cellTime
	if endless { // everything else must be done in that time too, on a busy machine
		cfg.Fetch.Timeout, cfg.Robots.Timeout, cfg.Fetch.FirstByteTimeout, cfg.Fetch.StallTimeout = 40*time.Second, 40*time.Second, 15*time.Second, 10*time.Second
	}
	site, err := faultsite.Start(&faultsite.Options{
		Hosts: append([]faultsite.Host{{Kind: faultsite.Healthy}}, faulty...), Delay: cfg.Politeness.Delay, Authority: authority,
	})
	must(t, err)
	defer func() { _ = site.Close() }() // a second time, if all went well
	cfg.URLs = site.StartURLs()
	cfg.Output.AlsoWrite = []string{"warc"}
	c, err := crawler.New(cfg, &crawler.Options{Formats: []output.Format{warc.Format(nil)}})
	must(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), cellTime)
	defer cancel()
	defer context.AfterFunc(ctx, c.Abort)()
	sum, err := c.Run(ctx)
	if err != nil || ctx.Err() != nil {
		t.Fatalf("%v, %v: %+v", err, ctx.Err(), sum)
	}
	if sum.End != end {
		t.Errorf("the crawl ended: %s, want %s", sum.End, end)
	}
	if err := site.Close(); err != nil { // so that all is recorded
		t.Error(err)
	}
	report := site.Report()
	for _, v := range report.Violations {
		t.Errorf("violation: %v", v)
	}
	soundArchive(t, cfg.Output.Dir)
	all := &result{t: t, cfg: cfg}
	all.read()
	places := site.Places()
	for _, path := range []string{"/", "/after", "/listed"} {
		all.page(places[0].Origin+path, 200)
	}
	all.closed(places[0].Origin)
	for _, p := range places[1:] {
		t.Run(p.Fault+"/"+string(p.Kind), func(t *testing.T) {
			r := *all
			r.t, r.host = t, p.Origin
			want := faultNamed(p.Fault).Want(p.Kind)
			switch p.Kind {
			case faultsite.Page:
				r.ofPage(want)
			case faultsite.Robots:
				r.ofRobots(want)
			case faultsite.Sitemap:
				r.ofSitemap(want)
			}
			r.requests(p, report.Faults[p.Fault+" "+string(p.Kind)], want)
			if t.Failed() {
				for _, q := range report.Last {
					if q.Origin == p.Origin {
						t.Logf("%s in %v", q, q.End.Sub(q.Start))
					}
				}
			}
		})
	}
}

// soundArchive checks the WARC files of a crawl and their indexes.
func soundArchive(t *testing.T, dir string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.warc.gz"))
	must(t, err)
	records := 0
	for _, name := range names {
		n, err := archive.Check(name, func(p *archive.Problem) { t.Errorf("problem: %v", p) })
		must(t, err)
		records += n
	}
	if records == 0 {
		t.Error("there are no records")
	}
}

func faultNamed(name string) *faultsite.Fault {
	all := faultsite.Faults()
	return all[slices.IndexFunc(all, func(f *faultsite.Fault) bool { return f.Name == name })]
}

// must ends a test with an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
