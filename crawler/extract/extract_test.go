package extract

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestRead(t *testing.T) {
	tests := []struct {
		name string
		in   string
		want Document
	}{
		{"empty", "", Document{}},
		{"title", "<title> A\n  B &amp; C </title>", Document{Title: "A B & C"}},
		{"only the first title", "<title>page</title><svg><title>drawing</title></svg>", Document{Title: "page"}},
		{"an empty title takes nothing after it", "<title></title><p>text</p>", Document{Words: 1}},
		{"a drawing's titles are not the page's", `<svg><title/></svg><a href=y></a><title>page</title>`,
			Document{Title: "page", Links: []Link{{URL: "y", Kind: "a"}}}},
		{"noscript is for those who run none", `<noscript><meta name=robots content=none><a href="/n"></a></noscript>`,
			Document{Links: []Link{{URL: "/n", Kind: "a"}}, Meta: []Meta{{"robots", "none"}}}},
		{"links in order", `<a href="/a">a</a><area href=b><iframe src=" c "></iframe>`,
			Document{Words: 1, Links: []Link{{URL: "/a", Kind: "a", Text: "a"}, {URL: "b", Kind: "area"}, {URL: "c", Kind: "frame"}}}},
		{"upper case, single quotes, entities", `<A HREF='/x?a=1&amp;b=2' REL="nofollow UGC">`,
			Document{Links: []Link{{URL: "/x?a=1&b=2", Rel: "nofollow UGC", Kind: "a"}}}},
		{"an anchor without href is no link", `<a name="x">here</a>`, Document{Words: 1}},
		{"an empty href is a link to the page itself", `<a href="">`, Document{Links: []Link{{Kind: "a"}}}},
		{"src of a link, href of an iframe mean nothing", `<a src="/no"></a><iframe href="/no"></iframe>`, Document{}},
		{"no links in comments and scripts", `<!-- <a href="/no"> --><script>"<a href='/no'>"</script><style>a{}</style>`, Document{NeedsScripts: true}},
		{"no links in a textarea", `<textarea><a href="/no"></textarea><a href=/yes>`, Document{Links: []Link{{URL: "/yes", Kind: "a"}}}},
		{"first base", `<base href="/dir/"><base href="/other/">`, Document{Base: "http://example.com/dir/"}},
		{"canonical", `<link rel="Canonical" href="/one"><link rel=stylesheet href="/no.css">`, Document{Canonical: "http://example.com/one"}},
		{"canonical in the body", `<p>text<link rel=canonical href="/no">`, Document{Words: 1}},
		{"canonical after a text in the head", `<head>text<link rel=canonical href="/no"></head>`, Document{Words: 1}},
		{"alternates are no links", `<link rel=alternate hreflang=" de-AT " href="/de"><link rel="alternate canonical" href="/one"><link rel=next hreflang=fr href="">`,
			Document{Canonical: "http://example.com/one", Hreflang: []Hreflang{{"de-AT", "http://example.com/de"}}}},
		{"next and prev", `<link rel=next href="/2"><link rel=prev href="/0">`,
			Document{Links: []Link{{URL: "/2", Rel: "next", Kind: "link"}, {URL: "/0", Rel: "prev", Kind: "link"}}}},
		{"other relations to pages", `<link rel=Search type="Text/HTML; charset=utf-8" href="/s"><link rel="x glossary" hreflang=de href="/g"><link rel=icon href=/i><link rel="top icon" href=/t>
			<link rel=search type=application/opensearchdescription+xml href="/no"><link rel="alternate start" href="/no"><link rel="stylesheet index" href="/no"><link rel=me href=/no>`,
			Document{Links: []Link{{URL: "/s", Rel: "Search", Kind: "link"}, {URL: "/g", Rel: "x glossary", Kind: "link"}}}},
		{"robots meta", `<meta name=" Robots" content="noindex"><meta name="politecrawl" content="nofollow"><meta charset=utf-8>`,
			Document{Meta: []Meta{{"robots", "noindex"}, {"politecrawl", "nofollow"}}}},
		{"meta refresh", `<meta http-equiv="Refresh" content="5; URL='/next'"><meta http-equiv=refresh content="5">`,
			Document{Links: []Link{{URL: "/next", Kind: "meta"}}}},
		{"broken off", `<title>cut</title><a href="/a">a</a><a href="/b`, Document{Title: "cut", Words: 1, Links: []Link{{URL: "/a", Kind: "a", Text: "a"}}}},
		{"first h1", `<h1> One <b>big</b>ger<br>hea&shy;ding&nbsp;</h1><h1>two</h1>`, Document{H1: "One bigger hea\u00adding", H1Count: 2, Words: 4}},
		{"another heading ends h1", `<h1>one<h2>two</h2>`, Document{H1: "one", H1Count: 1, Words: 2}},
		{"an empty h1", `<h1><img src=x alt=""></h1><h1>two</h1>`, Document{H1Count: 2, Words: 1}},
		{"no words and no h1 of a template", `<template><h1>no</h1>no<template>no</template>no <a href=1>t</a></template><h1>a<template>no</template>b</h1><template shadowrootmode=open>c</template>`,
			Document{H1: "a b", H1Count: 1, Words: 3}},
		{"description", `<meta name=description content=""><meta name=Description content=" a  b "><meta name=description content=c>`,
			Document{Description: "a b", Meta: []Meta{{"description", " a  b "}, {"description", "c"}}}},
		{"lang", `<html lang=" de-AT "><html lang=fr>`, Document{Lang: "de-AT"}},
		{"words", `<p>one<p>two<td>three</td><td>four</td> fi<b>v</b>e&nbsp;six &lt; <!-- no --><script>no</script><style>no</style><textarea>no</textarea>`, Document{Words: 5}},
		{"words of other scripts", "\u00e9t\u00e9\u2003\u65e5\u672c\u3000x\u00a0y\u1680z\u0085&#8195;&ensp;w", Document{Words: 6}},
		{"text of links", `<a href=1><div>a</div><div>b</div><a href=2> c <area href=3> d</a><a href=4>e &amp; <i>f</i>g`,
			Document{Words: 6, Links: []Link{{URL: "1", Kind: "a", Text: "a b"}, {URL: "2", Kind: "a", Text: "c d"}, {URL: "3", Kind: "area"}, {URL: "4", Kind: "a", Text: "e & fg"}}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := readPage([]byte(tt.in))
			for i := range got.Links {
				got.Links[i].URL, got.Links[i].Ref = got.Links[i].Ref, ""
			}
			got.Text, got.Encoding = nil, ""
			if got.Base == "http://example.com/dir/page" {
				got.Base = ""
			}
			if diff := cmp.Diff(&tt.want, got, cmpopts.IgnoreUnexported(Document{})); diff != "" {
				t.Errorf("Read(%q) (-want +got):\n%s", tt.in, diff)
			}
		})
	}
}

func TestPagesThatNeedScripts(t *testing.T) {
	const script = `<script src=app.js></script>`
	for page, want := range map[string]bool{
		script + `<title>App</title><noscript>You need <a href=/help>JavaScript</a><img src=x><iframe src=y></iframe></noscript><div id=root></div>`: true,
		`<script>run()</script><link rel=next href=/2><link rel=stylesheet href=a.css><template>text</template>`:                                     true,
		`<script type=module>run()</script><noscript>unclosed`:                                                                                       true,
		`<head><noscript><link rel=stylesheet href=a.css></noscript>` + script + `</head><body></body>`:                                              true,
		`<div id=root></div>`: false,
		`<script type=application/json>{}</script><div id=root></div>`: false,
		script + `<p>text`:                                       false,
		script + `<noscript>text</noscript>text`:                 false,
		script + `<a href=/page></a>`:                            false,
		script + `<iframe src=/page></iframe>`:                   false,
		script + `<meta http-equiv=refresh content="0; url=/x">`: false,
		script + `<img src=x>`:                                   false,
		script + `<svg><path d=x></svg>`:                         false,
		script + `<video src=x></video>`:                         false,
		script + `<form><input placeholder=name></form>`:         false,
	} {
		if got := readPage([]byte(page)).NeedsScripts; got != want {
			t.Errorf("%s: %t", page, got)
		}
	}
}

func TestImagesWithoutAlt(t *testing.T) {
	for page, want := range map[string]int{
		`<img src=a><IMG SRC=b title=c><picture><source srcset=d><img src=e></picture>`:       3,
		`<img src=a alt><img src=b alt="">` + `<img src=c alt="a &amp; b"><input type=image>`: 0,
		`<img src=a role=presentation><img src=b role=None><img src=c aria-hidden=true>`:      0,
		`<img src=a role=img><img src=b aria-hidden=false>`:                                   2,
		`<noscript><img src=pixel></noscript><template><img src=a></template>`:                0,
		`<svg><image href=a></image></svg>`:                                                   0,
	} {
		if got := readPage([]byte(page)).ImagesWithoutAlt; got != want {
			t.Errorf("%s: %d, want %d", page, got, want)
		}
	}
}

// The text of a link goes on after the links in it, which are reported after it.
func TestLinksInsideALink(t *testing.T) {
	page := "<base href=/x/><a href=1>a" + strings.Repeat("<iframe src=2></iframe>", maxInside) + "b</a><a href=3>c<iframe src=4></iframe>"
	want := []Link{{URL: "http://example.com/x/1", Ref: "1", Kind: "a", Text: "a b"}}
	for range maxInside {
		want = append(want, Link{URL: "http://example.com/x/2", Ref: "2", Kind: "frame"})
	}
	want = append(want, Link{URL: "http://example.com/x/3", Ref: "3", Kind: "a", Text: "c"}, Link{URL: "http://example.com/x/4", Ref: "4", Kind: "frame"})
	if diff := cmp.Diff(want, readPage([]byte(page)).Links); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := readPage([]byte("<a href=1>a" + strings.Repeat("<iframe src=2></iframe>", maxInside+1) + "b")).Links; len(got) != maxInside+2 || got[0].Text != "a" {
		t.Errorf("%d links, the first with the text %q", len(got), got[0].Text)
	}
}

// TestLongFactsAreCutAtACharacter: a hostile page has long ones.
func TestLongFactsAreCutAtACharacter(t *testing.T) {
	long := "x" + strings.Repeat("é", 1<<14)
	doc := readPage([]byte(`<html lang="` + long + `"><meta name=description content="` + long + `"><link rel=alternate hreflang="` + long + `" href=x><title>` + long + `</title><h1>` + long + `</h1><a href=x>` + long + `</a>`))
	for name, text := range map[string]string{"title": doc.Title, "lang": doc.Lang, "description": doc.Description, "hreflang": doc.Hreflang[0].Lang, "h1": doc.H1} {
		if len(text) > maxTitle || len(text) < maxTitle-1 || !strings.HasSuffix(text, "é") {
			t.Errorf("%s has %d bytes and ends %q", name, len(text), text[len(text)-4:])
		}
	}
	if text := doc.Links[0].Text; len(text) > maxLinkText || len(text) < maxLinkText-1 || !strings.HasSuffix(text, "é") {
		t.Errorf("the text of a link has %d bytes and ends %q", len(text), text[len(text)-4:])
	}
	doc = readPage([]byte(strings.Repeat("<link rel=alternate hreflang=de href=x><meta name=robots content=none>", maxMeta+1)))
	if len(doc.Hreflang) != maxMeta || len(doc.Meta) != maxMeta {
		t.Errorf("%d hreflang links and %d meta elements are kept", len(doc.Hreflang), len(doc.Meta))
	}
}

func TestUpgradeInsecureRequests(t *testing.T) {
	for name, tt := range map[string]struct {
		header, page string
		want         bool
	}{
		"header":           {"default-src *; upgrade-insecure-requests", "", true},
		"meta":             {"", "<meta http-equiv=Content-Security-Policy content='upgrade-insecure-requests,'>", true},
		"upper case":       {"Upgrade-Insecure-Requests;", "", true},
		"second policy":    {"img-src *, upgrade-insecure-requests", "", true},
		"another policy":   {"block-all-mixed-content", "<meta http-equiv=content-security-policy content='default-src upgrade-insecure-requests'>", false},
		"meta in the body": {"", "<p><meta http-equiv=content-security-policy content=upgrade-insecure-requests>", false},
		"none":             {"", "", false},
	} {
		if got := Read(Page{URL: "http://example.com/", Header: http.Header{"Content-Security-Policy": {tt.header}}, Body: []byte(tt.page)}, nil).UpgradeInsecure; got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// Readers of the output find there which link elements are links.
func TestSchemaDocumentsPageRelations(t *testing.T) {
	text, err := os.ReadFile("../output/SCHEMA.md")
	if err != nil {
		t.Fatal(err)
	}
	for word, r := range relations {
		if r&relPage != 0 && !strings.Contains(string(text), "`"+word+"`") {
			t.Errorf("SCHEMA.md does not name %s", word)
		}
	}
}
