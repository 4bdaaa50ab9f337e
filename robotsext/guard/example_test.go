package guard_test

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"

	"github.com/politecrawl/politecrawl/robotsext/guard"
)

// How do I prevent an http.Client from connecting to my own network?
func ExampleGuard_Control() {
	g := guard.New()
	dialer := &net.Dialer{Control: g.Control}
	client := &http.Client{Transport: &http.Transport{DialContext: dialer.DialContext}}

	_, err := client.Get("http://169.254.169.254/latest/meta-data/")
	fmt.Println(errors.Is(err, guard.ErrRefused))
	if refused, ok := errors.AsType[*guard.AddressError](err); ok {
		fmt.Println(refused.Addr, "is", refused.Kind)
	}
	// Output:
	// true
	// 169.254.169.254 is cloud metadata
}

// How do I allow my own test server?
func ExampleNew() {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") }))
	defer site.Close()
	dialer := &net.Dialer{Control: guard.New(netip.MustParsePrefix("127.0.0.0/8")).Control}
	client := &http.Client{Transport: &http.Transport{DialContext: dialer.DialContext}}

	resp, err := client.Get(site.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	fmt.Println(resp.Status)
	// Output:
	// 200 OK
}

// May this address be connected to, and why not?
func ExampleGuard_Check() {
	g := guard.New()
	for _, addr := range []string{"93.184.215.14", "192.168.1.1", "64:ff9b::7f00:1"} {
		fmt.Println(g.Check(netip.MustParseAddr(addr)))
	}
	// Output:
	// <nil>
	// address 192.168.1.1 is not allowed (private)
	// address 64:ff9b::7f00:1 is not allowed (NAT64 of 127.0.0.1: loopback)
}

// How do I check a URL that a proxy will fetch?
func ExampleGuard_CheckHost() {
	g := guard.New()
	for _, raw := range []string{"http://example.com/", "http://[::1]/", "http://0x7f.1/"} {
		u, err := url.Parse(raw)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(g.CheckHost(u.Hostname()))
	}
	// Output:
	// <nil>
	// address ::1 is not allowed (loopback)
	// host "0x7f.1" is neither a valid name nor a valid IP address
}

// How do I use a proxy on my own machine and refuse all other requests to the machine?
func ExampleGuard_Transport() {
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		fmt.Fprintln(w, "fetched:", req.URL)
		fmt.Println("the proxy received a request for", req.URL)
	}))
	defer proxy.Close()
	proxyURL, err := url.Parse(proxy.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	client := &http.Client{Transport: guard.New().Transport(&http.Transport{Proxy: http.ProxyURL(proxyURL)}, nil)}
	for _, target := range []string{"http://example.com/", "http://127.0.0.1:9200/"} {
		resp, err := client.Get(target)
		if err != nil {
			fmt.Println(errors.Unwrap(err))
			continue
		}
		resp.Body.Close()
	}
	// Output:
	// the proxy received a request for http://example.com/
	// address 127.0.0.1 is not allowed (loopback)
}

// Which prefixes must a user allow to reach a host that was refused?
func ExamplePrefixesFor() {
	fmt.Println(guard.PrefixesFor(netip.MustParseAddr("10.1.2.3"), "intranet.example"))
	fmt.Println(guard.PrefixesFor(netip.MustParseAddr("::1"), "localhost"))
	// Output:
	// [10.1.2.3]
	// [127.0.0.0/8 ::1]
}

// How do I parse the networks that a user allows?
func ExampleParsePrefix() {
	for _, text := range []string{"10.0.0.0/8", "::1", "localhost"} {
		p, err := guard.ParsePrefix(text)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(p)
	}
	// Output:
	// 10.0.0.0/8
	// ::1/128
	// "localhost" is neither an IP address nor a network: use the form 127.0.0.1, 10.0.0.0/8 or fd00::/8
}
