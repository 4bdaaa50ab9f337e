package csvout_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/output/csvout"
)

// What happens to a title that a spreadsheet would treat as a formula?
func ExampleFormat() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	sink, err := csvout.Format(nil).Open(dir, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	err = sink.Write(&output.Results{
		Links: []*output.Links{{URL: "https://example.com/", To: []output.Link{{URL: "https://example.com/a,b"}, {URL: "https://example.com/c"}}}},
		Rejected: []*output.Rejection{{
			URL: "https://example.com/private", Reason: output.Disallowed, Rule: "Disallow: /private", Line: 2,
			RobotsURL: "https://example.com/robots.txt", Group: "*", Depth: 1, FoundOn: "https://example.com/", Source: "link", Detail: "=1+1",
		}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	checkpoint, err := sink.Commit(false) // Open resumes from it
	fmt.Println(string(checkpoint), err, sink.Close())
	for _, name := range []string{csvout.LinksFile, csvout.RejectedFile} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			fmt.Println(err)
		}
		for line := range strings.Lines(string(text)) {
			fmt.Println(strings.TrimSpace(line))
		}
	}
	// Output:
	// [326,206,121,80,21,125,9,102] <nil> <nil>
	// from,to,text,rel,kind
	// https://example.com/,"https://example.com/a,b",,,
	// https://example.com/,https://example.com/c,,,
	// url,reason,rule,line,robots_url,group,depth,found_on,source,detail,retry_at
	// https://example.com/private,disallowed,Disallow: /private,2,https://example.com/robots.txt,*,1,https://example.com/,link,'=1+1,
}

// How do I write untrusted text to my own table?
func ExampleCell() {
	fmt.Println(csvout.Cell("=HYPERLINK(\"https://evil.example/\")"))
	fmt.Println(csvout.Cell("two\nlines; -1"))
	// Output:
	// '=HYPERLINK("https://evil.example/")
	// two lines;' -1
}
