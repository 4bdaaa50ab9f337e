package usage_test

import (
	"fmt"
	"net/http"
	"time"

	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
	"github.com/politecrawl/politecrawl/robotsext/usage"
)

// What may I use this page for?
func ExampleMerge() {
	file := robotstxt.Parse([]byte("User-agent: *\nContent-Usage: / train-ai=n\nContent-Signal: search=yes\n"), nil)
	header := http.Header{"Tdm-Reservation": {"0"}}
	meta := []struct{ Name, Content string }{{"robots", "noarchive"}}
	tokens := []string{"examplebot"}

	statements := usage.FromRobots(file, file.Group(tokens...), "", "/article")
	statements = append(statements, usage.FromHeader(header, tokens, time.Now())...)
	statements = append(statements, usage.FromMeta(meta, tokens, time.Now())...)
	verdicts := usage.Merge(statements)
	for _, purpose := range usage.Purposes {
		verdict := verdicts[purpose]
		fmt.Printf("%s: %s", purpose, verdict.Value)
		if verdict.Statement > 0 {
			fmt.Printf(" (%s)", statements[verdict.Statement-1].Source)
		}
		fmt.Println()
	}
	// Output:
	// search: allowed (robots.txt line 3, Content-Signal)
	// ai-input: unknown
	// train-ai: disallowed (robots.txt line 2, Content-Usage)
	// tdm: allowed (header TDM-Reservation)
	// archive: disallowed (meta robots)
}

// Which purposes are there?
func ExampleParsePurpose() {
	fmt.Println(usage.ParsePurpose("train-ai"))
	fmt.Println(usage.ParsePurpose("training"))
	// Output:
	// train-ai <nil>
	//  unknown purpose "training"; use one of search, ai-input, train-ai, tdm, archive
}

// Is this the robots.txt that a statement names?
func ExampleHash() {
	body := []byte("User-agent: *\nContent-Signal: search=yes\n")
	file := robotstxt.Parse(body, nil)
	for _, statement := range usage.FromRobots(file, file.Group("examplebot"), usage.Hash(body), "/") {
		fmt.Println(statement.Source.Hash == usage.Hash(body))
	}
	// Output: true
}

// Which pages does a TDMRep file reserve?
func ExampleParseTDMRep() {
	file, err := usage.ParseTDMRep([]byte(`[{"location": "/papers/", "tdm-reservation": 1, "tdm-policy": "https://example.com/policy.json"}]`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, path := range []string{"/papers/1.pdf", "/blog/"} {
		statement, ok := file.Match(path)
		fmt.Println(path, ok, statement.Values[usage.TDM], statement.URL)
	}
	// Output:
	// /papers/1.pdf true disallowed https://example.com/policy.json
	// /blog/ false unknown
}

// What does a license file permit?
func ExampleParseRSL() {
	file, err := usage.ParseRSL([]byte(`<rsl xmlns="https://rslstandard.org/rsl"><content url="/">
		<license><permits type="usage">search</permits><prohibits type="usage">ai-train</prohibits></license>
	</content></rsl>`), "https://example.com/license.xml")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, statement := range file.Match("example.com", "/article") {
		fmt.Println(statement.Values)
	}
	// Output: map[search:allowed train-ai:disallowed]
}

// Which statement about text and data mining counts, if a page has several?
func ExampleCounting() {
	file, err := usage.ParseTDMRep([]byte(`[{"location": "/", "tdm-reservation": 1}]`))
	if err != nil {
		fmt.Println(err)
		return
	}
	reserved, _ := file.Match("/article")
	statements := append([]usage.Statement{reserved}, usage.FromHeader(http.Header{"Tdm-Reservation": {"0"}}, nil, time.Now())...)
	for i, s := range usage.Counting(statements) {
		fmt.Printf("statement %d: %s\n", i+1, s.Source)
	}
	// Output: statement 2: header TDM-Reservation
}

// How do I print statements without the passwords that a site may have in its URLs?
func ExampleRedact() {
	file := robotstxt.Parse([]byte("User-agent: *\nLicense: https://me:secret@example.com/license.xml\n"), nil)
	statements := usage.FromRobots(file, file.Group("examplebot"), "", "/")
	usage.Redact(statements)
	fmt.Println(statements[0].URL)
	// Output: https://***@example.com/license.xml
}
