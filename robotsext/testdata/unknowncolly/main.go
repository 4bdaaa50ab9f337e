// Program unknowncolly is built with a colly that keeps its client where robotsext does not
// find it. It ends with 1 if something is sent unchecked, or if nothing is said.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"

	"github.com/gocolly/colly/v2"

	"github.com/politecrawl/politecrawl/robotsext"
)

func main() {
	var log bytes.Buffer
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	var asked []string
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		asked = append(asked, req.URL.Path)
		if req.URL.Path == "/robots.txt" {
			fmt.Fprint(w, "User-agent: *\nDisallow: /private\n")
		}
	}))
	robots, err := robotsext.New("testbot/1.0", nil)
	if err != nil {
		panic(err)
	}
	failed := false
	check := func(name string, err, want error) {
		if !errors.Is(err, want) {
			failed = true
			fmt.Printf("%s: error %v, want %v\n", name, err, want)
		}
	}

	c := colly.NewCollector(robots.Attach)
	check("allowed", c.Visit(site.URL+"/allowed"), nil)
	check("disallowed", c.Visit(site.URL+"/private"), colly.ErrRobotsTxtBlocked)
	c.WithTransport(&http.Transport{})
	check("transport after", c.Visit(site.URL+"/by-transport"), robotsext.ErrDetached)
	c.SetClient(&http.Client{})
	check("client after", c.Visit(site.URL+"/by-client"), robotsext.ErrDetached)

	c = colly.NewCollector(robots.Attach)
	c.Context = context.Background()
	check("context after", c.Visit(site.URL+"/by-context"), robotsext.ErrContextReplaced)

	site.Close()
	if got := strings.Join(asked, " "); got != "/robots.txt /allowed" {
		failed = true
		fmt.Println("the site was asked for", got)
	}
	if n := strings.Count(log.String(), "does not know this version of colly"); n != 1 {
		failed = true
		fmt.Printf("said %d times: %s\n", n, &log)
	}
	if failed {
		os.Exit(1)
	}
	fmt.Println("ok")
}
