package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
	"github.com/politecrawl/politecrawl/internal/faultsite"
)

// What a site sends behind an answer is shown to nobody.
func TestAnswerUnasked(t *testing.T) {
	site, err := faultsite.Start(&faultsite.Options{Hosts: []faultsite.Host{{Fault: "length-too-short", Kind: faultsite.Page}}})
	if err != nil {
		t.Fatal(err)
	}
	defer site.Close()
	cmd := clitest.Process(t, "crawl", site.StartURLs()[0], "--output", filepath.Join(t.TempDir(), "crawl"), "--delay", "50ms")
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, stderr.String())
	}
	if text := out.String() + stderr.String(); strings.Contains(text, "and more") || !strings.Contains(text, "pages") {
		t.Errorf("%s", text)
	}
}
