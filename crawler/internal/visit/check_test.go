package visit

import (
	"net/http"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/internal/fetch"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext/usage"
)

// An archive has the body of a response unless a directive or a statement for a purpose of the crawl forbids it. The
// beginning that was read decides. What was not read is unknown.
func TestWithheldBodies(t *testing.T) {
	html, png := http.Header{"Content-Type": {"text/html"}}, http.Header{"Content-Type": {"image/png"}}
	train := []usage.Purpose{usage.TrainAI}
	const undecoded, dropped = "undecoded", "dropped"
	for _, tt := range []struct {
		name     string
		set      Settings
		header   http.Header
		page     string // that was read; empty if none
		verdict  verdict
		other    string // the media type because of which nothing was read, undecoded, or dropped
		withheld string
	}{
		{"image", Settings{Noindex: true}, png, "", done, "", ""},
		{"image with a directive", Settings{Noindex: true}, http.Header{"X-Robots-Tag": {"noarchive"}}, "", done, "", "noarchive"},
		{"directives are not obeyed", Settings{}, http.Header{"X-Robots-Tag": {"noindex"}}, "<meta name=robots content=noarchive>", done, "", ""},
		{"page", Settings{Noindex: true}, html, "<p>", done, "", ""},
		{"page with a directive", Settings{Noindex: true}, html, "<meta name=robots content=noindex>", done, "", "noindex"},
		{"page without a type", Settings{Noindex: true}, http.Header{}, "<!doctype html><meta name=robots content=noarchive>", done, "", "noarchive"},
		{"page with a statement", Settings{Purposes: train}, html, "<meta name=tdm-reservation content=1><p>", done, "", `train-ai: disallowed by "1", meta tdm-reservation`},
		{"part of a page", Settings{Noindex: true}, html, "<p>", retry, "", ""},
		{"part of a page with purposes", Settings{Purposes: train}, html, "<p>", retry, "", "unread"},
		{"part of an image with purposes", Settings{Purposes: train}, png, "", retry, "", ""},
		{"page with more than was read", Settings{Noindex: true}, html, "<p>", done, dropped, "unread"},
		{"image with more than was read", Settings{Noindex: true}, png, "", done, dropped, ""},
		{"page of another type", Settings{Noindex: true}, html, "", done, "text/html", "unread"},
		{"page of another type without a declared one", Settings{Noindex: true}, http.Header{}, "", done, "text/html", "unread"},
		{"page of another type, and directives are not obeyed", Settings{}, html, "", done, "text/html", ""},
		{"file of another type", Settings{Noindex: true}, png, "", done, "image/png", ""},
		{"undecoded page", Settings{Noindex: true}, html, "", skip, undecoded, "unread"},
		{"undecoded page with purposes", Settings{Purposes: train}, html, "", skip, undecoded, "unread"},
		{"page that is decoded in part", Settings{Noindex: true}, html, "<p>", retry, undecoded, "unread"},
		{"undecoded XML", Settings{Noindex: true}, http.Header{"Content-Type": {"application/xml"}}, "", skip, undecoded, "unread"},
		{"undecoded file without a type", Settings{Noindex: true}, http.Header{}, "", skip, undecoded, "unread"},
		{"undecoded page, and directives are not obeyed", Settings{}, html, "", skip, undecoded, ""},
		{"undecoded image", Settings{Noindex: true}, png, "", skip, undecoded, ""},
		{"undecoded image with a statement", Settings{Purposes: train}, http.Header{"Content-Type": {"image/png"}, "Content-Usage": {"train-ai=n"}}, "", skip, undecoded, `train-ai: disallowed by "train-ai=n", header Content-Usage`},
		{"image with a statement", Settings{Purposes: train}, http.Header{"Content-Usage": {"train-ai=n"}}, "", done, "", `train-ai: disallowed by "train-ai=n", header Content-Usage`},
		{"image without a statement", Settings{Purposes: train, RefuseUnknown: true}, http.Header{}, "", done, "", "train-ai: nothing is said about it (unknown refuse)"},
	} {
		e := &output.Exchange{Body: output.BytesBody("body")}
		resp := &fetch.Response{Header: tt.header, Body: []byte(tt.page), OtherType: tt.other, Exchanges: []*output.Exchange{e}}
		switch tt.other {
		case undecoded:
			resp.OtherType, resp.Undecoded = "", true
		case dropped:
			resp.OtherType, resp.Dropped = "", 1
		}
		New(tt.set, &Parts{}).withholdBodies(&item{}, &admitted{}, &outcome{verdict: tt.verdict, response: resp})
		if e.Withheld != tt.withheld || (e.Body == nil) != (tt.withheld != "") {
			t.Errorf("%s: withheld %q, want %q; body %v", tt.name, e.Withheld, tt.withheld, e.Body)
		}
	}
}
