package demosite_test

import (
	"fmt"
	"net/http"
	"time"

	"github.com/politecrawl/politecrawl/crawler/demosite"
)

// What does the site say of a client that has not read robots.txt?
func ExampleSite_Judge() {
	site, err := demosite.Start(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer site.Close()

	resp, err := http.Get(site.Origin("townhall") + "/private/minutes")
	if err != nil {
		fmt.Println(err)
		return
	}
	resp.Body.Close()

	report := site.Judge(20*time.Millisecond, demosite.Token)
	for _, v := range report.Violations {
		fmt.Printf("%s: %s\n", v.Request.URI, v.Kind)
	}
	// Output:
	// /private/minutes: before robots.txt
	// /private/minutes: disallowed
}
