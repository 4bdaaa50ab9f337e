package demosite

import (
	"fmt"
	"html"
	"strings"
	"text/template"
)

// layout is every HTML page of the site. It is a text template, with each
// value escaped by hand, because html/template would rewrite the hrefs, and the
// odd spellings of some of them are what their page is about.
var layout = template.Must(template.New("page").Parse(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{html .Title}}{{if ne .Title .Host}} · {{html .Host}}{{end}}</title>
{{with .Base}}<base href="{{html .}}">
{{end}}{{range .Meta}}<meta name="{{html .Name}}" content="{{html .Content}}">
{{end}}{{with .Canonical}}<link rel="canonical" href="{{html .}}">
{{end}}<link rel="icon" href="data:,">
<style>
:root{color-scheme:light dark;--ink:#1d2330;--soft:#5a6375;--paper:#fbfaf7;--card:#fff;--line:#dcdad2;--hue:hsl({{.Hue}} 60% 28%);--ok:#1b6e3c;--no:#a1261d}
@media(prefers-color-scheme:dark){:root{--ink:#e8e6e0;--soft:#a5abb8;--paper:#14171d;--card:#1d2129;--line:#353b47;--hue:hsl({{.Hue}} 60% 72%);--ok:#7fd49f;--no:#ff9d92}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:1.05rem/1.6 system-ui,sans-serif}
header{border-top:.4rem solid var(--hue);padding:1rem 0;border-bottom:1px solid var(--line)}
header p,main,footer{max-width:46rem;margin:0 auto;padding:0 1.2rem}
header a{font-weight:bold;text-decoration:none}
h1{font-size:2rem;line-height:1.2;margin:1.6rem 0 1rem}
h2{font-size:1.1rem;margin:1.8rem 0 .4rem}
section{background:var(--card);border:1px solid var(--line);border-radius:.6rem;padding:.2rem 1.1rem;margin:1rem 0}
section h2{margin:.8rem 0 .2rem;color:var(--hue)}
section p{margin:.2rem 0 .9rem}
code,pre{font:.88em/1.5 ui-monospace,monospace}
code{overflow-wrap:anywhere;color:var(--soft)}
pre{background:var(--card);border:1px solid var(--line);border-radius:.6rem;padding:.8rem 1rem;overflow-x:auto}
ul{padding-left:1.2rem}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;vertical-align:top;padding:.45rem .8rem .45rem 0;border-bottom:1px solid var(--line)}
a{color:var(--hue)}
.yes{color:var(--ok)}.no{color:var(--no)}
li b{font-size:.85rem}
footer p{color:var(--soft);font-size:.9rem;border-top:1px solid var(--line);margin:3rem 0;padding-top:1rem}
</style>
</head>
<body>
<header><p><a href="/">{{html .Host}}</a> · <code>{{html .Origin}}</code></p></header>
<main>
<h1>{{html .Title}}</h1>
<section>
<h2>What this page shows</h2>
<p>{{html .Shows}}</p>
<h2>What a polite crawler does</h2>
<p>{{html .Polite}}</p>
{{with .Verdicts}}<h2>What robots.txt says of it</h2>
{{range .}}<p><b class="{{if .Allowed}}yes">Allowed{{else}}no">Disallowed{{end}}</b> for {{html .Whom}}{{if .Line}}: line {{.Line}}, <code>{{html .Rule}}</code>{{else}}: no line matches{{end}}</p>
{{end}}{{end}}</section>
{{with .Links}}<h2>Links</h2>
<ul>
{{range .}}<li><a href="{{html .Href}}"{{with .Rel}} rel="{{html .}}"{{end}}>{{html .Text}}</a> <code>{{html .Href}}</code>{{with .Mark}} <b class="{{.Class}}">{{.Text}}</b>{{end}}</li>
{{end}}</ul>
{{end}}{{.Extra}}</main>
<footer><p>A page of the politecrawl demo site, for trying crawlers on. Everything here is made up.
<a href="{{html .Start}}">To the hosts of the site</a></p></footer>
</body>
</html>
`))

// sheet is what layout shows of a page.
type sheet struct {
	Host, Origin         string
	Hue                  int
	Title, Shows, Polite string
	Base, Canonical      string
	Start                string // URL of the site's front page
	Meta                 []meta
	Verdicts             []verdict
	Links                []anchor
	Extra                string // markup
}

type meta struct{ Name, Content string }

type anchor struct {
	Href, Text, Rel string
	Mark            *mark // nil: not a URL of the site
}

// render writes the page of r.
func render(r *route) []byte {
	s := sheet{
		Host: r.host.title, Origin: r.host.origin, Hue: r.host.hue,
		Title: r.title, Shows: r.shows, Polite: r.polite,
		Base: r.base, Canonical: r.copyOf, Start: r.host.start, Extra: r.extra,
		Verdicts: verdicts(r),
	}
	if r.uri == "/" {
		s.Extra += robotsMarkup(r.host)
	}
	for _, m := range r.meta {
		name, content, _ := strings.Cut(m, "=")
		s.Meta = append(s.Meta, meta{name, content})
	}
	for _, l := range r.links {
		s.Links = append(s.Links, anchor{l.href, l.text, l.rel, r.markOf(l.href)})
	}
	var b strings.Builder
	if err := layout.Execute(&b, s); err != nil {
		panic("demosite: " + err.Error()) // the template and the sheet are both this file's
	}
	return []byte(b.String())
}

// robotsMarkup shows the robots.txt of h. It is no link, because crawlers would
// take that for one to a page.
func robotsMarkup(h *host) string {
	url := "<code>" + html.EscapeString(h.origin) + "/robots.txt</code>"
	if h.rules == "" {
		return "<h2>No robots.txt is in force here</h2>\n<p>" + url + " answers 404, and what it says besides is no rule:</p>\n" +
			numbered(h.find("/robots.txt").body)
	}
	return "<h2>The robots.txt in force here</h2>\n<p>" + url + "</p>\n" + numbered(h.rules)
}

// numbered is text with line numbers, as markup.
func numbered(text string) string {
	var b strings.Builder
	b.WriteString("<pre>")
	for i, line := range strings.Split(strings.TrimRight(text, "\r\n"), "\n") {
		fmt.Fprintf(&b, "%3d  %s\n", i+1, html.EscapeString(strings.TrimRight(line, "\r")))
	}
	b.WriteString("</pre>\n")
	return b.String()
}
