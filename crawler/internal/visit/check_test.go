package visit

import (
	"net/http"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/extract"
	"github.com/politecrawl/politecrawl/crawler/internal/fetch"
	"github.com/politecrawl/politecrawl/robotsext/usage"
)

// An archive has the content of a check unless a directive or a statement for a purpose of the crawl forbids it. What
// was not read is unknown.
func TestArchiveOfChecks(t *testing.T) {
	const unread = "unread"
	train := []usage.Purpose{usage.TrainAI}
	for _, tt := range []struct {
		name     string
		set      Settings
		status   int
		header   http.Header
		page     string // that was read; empty if none
		withheld string
	}{
		{"image", Settings{Noindex: true}, 200, http.Header{"Content-Type": {"image/png"}}, "", ""},
		{"image with a directive", Settings{Noindex: true}, 200, http.Header{"X-Robots-Tag": {"noarchive"}}, "", "noarchive"},
		{"directives are not obeyed", Settings{}, 200, http.Header{"X-Robots-Tag": {"noindex"}}, "", ""},
		{"frame", Settings{Noindex: true}, 200, http.Header{"Content-Type": {"text/html"}}, "<p>", ""},
		{"frame with a directive", Settings{Noindex: true}, 200, http.Header{"Content-Type": {"text/html"}}, "<meta name=robots content=noindex>", "noindex"},
		{"page instead of an image", Settings{Noindex: true}, 200, http.Header{"Content-Type": {"text/html"}}, "", unread},
		{"page of an error", Settings{Noindex: true}, 404, http.Header{"Content-Type": {"text/html"}}, "", ""},
		{"page of an error with purposes", Settings{Purposes: train}, 404, http.Header{"Content-Type": {"text/html"}}, "", unread},
		{"image with a statement", Settings{Purposes: train}, 200, http.Header{"Content-Usage": {"train-ai=n"}}, "", `train-ai: disallowed by "train-ai=n", header Content-Usage`},
		{"image without a statement", Settings{Purposes: train, RefuseUnknown: true}, 200, http.Header{}, "", "train-ai: nothing is said about it (unknown refuse)"},
	} {
		v := New(tt.set, &Parts{})
		var doc *extract.Document
		if tt.page != "" {
			doc = extract.Read(extract.Page{Header: tt.header, Body: []byte(tt.page)}, nil)
		}
		var out outcome
		if v.judgeArchive(&out, &admitted{}, &fetch.Response{Status: tt.status, Header: tt.header}, doc); !out.checked || out.withheld != tt.withheld {
			t.Errorf("%s: withheld %q, want %q", tt.name, out.withheld, tt.withheld)
		}
	}
}
