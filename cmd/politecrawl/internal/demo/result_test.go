package demo

import (
	"errors"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/runner"
	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/demosite"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/plan"
)

// TestDemoPortRefused holds that a port which may not be used is not said to be
// taken. Whether there is such a port depends on who runs the test.
func TestDemoPortRefused(t *testing.T) {
	refused := &net.OpError{Op: "listen", Net: "tcp", Err: os.NewSyscallError("bind", syscall.EACCES)}
	for _, tt := range []struct {
		port int
		code int
		want string
	}{
		{80, cli.ExitMisuse, "--port: listen tcp: bind: permission denied; choose a port from 1024 up, or 0 for any free one"},
		{0, cli.ExitFailed, "cannot serve the site: listen tcp: bind: permission denied"},
	} {
		err := (&demo{port: tt.port}).unserved(refused)
		if e, ok := errors.AsType[*cli.ExitError](err); !ok || e.Code != tt.code || err.Error() != tt.want {
			t.Errorf("port %d: %v", tt.port, err)
		}
	}
}

func TestDemoResult(t *testing.T) {
	sum := func(end crawler.End) *crawler.Summary {
		return &crawler.Summary{End: end, Pages: 2, Robots: 1, Duration: plan.Millis(1500 * time.Millisecond), Output: "out"}
	}
	fetched := []string{"http://h/a", "http://h/b"}
	saw := demosite.Report{Requests: 3, Pages: 2, Robots: map[string]int{"http://h": 1}}
	want := demosite.Expectation{Pages: fetched}
	bad := []demosite.Finding{{Kind: "disallowed"}}

	tests := []struct {
		name   string
		end    crawler.End
		change func(saw *demosite.Report, want *demosite.Expectation, fetched *[]string, sum *crawler.Summary)
		code   int
		agrees bool
		says   string
	}{
		{"all is well", crawler.EndFinished, nil, cli.ExitDone, true, "0 violations"},
		{"violation", crawler.EndFinished, func(saw *demosite.Report, _ *demosite.Expectation, _ *[]string, _ *crawler.Summary) {
			saw.Violations = bad
		}, cli.ExitFindings, true, "1 violation"},
		{"page asked for twice, and once counted", crawler.EndFinished, func(saw *demosite.Report, _ *demosite.Expectation, _ *[]string, _ *crawler.Summary) {
			saw.Pages, saw.Retries = 3, 1
		}, cli.ExitDone, true, "3, 1 of them retries"},
		{"pages counted wrong", crawler.EndFinished, func(saw *demosite.Report, _ *demosite.Expectation, _ *[]string, _ *crawler.Summary) {
			saw.Pages = 3
		}, cli.ExitFindings, false, "differ"},
		{"sitemaps counted wrong", crawler.EndFinished, func(saw *demosite.Report, _ *demosite.Expectation, _ *[]string, _ *crawler.Summary) {
			saw.Sitemaps, saw.SitemapsRead = 1, 1
		}, cli.ExitFindings, false, "differ"},
		{"page missing", crawler.EndFinished, func(_ *demosite.Report, want *demosite.Expectation, _ *[]string, _ *crawler.Summary) {
			want.Pages = append(want.Pages, "http://h/c")
		}, cli.ExitFindings, false, "missing     http://h/c"},
		{"page unexpected", crawler.EndFinished, func(_ *demosite.Report, want *demosite.Expectation, _ *[]string, _ *crawler.Summary) {
			want.Pages = want.Pages[:1]
		}, cli.ExitFindings, false, "unexpected  http://h/b"},
		{"page written twice", crawler.EndFinished, func(_ *demosite.Report, _ *demosite.Expectation, fetched *[]string, _ *crawler.Summary) {
			*fetched = append(*fetched, "http://h/b")
		}, cli.ExitFindings, false, ""},
		{"robots.txt counted wrong", crawler.EndFinished, func(_ *demosite.Report, _ *demosite.Expectation, _ *[]string, sum *crawler.Summary) {
			sum.Robots = 2
		}, cli.ExitFindings, false, ""},
		{"interrupted", crawler.EndInterrupted, func(_ *demosite.Report, want *demosite.Expectation, _ *[]string, _ *crawler.Summary) {
			want.Pages = append(want.Pages, "http://h/c")
		}, cli.ExitInterrupted, false, "interrupted"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, f, saw, want := sum(tt.end), fetched, saw, want
			if tt.change != nil {
				tt.change(&saw, &want, &f, s)
			}
			r := newDemoResult(runner.NewSummary(s), f, 20*time.Millisecond, saw, want)
			if r.code() != tt.code || r.Agrees != tt.agrees || !strings.Contains(r.Text(cli.ANSI), tt.says) {
				t.Errorf("exit code %d, agrees: %v, text:\n%s", r.code(), r.Agrees, r.Text(cli.ANSI))
			}
		})
	}
}

func TestDemoResultText(t *testing.T) {
	sum := &crawler.Summary{
		End: crawler.EndFinished, Pages: 2, Statuses: map[int]int{200: 1, 404: 1}, Rejected: map[output.Reason]int{output.Disallowed: 1},
		Robots: 1, Hosts: 1, Sitemaps: 1, Entries: 1, Duration: plan.Millis(1500 * time.Millisecond), Output: "out",
	}
	r := newDemoResult(runner.NewSummary(sum), []string{"http://h/a", "http://h/b"}, 20*time.Millisecond,
		demosite.Report{
			Requests: 8, Pages: 3, Retries: 1, Sitemaps: 2, SitemapsRead: 1, SitemapsMissing: 1,
			Robots: map[string]int{"http://h": 1}, RobotsRedirects: 2,
		},
		demosite.Expectation{Pages: []string{"http://h/a", "http://h/b"}})
	want := `finished after 1.5s
  pages       2 (status 200: 1, 404: 1)
  skipped     1 (disallowed: 1)
  robots.txt  1 requested, for 1 host
  sitemaps    1 read, with 1 entry
  files       pages.jsonl, rejected.jsonl and robots/ in out
the site recorded 8 requests:
  pages       3, 1 of them retries
  robots.txt  1, and 2 more at redirect targets
  sitemaps    2, 1 of them not found
  politeness  0 violations, with a delay of 20ms between two requests to a host
  verdict     the crawl fetched exactly the pages that a polite crawler should fetch
`
	if diff := cmp.Diff(want, r.Text(func(_ cli.Color, text string) string { return text })); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
