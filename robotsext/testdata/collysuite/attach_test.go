package colly_test

import (
	"os"
	"testing"

	"github.com/gocolly/colly/v2"

	"github.com/politecrawl/politecrawl/robotsext"
)

// TestMain has NewCollector attach each collector of colly's own tests.
func TestMain(m *testing.M) {
	robots, err := robotsext.New("testbot/1.0", nil)
	if err != nil {
		panic(err)
	}
	colly.Attach = robots.Attach
	os.Exit(m.Run())
}
