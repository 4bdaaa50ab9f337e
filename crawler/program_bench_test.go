package crawler

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// BenchmarkProgram crawls each variant of the site of BenchmarkSite with the program as users run it,
// with report, links and frontier, and with its peers, each in a process of its own: the bare loop, a
// minimal colly program, and wget -r, which has no HTTP/2 and requests one page at a time. They take
// turns; colly and wget, which take the longest, crawl in the first round only. make bench-e2e prints
// the table, which is in COST.md. BENCH_BASE is the file of another build of the program to compare
// with.
//
// The figures are medians over the rounds: distinct pages for each second of processor time, which
// is that of the process; those of the crawl divided by those of the row, in the same round; seconds
// from start to end; and peak resident memory.
func BenchmarkProgram(b *testing.B) {
	program := filepath.Join(b.TempDir(), "politecrawl")
	if out, err := exec.CommandContext(b.Context(), "go", "build", "-o", program, "../cmd/politecrawl").CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	var table strings.Builder
	fmt.Fprintf(&table, "\n%s/%s\n\n\t%-8s%-42s %11s %8s %8s %10s\n", runtime.GOOS, runtime.GOARCH, "", "", "pages/CPU-s", "crawl is", "seconds", "peak MiB")
	for _, variant := range []string{"http", "15KB", "serial", "https1", "https2", "gzip", "hosts"} {
		b.Run(variant, func(b *testing.B) {
			rounds := 0
			site := startBenchSite(b, variant, benchPages(b))
			peers := benchPrograms(b, program, variant, site)
			for ; b.Loop(); rounds++ {
				for i := range peers {
					if p := &peers[i]; rounds == 0 || !p.slow {
						p.round(b, site)
						p.ratio = append(p.ratio, peers[0].rate[rounds]/p.rate[rounds])
					}
				}
			}
			b.ReportMetric(0, "ns/op")
			for _, p := range peers {
				fmt.Fprintf(&table, "\t%-8s%-42s %11.0f %7.2f× %8.1f %10.0f\n", variant, p.name, median(p.rate), median(p.ratio), median(p.seconds), median(p.memory))
			}
			fmt.Fprintf(&table, "\t%-8s%d pages, %d rounds\n\n", "", site.pages, rounds)
		})
	}
	fmt.Print(table.String()) // the log of a benchmark with sub-benchmarks is not printed
}

// A benchProgram crawls a site in its own process, into the file or directory "out".
type benchProgram struct {
	name string
	args []string
	env  string
	slow bool // it crawls in the first round only

	rate, ratio, seconds, memory []float64 // by round
}

// benchPrograms returns the programs that crawl a variant. The first is program.
func benchPrograms(b *testing.B, program, variant string, site *benchSite) []benchProgram {
	b.Helper()
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	parallel, perHost := "4", "4"
	switch variant {
	case "serial":
		parallel, perHost = "1", "1"
	case "hosts":
		parallel, perHost = strconv.Itoa(benchHosts), "1"
	}
	starts := make([]string, len(site.urls))
	for i, url := range site.urls {
		starts[i] = url + "/p/0"
	}
	crawl := slices.Concat([]string{program, "crawl", "--output", "out", "--allow-addr", "127.0.0.0/8", "--delay", "0s", "--concurrency", parallel, "--per-host", perHost, "--trap-pages", "0"}, starts)
	peer := func(name string) string {
		return benchPeerEnv + "=" + strings.Join(slices.Concat([]string{name, "out", parallel}, site.urls), " ")
	}
	programs := []benchProgram{
		{name: "politecrawl crawl", args: crawl},
		{name: "bare loop of net/http, tokenizer and map", args: []string{self}, env: peer("bare")},
		{name: "minimal colly program", args: []string{self}, env: peer("colly"), slow: true},
	}
	if base := os.Getenv("BENCH_BASE"); base != "" {
		programs = slices.Insert(programs, 1, benchProgram{name: "BENCH_BASE", args: slices.Concat([]string{base}, crawl[1:])})
	}
	if _, err := exec.LookPath("wget"); err == nil && !slices.Contains([]string{"serial", "https2", "hosts"}, variant) {
		programs = append(programs, benchProgram{name: "wget --recursive", slow: true, args: slices.Concat(
			[]string{"wget", "--recursive", "--level=inf", "--quiet", "--compression=auto", "--ca-certificate", site.trust, "--directory-prefix", "out"}, starts,
		)})
	}
	return programs
}

// round crawls the site once.
func (p *benchProgram) round(b *testing.B, site *benchSite) {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), p.args[0], p.args[1:]...)
	cmd.Dir, cmd.Env = b.TempDir(), append(os.Environ(), "SSL_CERT_FILE="+site.trust, p.env)
	wget := p.args[0] == "wget" // ends with 8 after a 404, and requests disallowed pages
	began := time.Now()
	if text, err := cmd.CombinedOutput(); err != nil && !wget {
		b.Fatalf("%s: %v: %s", p.name, err, text)
	}
	took := time.Since(began)
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	seen := site.seen(b)
	if seen.Pages < site.pages || seen.Unlike > 0 || seen.Disallowed > 0 && !wget {
		b.Fatalf("%s: of %d pages, the site has seen %+v", p.name, site.pages, seen)
	}
	cpu := time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	p.rate, p.seconds = append(p.rate, float64(seen.Pages)/cpu.Seconds()), append(p.seconds, took.Seconds())
	p.memory = append(p.memory, float64(usage.Maxrss)/1024)
}
