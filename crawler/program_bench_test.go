package crawler

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// BenchmarkProgram crawls the site of BenchmarkPeers with the program as users run it, with report,
// links and frontier, and with the peers, each in a process of its own: wget -r, a minimal colly
// program and the bare loop. They take turns. The table that it logs is in README.md; make bench-e2e
// prints it.
//
// The figures are medians over the rounds: distinct pages for each second of processor time, which
// is that of the process, seconds from start to end, and peak resident memory.
func BenchmarkProgram(b *testing.B) {
	site := startBenchSite(b, benchPages(b))
	program := filepath.Join(b.TempDir(), "politecrawl")
	if out, err := exec.CommandContext(b.Context(), "go", "build", "-o", program, "../cmd/politecrawl").CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	start := site.url + "/p/0"
	self := func(string) []string { return os.Args[:1] }
	peers := []struct {
		name string
		args func(out string) []string
		env  string // name of the peer in this binary
	}{
		{"politecrawl crawl", func(out string) []string {
			return []string{program, "crawl", start, "--output", out, "--allow-addr", "127.0.0.0/8", "--delay", "0s", "--concurrency", "4", "--per-host", "4", "--trap-pages", "0"}
		}, ""},
		{"bare loop of net/http, tokenizer and map", self, "bare"},
		{"minimal colly program", self, "colly"},
		{"wget --recursive", func(out string) []string {
			return []string{"wget", "--recursive", "--level=inf", "--quiet", "--directory-prefix", out, start}
		}, ""},
	}
	rounds := make([]struct{ rate, seconds, memory []float64 }, len(peers))
	for b.Loop() {
		for i, peer := range peers {
			out := filepath.Join(b.TempDir(), "out")
			args := peer.args(out)
			if _, err := exec.LookPath(args[0]); err != nil {
				b.Logf("%s is left out: %v", peer.name, err)
				continue
			}
			cmd := exec.CommandContext(b.Context(), args[0], args[1:]...)
			if peer.env != "" {
				cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %s %s", benchPeerEnv, peer.env, site.url, out))
			}
			began := time.Now()
			if text, err := cmd.CombinedOutput(); err != nil && args[0] != "wget" { // which ends with 8 after a 404
				b.Fatalf("%s: %v: %s", peer.name, err, text)
			}
			took := time.Since(began)
			usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
			seen := site.seen(b)
			if seen.Pages < site.pages || seen.Disallowed > 0 && args[0] != "wget" {
				b.Fatalf("%s: %d pages of %d were fetched, and %d disallowed ones", peer.name, seen.Pages, site.pages, seen.Disallowed)
			}
			cpu := time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
			r := &rounds[i]
			r.rate, r.seconds = append(r.rate, float64(seen.Pages)/cpu.Seconds()), append(r.seconds, took.Seconds())
			r.memory = append(r.memory, float64(usage.Maxrss)/1024)
		}
	}
	b.ReportMetric(0, "ns/op")
	var table strings.Builder
	fmt.Fprintf(&table, "%d pages of %d KB, %d rounds, %s/%s\n\n", site.pages, len(benchHTML(0, 1000))/1000, len(rounds[0].rate), runtime.GOOS, runtime.GOARCH)
	fmt.Fprintf(&table, "\t%-42s %11s %8s %12s\n", "", "pages/CPU-s", "seconds", "peak MiB")
	for i, peer := range peers {
		if r := &rounds[i]; len(r.rate) > 0 {
			fmt.Fprintf(&table, "\t%-42s %11.0f %8.1f %12.0f\n", peer.name, median(r.rate), median(r.seconds), median(r.memory))
		}
	}
	b.Log(table.String())
}
