package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/robotsext"
)

func TestGet(t *testing.T) {
	site := newSite()
	defer site.Close()
	down := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) }))
	defer down.Close()
	robots, err := robotsext.New("examplebot/1.0", nil)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: robots.Transport(nil)}
	for _, test := range []struct{ url, want string }{
		{site.URL + "/", site.URL + "/ 200 OK"},
		{site.URL + "/private/a", site.URL + "/private/a disallowed: Disallow: /private/, line 2"},
		{site.URL + "/moved", site.URL + "/private/b disallowed: Disallow: /private/, line 2"},
		{down.URL + "/", "must wait until"},
		{"gopher://h/", "failed:"},
	} {
		if got := get(client, test.url); !strings.Contains(got, test.want) {
			t.Errorf("%s: %q lacks %q", test.url, got, test.want)
		}
	}
}
