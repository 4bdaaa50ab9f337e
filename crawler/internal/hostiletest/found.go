// Package hostiletest has what a site of bad will gives a crawl to find, for the tests of
// what shows it.
package hostiletest

import (
	"fmt"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// Markup is what a site of bad will writes.
const Markup = `</script><script>window.ran=1</script><img src=x onerror=window.ran=1>"'><base href="http://127.0.0.9:1/">` + "\u202e\x00\r\ndata: x\n\nevent: ended\ndata: {}\n\n"

// Found has it in all texts.
func Found() *output.Results {
	now, long := time.Now(), strings.Repeat("long", 400)
	f := &output.Results{}
	for i, u := range []string{"http://h.example/" + Markup, "javascript:window.ran=1", "data:text/html,<script>1</script>", "http://h.example/" + long, "//127.0.0.9:1/", "\xff", ""} {
		f.Pages = append(f.Pages, &output.Page{URL: u, Title: Markup + long, Status: 100 + 200*i, Location: Markup, FetchedAt: now}, &output.Page{URL: u, Withheld: Markup}, &output.Page{URL: u, DuplicateOf: Markup + long})
		f.Rejected = append(f.Rejected, &output.Rejection{URL: u, Reason: output.Failed, Detail: Markup + long}, &output.Rejection{URL: u, Reason: output.Reason(Markup), Rule: "Disallow: " + Markup + long, Line: 1})
		f.Robots = append(f.Robots, &output.Robots{Origin: "http://" + fmt.Sprint(i) + Markup, URL: u, Outcome: "unreachable", Error: Markup + long, FetchedAt: now, RetryAt: now},
			&output.Robots{Origin: u, Outcome: Markup, Status: -1, Body: []byte("User-agent: *\nCrawl-delay: " + long + "\nDisallow: " + Markup), ExpiresAt: now.Add(24 * time.Hour)})
	}
	return f
}
