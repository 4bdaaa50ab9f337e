package robotsext_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"time"

	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/usage"
)

// How does an ordinary HTTP client obey robots.txt?
func ExampleRobots_Transport() {
	site := exampleSite("User-agent: *\nDisallow: /private/\n")
	defer site.Close()
	robots := examplebot(nil)
	client := &http.Client{Transport: robots.Transport(nil)}
	defer client.CloseIdleConnections()

	for _, path := range []string{"/public/", "/private/"} {
		resp, err := client.Get(site.URL + path)
		var blocked *robotsext.BlockedError
		if errors.As(err, &blocked) {
			fmt.Println(path, blocked.Reason)
		} else if err == nil {
			resp.Body.Close()
			fmt.Println(path, resp.Status)
		}
	}
	// Output:
	// /public/ 200 OK
	// /private/ disallowed
}

// May I fetch this URL? Three verdicts, and an error.
func ExampleRobots_Check() {
	site := exampleSite("User-agent: *\nDisallow: /private/\n")
	down := exampleSite("") // no server listens there
	down.Close()
	defer site.Close()
	robots := examplebot(nil)
	defer robots.CloseIdleConnections()
	for _, raw := range []string{site.URL + "/", site.URL + "/private/", down.URL + "/", "gopher://example.com/"} {
		u, _ := url.Parse(raw)
		err := robots.Check(context.Background(), u)
		var blocked *robotsext.BlockedError
		switch {
		case err == nil:
			fmt.Println("fetch it")
		case !errors.As(err, &blocked):
			fmt.Println(err)
		case blocked.Reason == robotsext.Disallowed:
			fmt.Println("skip it because of line", blocked.Rule.Line)
		case blocked.Reason == robotsext.Later:
			fmt.Println("retry in a minute:", time.Until(blocked.RetryAt).Round(time.Minute) == time.Minute)
		}
	}
	// Output:
	// fetch it
	// skip it because of line 2
	// retry in a minute: true
	// unsupported scheme "gopher"
}

// How do I fetch a page that a person has requested? robots.txt does not apply to it.
func ExampleWithUserFetch() {
	site := exampleSite("User-agent: *\nDisallow: /\n")
	defer site.Close()
	robots := examplebot(nil)
	u, _ := url.Parse(site.URL + "/page-to-translate")
	ctx := context.Background()
	fmt.Println(robots.Check(ctx, u) == nil)
	fmt.Println(robots.Check(robotsext.WithUserFetch(ctx), u) == nil)
	// Output:
	// false
	// true
}

// May I use this page for text and data mining, and what disallows it?
func ExampleRobots_Permit() {
	site := exampleSite("User-agent: *\nContent-Signal: /archive/ search=yes, ai-train=no\n")
	defer site.Close()
	robots := examplebot(nil)
	defer robots.CloseIdleConnections()
	for _, path := range []string{"/", "/archive/1"} {
		u, _ := url.Parse(site.URL + path)
		err := robots.Permit(context.Background(), u, usage.Search, usage.TrainAI)
		var blocked *robotsext.BlockedError
		switch {
		case err == nil:
			fmt.Println(path, "fetch it")
		case errors.As(err, &blocked) && blocked.Reason == robotsext.Usage:
			fmt.Printf("%s not for %s: %q in %s\n", path, blocked.Purpose, blocked.Statement.Raw, blocked.Statement.Source)
		}
	}
	// Output:
	// / fetch it
	// /archive/1 not for train-ai: "/archive/ search=yes, ai-train=no" in robots.txt line 2, Content-Signal
}

// What does a site say about a page, its header included?
func ExampleRobots_SiteUsage() {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		switch req.URL.Path {
		case "/robots.txt":
			fmt.Fprint(w, "User-agent: *\nContent-Usage: train-ai=y\n")
		case usage.TDMRepPath:
			fmt.Fprint(w, `[{"location": "/", "tdm-reservation": 1}]`)
		default:
			w.Header().Set("X-Robots-Tag", "noarchive")
		}
	}))
	defer site.Close()
	robots := examplebot(nil)
	client := &http.Client{Transport: robots.Transport(nil)}
	defer client.CloseIdleConnections()

	u, _ := url.Parse(site.URL + "/page")
	said, err := robots.SiteUsage(context.Background(), u, usage.TDM)
	if err != nil {
		fmt.Println(err)
		return
	}
	resp, err := client.Get(u.String())
	if err != nil {
		fmt.Println(err)
		return
	}
	resp.Body.Close()
	statements := slices.Concat(said.Statements, usage.FromHeader(resp.Header, []string{"examplebot"}, time.Now()))
	verdicts := usage.Merge(statements)
	for _, purpose := range usage.Purposes {
		if v := verdicts[purpose]; v.Value != usage.Unknown {
			fmt.Printf("%s is %s by %s\n", purpose, v.Value, statements[v.Statement-1].Source)
		}
	}
	// Output:
	// train-ai is disallowed by file /.well-known/tdmrep.json, rule 1
	// tdm is disallowed by file /.well-known/tdmrep.json, rule 1
	// archive is disallowed by header X-Robots-Tag
}
