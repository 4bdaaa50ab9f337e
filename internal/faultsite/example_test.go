package faultsite_test

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"

	"github.com/politecrawl/politecrawl/internal/faultsite"
)

// What does a client get of a page that is cut short?
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

// What is a crawler to make of a fault?
func ExampleFaults() {
	for _, f := range faultsite.Faults() {
		if f.Name == "redirect-without-end" {
			fmt.Printf("The server %s: a page is %s, a robots.txt %s.\n", f.Does, f.Page.As, f.Robots.As)
		}
	}
	// Output: The server redirects to another URL each time: a page is redirects, a robots.txt allow-all.
}

// Which hosts does a site have unless told otherwise, beside the sound one?
func ExampleEverything() {
	for _, h := range faultsite.Everything()[1:4] {
		fmt.Printf("%s %s\n", h.Kind, h.Fault)
	}
	// Output:
	// page no-answer
	// robots.txt no-answer
	// sitemap no-answer
}

// How does a client trust the hosts that speak TLS?
func ExampleNewAuthority() {
	authority, err := faultsite.NewAuthority()
	if err != nil {
		fmt.Println(err)
		return
	}
	site, err := faultsite.Start(&faultsite.Options{
		Hosts:     []faultsite.Host{{Fault: "expired-certificate", Kind: faultsite.Robots}, {Fault: "h2", Kind: faultsite.Page}},
		Authority: authority,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer site.Close()

	trusted := x509.NewCertPool()
	trusted.AppendCertsFromPEM(authority.PEM())
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted, MinVersion: tls.VersionTLS12}, ForceAttemptHTTP2: true}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	for _, p := range site.Places() {
		resp, err := client.Get(p.Origin + "/robots.txt")
		if err != nil {
			fmt.Println(p.Fault, "fails")
			continue
		}
		fmt.Println(p.Fault, resp.StatusCode, resp.Proto)
		resp.Body.Close()
	}
	// Output:
	// expired-certificate fails
	// h2 200 HTTP/2.0
}
