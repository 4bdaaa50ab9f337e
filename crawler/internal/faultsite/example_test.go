package faultsite_test

import (
	"fmt"
	"io"
	"net/http"

	"github.com/politecrawl/politecrawl/crawler/internal/faultsite"
)

// What does a client get from a page that is cut short?
func ExampleStart() {
	site, err := faultsite.Start(&faultsite.Options{Hosts: []faultsite.Host{{Fault: "close-in-body", Kind: faultsite.Page}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer site.Close()

	resp, err := http.Get(site.Places()[0].Origin + "/fault")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	_, err = io.ReadAll(resp.Body)
	fmt.Println(resp.StatusCode, err)
	// Output: 200 unexpected EOF
}

// Which hosts does a site have by default, besides the healthy one?
func ExampleAllHosts() {
	for _, h := range faultsite.AllHosts()[1:4] {
		fmt.Printf("%s %s\n", h.Kind, h.Fault)
	}
	// Output:
	// page no-answer
	// robots.txt no-answer
	// sitemap no-answer
}
