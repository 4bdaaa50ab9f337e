package extract

import (
	"html"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// resourcesOf returns the resources of a page, each as "kind URL", and its ids.
func resourcesOf(page string) (resources, ids []string) {
	got := readWith([]byte(page), false)
	for _, r := range got.Resources {
		resources = append(resources, r.Kind+" "+r.Ref)
	}
	return resources, got.IDs
}

func TestResources(t *testing.T) {
	for _, tt := range []struct {
		name, page string
		want       []string
	}{
		{"image", `<img src=" a.png ">`, []string{"img a.png"}},
		{"image without src", `<img><img src=""><img src="#x">`, nil},
		{"data in the attribute", `<img src="data:image/png;base64,AAAA"><img src="DATA:,">`, nil},
		{"srcset", `<img src=a srcset="b 1x, c 2x,d">`, []string{"img a", "img b", "img c", "img d"}},
		{"white space around references", "<img src='\v\u00a0a\u3000\x1f\n'><img srcset='\u2003a\u0085 1x'><script src=' \u2028a\t'></script>", []string{"img \u00a0a\u3000", "img \u2003a\u0085", "script \u2028a"}},
		{"picture", `<picture><source srcset="a.webp"><img src="a.png"></picture>`, []string{"source a.webp", "img a.png"}},
		{"script", `<script src="a.js"></script><script>"<img src=no>"</script>`, []string{"script a.js"}},
		{"scripts by type", `<script type=module src=1></script><script type=" Text/JavaScript " src=2></script><script type=text/template src=3></script><script type="text/javascript; x=y" src=4></script><script type=importmap src=5></script>`, []string{"module 1", "script 2"}},
		{"script of several lines in upper case", "<SCRIPT\nSRC='a.js?x=1&amp;y=2'>if (a < b) {}</SCRIPT><img src=b>", []string{"script a.js?x=1&y=2", "img b"}},
		{"stylesheet", `<link rel="Stylesheet" href="a.css">`, []string{"stylesheet a.css"}},
		{"alternative stylesheet", `<link rel="alternate stylesheet" href="a.css">`, []string{"stylesheet a.css"}},
		{
			"relations in any order",
			`<link rel="preload stylesheet" href=1><link rel="stylesheet preload" href=2><link rel="icon preload" href=3><link rel="preload icon" href=4><link rel="preconnect stylesheet" href=5><link rel="stylesheet canonical" href=6>` +
				`<link rel="alternate icon" href=7><link rel="preload dns-prefetch" href=8><link rel="manifest preload" href=9><link rel="icon stylesheet" href=10><link rel="help preload" href=11><link rel="nofollow pingback" href=12>`,
			[]string{"stylesheet 1", "stylesheet 2", "icon 3", "icon 4", "stylesheet 5", "stylesheet 6", "icon 7", "preload 8", "manifest 9", "stylesheet 10", "preload 11"},
		},
		{"relations with other white space or letters", "<link rel='a\tSTYLESHEET\f' href=1><link rel='stylesheet\u00a0a' href=2><link rel='mas\u212a-icon' href=3><link rel='\vicon' href=4>", []string{"stylesheet 1", "link 2", "link 3", "link 4"}},
		{"stylesheet with hreflang", `<link rel=stylesheet hreflang=de href=1>`, []string{"stylesheet 1"}},
		{"icons", `<link rel="shortcut icon" href=1><link rel="apple-touch-icon" href=2><link rel=mask-icon href=3><link rel=fluid-icon href=4>`, []string{"icon 1", "icon 2", "icon 3", "icon 4"}},
		{"manifest", `<link rel=manifest href=1>`, []string{"manifest 1"}},
		{"other link elements", `<link rel=preload href=1 imagesrcset="2 1x"><link rel=alternate type=application/rss+xml href=3>`, []string{"preload 1", "preload 2", "link 3"}},
		{"link elements that name pages", `<link rel=help href=1><link rel=search type=application/opensearchdescription+xml href=2><link rel="up icon" href=3>`, []string{"link 2", "icon 3"}},
		{"link elements that name no document", `<link rel=webmention href=1><link rel=schema.DC href=2><link rel=hub href=3>`, nil},
		{
			"link elements that use nothing",
			`<link rel=canonical href=1><link rel=next href=1><link rel=alternate hreflang=de href=1><link rel=preconnect href=//a><link rel=dns-prefetch href=//a><link rel=icon>`, nil,
		},
		{"link element without a relation", `<link rev=made href=1>`, []string{"link 1"}},
		{"media", `<video src=1 poster=2><source src=3><track src=4></video><audio src=5></audio>`, []string{"video 1", "poster 2", "source 3", "track 4", "audio 5"}},
		{"object and embed", `<object data=1></object><embed src=2>`, []string{"object 1", "embed 2"}},
		{"backgrounds", `<body background=1><p background=2></p><table background=" 3 "><thead background=4><tr background=5><th background=6></thead><tbody background=7><tr><td BACKGROUND="8"><tfoot background=9></table><table background=""></table>`, []string{"background 1", "background 3", "background 4", "background 5", "background 6", "background 7", "background 8", "background 9"}},
		{"input", `<input type=Image src=1><input src=2><input type=text src=3><input type=" image" src=4>`, []string{"input 1"}},
		{"style elements", `<style>@import "a.css"; p{background:url(1)}</style><STYLE media=">">q{b:url(2)}</STYLE><img src=3>`, []string{"css a.css", "css 1", "css 2", "img 3"}},
		{"style element without an end", `<style>p{background:url(1)}<img src=2>`, []string{"css 1"}},
		{"style attributes", `<p style="background: url(&quot;1&quot;)"><b style='b:url("2")' style="b:url(3)"><i style="color: red"><img style="b:url(4)" src=5>`, []string{"css 1", "css 2", "css 4", "img 5"}},
		{"SVG", `<svg><image href=1 xlink:href=2 /><image xlink:href=3 /><use href="icons.svg#a"/><use href="#a"/><filter><feImage href=4 /></filter><style>p{b:url(5)}</style><style/></svg>`, []string{"image 1", "image 3", "use icons.svg#a", "feimage 4", "css 5"}},
		{"modules", `<script type=Module>import a from "./1.js"; import("/2.js")</script><script>import("./no.js")</script><script type=module src=3></script><template><script type=module>import "./no.js"</script></template><script type=" module ">/* <!-- import "./no.js" */ export * from "./4.js"</script><svg><script type=module>import "./no.js"</script></svg>`, []string{"module ./1.js", "module /2.js", "module 3", "module ./4.js"}},
		{"styles in a template", `<template><style>p{b:url(1)}</style><p style="b:url(2)"></template><style>p{b:url(3)}</style>`, []string{"css 3"}},
		{"in noscript", `<noscript><img src=1></noscript>`, []string{"img 1"}},
		{"in a template", `<template><img src=1><template></template><img src=2></template><div><template shadowrootmode=open><img src=3></template></div>`, []string{"img 3"}},
		{"in comments and text areas", `<!-- <img src=1> --><textarea><img src=2></textarea>`, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			resources, _ := resourcesOf(tt.page)
			if diff := cmp.Diff(tt.want, resources); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.page, diff)
			}
		})
	}
}

// The modules of a script are those that it imports by a URL, whatever is around them. Comments import nothing.
func TestReadScript(t *testing.T) {
	for text, want := range map[string][]string{
		`import"./a.js";import b,{c as d}from'../b.js';import*as e from "/c.js";export{f}from"https://g.test/d.js";export * from "./e.js"`:       {"./a.js", "../b.js", "/c.js", "https://g.test/d.js", "./e.js"},
		`import React from 'react'; import 'lodash/x'; import data from './d.json' with { type: 'json' }`:                                        {"./d.json"},
		"const x = import('./lazy.js'), y = await import ( \"./l2.js\" ); import(name); import.meta.url; import(`./t.js`)":                       {"./lazy.js", "./l2.js"},
		"// import './no.js'\n  // import './no.js'\n/* import './no.js'\n */ const s = `${import('./yes.js')}`":                                 {"./yes.js"},
		"/** @type {import('./no.js').A} */ let a = /** @type {import('./no.js').B} */ (b)\n/**\n * @see import('./no.js')\n */ import './a.js'": {"./a.js"},
		`accept("*/*", "image/*"); glob("/**/*.js"); x = "https://a.test"; import("./a.js") /*! license */`:                                      {"./a.js"},
		`if (a && (b)) /'"/.test(c); d = /["'import]/.test("x"); import "./a.js"`:                                                                {"./a.js"},
		`return /import "x/; x = { from: "./no.js" }; Array.from("./no.js"); y["import"]("./no.js")`:                                             nil,
		`import "./a.js"; /** import "./no.js"`:      {"./a.js"},
		`import "./a\x62.js"; import "./unclosed.js`: nil, "": nil, "<p>": nil, "from": nil,
	} {
		var got []string
		ReadScript(Page{URL: "http://example.com/js/main.js", Body: []byte(text)}, func(r Resource) { got = append(got, r.Ref) })
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// With Requisites, modules and preloaded stylesheets are told from other files, and frames are read if the page has them.
func TestRequisites(t *testing.T) {
	frame := func(document string) string {
		return `<iframe src=no srcdoc="` + html.EscapeString(document) + `"></iframe>`
	}
	for _, tt := range []struct {
		name, page string
		want       []string
	}{
		{"link elements", `<link rel=preload as=Style href=1><link rel=preload as=font href=2><link rel=prefetch as=style href=3><link rel=stylesheet href=4><link rel=modulepreload href=5>`, []string{"stylesheet 1", "preload 2", "link 3", "stylesheet 4", "module 5"}},
		{"scripts", `<script type=module src=1></script><script src=2></script>`, []string{"module 1", "script 2"}},
		{"frames", `<iframe src=1></iframe><iframe src="#"></iframe><iframe srcdoc></iframe><iframe></iframe>`, []string{"iframe 1"}},
		{"frames in a frameset", `<frameset><frame src=1></frameset>`, []string{"iframe 1"}},
		{"documents in srcdoc", `<base href=/b/>` + frame(`<img src=2><iframe src=3></iframe><script type=module>import "./4"</script>`) + `<img src=1>` + frame(`<p>`+frame(`<img src=no>`)), []string{"img 1", "img 2", "iframe 3", "module ./4"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			checkReaders(t, []byte(tt.page))
			var got []string
			Read(Page{URL: "http://example.com/", Body: []byte(tt.page)}, &Handlers{Requisites: true, Resource: func(r Resource) {
				got = append(got, r.Kind+" "+r.Ref)
				if tt.name == "documents in srcdoc" && !strings.HasPrefix(r.URL, "http://example.com/b/") {
					t.Errorf("URL %s", r.URL)
				}
			}})
			if !slices.Equal(got, tt.want) {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

func TestImagesHaveAltAsText(t *testing.T) {
	for _, tt := range []struct {
		name, page string
		want       []string
	}{
		{"alt", `<img src=1 alt="A cat"><img alt=b src=2>`, []string{"A cat", "b"}},
		{"white space, control characters and entities", "<img src=1 alt='\n a &amp;\t\x7fb\u00a0 c&nbsp;'>", []string{"a & b c"}},
		{"empty, blank or missing", `<img src=1 alt=""><img src=2 alt=" &nbsp;"><img src=3 alt><img src=4>`, []string{"", "", "", ""}},
		{"longer than 200 bytes, cut at a character", `<img src=1 alt=x` + strings.Repeat("é", 150) + `>`, []string{"x" + strings.Repeat("é", 99)}},
		{"srcset", `<img src=1 srcset="2 2x, 3 3x" alt=a>`, []string{"a", "a", "a"}},
		{"picture", `<picture><source srcset=1 alt=no><img src=2 alt=a></picture>`, []string{"", "a"}},
		{"other elements", `<input type=image src=1 alt=no><p style="b:url(2)" alt=no></p><img src=3 style="b:url(4)" alt=a><svg><image href=5 alt=no /></svg>`, []string{"", "", "", "a", ""}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			checkReaders(t, []byte(tt.page))
			var got []string
			for _, r := range readWith([]byte(tt.page), false).Resources {
				got = append(got, r.Text)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.page, diff)
			}
			on := &Handlers{Resource: func(r Resource) {
				if r.Text != "" {
					t.Errorf("%+v without LinkTexts", r)
				}
			}}
			Read(Page{URL: "http://example.com/", Body: []byte(tt.page)}, on)
		})
	}
}

func TestIDs(t *testing.T) {
	for _, tt := range []struct {
		page string
		want []string
	}{
		{`<p id=a><a name=b></a><a id=c name=d></a><a id=e name=e></a><map name=no></map>`, []string{"a", "b", "c", "d", "e"}},
		{`<P ID="a b"><svg><g id=c /></svg><script id=d></script><p id>`, []string{"a b", "c", "d"}},
		{`<p id="x&amp;y"><p id=é>`, []string{"x&y", "é"}},
		{`<!-- <p id=a> -->`, nil},
	} {
		if _, ids := resourcesOf(tt.page); !slices.Equal(ids, tt.want) {
			t.Errorf("%s: ids %q, want %q", tt.page, ids, tt.want)
		}
	}
}

func TestFragment(t *testing.T) {
	for ref, want := range map[string]string{
		"/a": "", "/a#": "", "#b": "b", "/a#b#c": "b#c", "#top": "", "#Top": "", "#topic": "topic",
		"#:~:text=x": "", "#b:~:text=x": "b", "#!/x": "", "#/x": "", "#a%20b": "a%20b",
	} {
		if got := Fragment(ref); got != want {
			t.Errorf("Fragment(%q) = %q, want %q", ref, got, want)
		}
	}
}
