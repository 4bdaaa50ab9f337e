package crawl

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/shared"
)

func TestCrawlCode(t *testing.T) {
	for end, want := range map[crawler.End]int{crawler.EndMaxTime: cli.ExitLater, crawler.EndDeferred: cli.ExitLater, crawler.EndMaxPages: cli.ExitDone, crawler.EndMaxBytes: cli.ExitDone, crawler.EndInterrupted: cli.ExitInterrupted} {
		if code := crawlCode(&crawler.Summary{End: end, Remaining: 1, Waiting: []string{"http://h"}}); code != want {
			t.Errorf("%s: exit code %d, want %d", end, code, want)
		}
	}
	if code := crawlCode(&crawler.Summary{End: crawler.EndMaxTime, Remaining: 1}); code != cli.ExitDone {
		t.Errorf("no host waits: exit code %d", code)
	}
}

func TestStatusWithoutWorkersHasAnEmptyList(t *testing.T) {
	text, err := json.Marshal(printedShared(&shared.Crawl{}, frontier.Stats{}))
	if err != nil || !strings.Contains(string(text), `"workers":[]`) {
		t.Errorf("%s, %v", text, err)
	}
}

// A blocked start URL is an error of a crawl without pages, unless a user stopped the crawl.
func TestStoppedCrawlIsNotFutile(t *testing.T) {
	for end, want := range map[crawler.End]bool{crawler.EndFinished: true, crawler.EndInterrupted: false, crawler.EndStopped: false} {
		if got := isFutile(&crawler.Summary{End: end}); got != want {
			t.Errorf("%s without pages: %v", end, got)
		}
	}
	if isFutile(&crawler.Summary{End: crawler.EndFinished, Pages: 1}) {
		t.Error("a crawl with a page is futile")
	}
}
