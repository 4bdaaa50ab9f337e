package runner

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/report"
)

// TestWaitingHostsHaveReasons checks that the hosts are grouped by reason.
func TestWaitingHostsHaveReasons(t *testing.T) {
	for _, tt := range []struct {
		hosts string
		why   []string
		want  string
	}{
		{"http://a http://b", []string{"status 503", "status 503"}, "  waiting     for robots.txt of http://a, http://b: status 503\n"},
		{"http://a http://b http://c", []string{"status 503", "timed out", "status 503"},
			"  waiting     for robots.txt of http://a, http://c: status 503\n              for robots.txt of http://b: timed out\n"},
		{"h1 h2 h3 h4 h5 h6 h7 h8", []string{"x", "y", "x", "x", "x", "y", "z", "z"},
			"  waiting     for robots.txt of h1, h3, h4, h5: x\n              for robots.txt of h2 and 1 more: y\n              for robots.txt of 2 more hosts for other reasons\n"},
	} {
		if got := WaitingText(&crawler.Summary{Waiting: strings.Fields(tt.hosts), WaitingReasons: tt.why}); got != tt.want {
			t.Errorf("%s: got\n%swant\n%s", tt.hosts, got, tt.want)
		}
	}
}

// TestWaitingText holds that no more than five hosts are named.
func TestWaitingText(t *testing.T) {
	for hosts, want := range map[int]string{
		0: "",
		1: "  waiting     for robots.txt of http://h1\n",
		5: "  waiting     for robots.txt of http://h1, http://h2, http://h3, http://h4, http://h5\n",
		7: "  waiting     for robots.txt of http://h1, http://h2, http://h3, http://h4, http://h5 and 2 more\n",
	} {
		sum := &crawler.Summary{End: crawler.EndDeferred}
		for i := range hosts {
			sum.Waiting = append(sum.Waiting, fmt.Sprint("http://h", i+1))
		}
		if got := WaitingText(sum); got != want {
			t.Errorf("%d hosts: %q; want %q", hosts, got, want)
		}
	}
}

func TestSummaryNamesSitesThatNeedJavaScript(t *testing.T) {
	found := &report.Report{Findings: []report.Findings{{Rule: report.Rule{ID: needsJavaScript}}}}
	sum := &Summary{Summary: &crawler.Summary{End: crawler.EndFinished}, Found: found}
	if got := SummaryText(sum); strings.Contains(got, "JavaScript") {
		t.Errorf("without the finding:\n%s", got)
	}
	found.Findings[0].Rows = []report.Finding{{URL: "http://a.test/"}, {URL: "http://b.test/"}}
	for total, want := range map[int]string{1: "the site of http://a.test/", 2: "2 sites, such as the site of http://a.test/"} {
		found.Findings[0].Total = total
		if got := SummaryText(sum); !strings.Contains(got, "  JavaScript  needed by "+want+": what was found is what a client without scripts sees\n") {
			t.Errorf("%d findings:\n%s", total, got)
		}
	}
}

func TestResumeText(t *testing.T) {
	for _, tt := range []struct {
		sum  crawler.Summary
		want string
	}{
		{crawler.Summary{End: crawler.EndFinished, Output: "a"}, ""},
		{crawler.Summary{End: crawler.EndInterrupted, Output: "a/b-c", Remaining: 1}, "to resume: politecrawl crawl --resume a/b-c\n"},
		{crawler.Summary{End: crawler.EndMaxPages, Output: "it's mine", Remaining: 1}, `to resume: politecrawl crawl --resume 'it'\''s mine' --max-pages N` + "\n"},
		{crawler.Summary{End: crawler.EndMaxBytes, Output: "a", Remaining: 1}, "to resume: politecrawl crawl --resume a --max-bytes N\n"},
		{crawler.Summary{End: crawler.EndFailed, Output: "a", Remaining: 1}, "to resume: politecrawl crawl --resume a\n"},
		{crawler.Summary{End: crawler.EndFailed, Output: "a"}, "to resume: politecrawl crawl --resume a\n"},
	} {
		if got := ResumeText(&tt.sum); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.sum, got, tt.want)
		}
	}
}

// The summary names the files of checks if they are not empty.
func TestSummaryNamesFiles(t *testing.T) {
	dir := t.TempDir()
	for lines, want := range map[string]string{"": "pages.jsonl, rejected.jsonl and robots/ in ", "{}\n": "pages.jsonl, rejected.jsonl, anchors.jsonl, checks.jsonl and robots/ in "} {
		for _, name := range []string{"checks.jsonl", "anchors.jsonl"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(lines), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if text := SummaryText(&Summary{Summary: &crawler.Summary{Output: dir}}); !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
}

func TestSummaryCountsChecks(t *testing.T) {
	sum := &crawler.Summary{Checks: map[output.CheckResult]int{output.CheckOK: 5, output.CheckBroken: 2, output.CheckUnverified: 1}}
	if text := SummaryText(&Summary{Summary: sum}); !strings.Contains(text, "  checks      8: 2 broken, 1 unverified\n") {
		t.Error(text)
	}
	sum.Checks[output.CheckRedirected] = 3
	if text := SummaryText(&Summary{Summary: sum}); !strings.Contains(text, "  checks      11: 2 broken, 1 unverified, 3 redirected (the report says where these end)\n") {
		t.Error(text)
	}
	if text := SummaryText(&Summary{Summary: &crawler.Summary{}}); strings.Contains(text, "checks") {
		t.Error(text)
	}
}
