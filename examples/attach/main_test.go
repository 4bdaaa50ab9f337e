package main

import (
	"bytes"
	"log"
	"os"
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	site := newSite()
	defer site.Close()
	var out bytes.Buffer
	log.SetOutput(&out)
	defer log.SetOutput(os.Stderr)
	if err := run(site.URL); err != nil {
		t.Fatal(err)
	}
	got := strings.ReplaceAll(out.String(), site.URL, "")
	for _, want := range []string{
		"fetched /\n", "fetched /public/a\n",
		`disallowed /private/b is disallowed by "Disallow: /private/", line 2 of /robots.txt`,
		`disallowed /private/c is disallowed by`, // target of /moved
	} {
		if !strings.Contains(got, want) {
			t.Errorf("output lacks %q:\n%s", want, got)
		}
	}
	if strings.Contains(got, "fetched /private") {
		t.Errorf("a disallowed page was fetched:\n%s", got)
	}
}
