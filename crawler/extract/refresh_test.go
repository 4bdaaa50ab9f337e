package extract

import (
	"fmt"
	"strings"
	"testing"
)

// inURL removes what the URL parser removes inside a reference.
var inURL = strings.NewReplacer("\t", "", "\n", "", "\r", "")

func TestRefreshSuite(t *testing.T) {
	var cases []struct {
		Content string
		URL     *string
	}
	suite(t, "refresh.json", &cases)
	for _, tt := range cases {
		ref, ok := refreshTarget(tt.Content)
		if ok != (tt.URL != nil) || ok && inURL.Replace(ref) != *tt.URL {
			t.Errorf("%q: %q, %t", tt.Content, ref, ok)
		}
	}
}

func TestRefreshTarget(t *testing.T) {
	const none = "none"
	for content, want := range map[string]string{
		"0;/a": "/a", "0 url=/a": "/a", "0; url=/a": "/a", "0,url=/a?a;b": "/a?a;b", "x;url=/a": none, "0;url='/a' x": "/a",
		"\f\r 0\f/a": "/a", "\v0;/a": none, "\u00a00;/a": none, "0\u00a0;/a": none, "0\v;/a": none, "": none, " ": none, ".": "", ". /a": "/a", "..5;/a": "/a",
		"0;URL=/a": "/a", "0;uRl = \"/a": "/a", "0;url='": "", "0;url=": "", "0;''/a": "", "0;url": "url", "0;u": "u", "0;ur=/a": "ur=/a", "0;url/a=b": "url/a=b",
		"0;url=url=/a": "url=/a", "0;'url=/a'": "url=/a", "0;url=\u00a0/a\u00a0": "\u00a0/a\u00a0", "0;url=\x01/a\x1f ": "/a", "0; url = '\u3000/a '": "\u3000/a",
		"0;ur\u0131=/a": "ur\u0131=/a", "٣;/a": none, "0;,/a": ",/a", "0 , /a": "/a", "0 ; , /a": ", /a", "5.5.5 /a": "/a", "0x/a": none, "0/a": none, "99999999999999999999;/a": "/a",
	} {
		ref, ok := refreshTarget(content)
		if !ok && ref == "" {
			ref = none
		}
		if ref != want {
			t.Errorf("%q: %q, want %q", content, ref, want)
		}
	}
}

// A page that refreshes itself has no link to itself, and the first refresh counts.
func TestRefreshLinks(t *testing.T) {
	for page, want := range map[string]string{
		"<meta http-equiv=refresh content='x;/b'><meta http-equiv=Refresh content='0 /a'><meta http-equiv=refresh content='0;/c'>": "[/a]",
		"<meta http-equiv=refresh content='5'><meta http-equiv=refresh content='0;/c'>":                                            "[]",
		"<meta http-equiv=refresh content='0;url='><meta http-equiv=refresh content='0;/c'>":                                       "[]",
	} {
		var refs []string
		for _, link := range readPage([]byte(page)).Links {
			refs = append(refs, link.Ref)
		}
		if got := fmt.Sprint(refs); got != want {
			t.Errorf("%s: %s, want %s", page, got, want)
		}
	}
}
