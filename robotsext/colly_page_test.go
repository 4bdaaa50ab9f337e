package robotsext_test

import (
	"context"
	"errors"
	"log"
	"net"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/guard"
)

// The functions below are the blocks of Go in COLLY.md, compiled; TestCollyPage holds
// that they are the same.

func before() error {
	c := colly.NewCollector(colly.UserAgent("examplebot/1.0 (+https://example.com/bot)"))
	c.IgnoreRobotsTxt = false // colly ignores robots.txt unless told so
	err := c.Visit("https://example.com/private/")
	return err
}

func after() error {
	robots, err := robotsext.New("examplebot/1.0 (+https://example.com/bot)", nil)
	if err != nil {
		return err
	}
	c := colly.NewCollector(robots.Attach)
	err = c.Visit("https://example.com/private/")
	return err
}

func refusalOrFailure(c *colly.Collector) {
	c.OnError(func(r *colly.Response, err error) {
		blocked, ok := errors.AsType[*robotsext.BlockedError](err)
		switch {
		case !ok:
			log.Print("failed: ", err)
		case blocked.Reason == robotsext.Disallowed:
			log.Print("not for us: ", blocked.URL, ", by line ", blocked.Rule.Line, " of ", blocked.RobotsURL)
		case blocked.Reason == robotsext.Later:
			time.AfterFunc(time.Until(blocked.RetryAt), func() { _ = r.Request.Retry() })
		}
	})
}

func paceAndSitemaps(ctx context.Context, robots *robotsext.Robots, c *colly.Collector) error {
	site, err := url.Parse("https://example.com/")
	if err != nil {
		return err
	}
	robots.Pace(c, 10*time.Second)
	for page, err := range robots.Sitemaps(ctx, site) {
		if err != nil {
			log.Print(err) // a sitemap that could not be read; the others go on
			continue
		}
		_ = c.Visit(page.Loc)
	}
	return nil
}

func ownNetwork() error {
	robots, err := robotsext.New("examplebot/1.0 (+https://example.com/bot)", &robotsext.Options{Guard: guard.New()})
	if err != nil {
		return err
	}
	c := colly.NewCollector(robots.Attach)
	return c.Visit("https://example.com/")
}

func ownNetworkWithout() error {
	dialer := &net.Dialer{Timeout: 30 * time.Second, Control: guard.New().Control}
	c := colly.NewCollector()
	c.WithTransport(&http.Transport{DialContext: dialer.DialContext})
	return c.Visit("https://example.com/")
}

// TestCollyPage holds that the code in COLLY.md is code.
func TestCollyPage(t *testing.T) {
	_ = []any{before, after, refusalOrFailure, paceAndSitemaps, ownNetwork, ownNetworkWithout}
	page, err := os.ReadFile("COLLY.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("colly_page_test.go")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	if len(blocks) != 6 {
		t.Fatalf("%d blocks of code, want 6", len(blocks))
	}
	for _, block := range blocks {
		indented := "\t" + strings.ReplaceAll(strings.TrimSuffix(block[1], "\n"), "\n", "\n\t") + "\n"
		if !strings.Contains(string(source), indented) {
			t.Errorf("not in colly_page_test.go:\n%s", block[1])
		}
	}
}
