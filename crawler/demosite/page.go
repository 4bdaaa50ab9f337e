package demosite

import (
	_ "embed"
	"fmt"
	"html"
	"strings"
	"text/template"
)

// layout is the template of all HTML pages. It is a text template that escapes each value
// itself, since html/template would rewrite hrefs with unusual spellings, which some pages test.
var layout = template.Must(template.New("page").Parse(layoutText))

//go:embed page.html
var layoutText string

// A sheet has the values that layout shows.
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
	Mark            *mark // nil if the URL is not on this site
}

// render returns the HTML page of r.
func render(r *route) []byte {
	s := sheet{
		Host: r.host.title, Origin: r.host.origin, Hue: r.host.hue,
		Title: r.title, Shows: r.shows, Polite: r.polite,
		Base: r.base, Canonical: r.copyOf, Start: r.host.site.StartURLs()[0], Extra: r.extra,
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

// robotsMarkup shows the robots.txt of h, without a link to it: crawlers would follow that.
func robotsMarkup(h *host) string {
	url := "<code>" + html.EscapeString(h.origin) + "/robots.txt</code>"
	if h.rules == "" {
		return "<h2>This host has no robots.txt</h2>\n<p>" + url + " responds with 404. Its body has no effect:</p>\n" +
			numbered(h.find("/robots.txt").body)
	}
	return "<h2>The robots.txt of this host</h2>\n<p>" + url + "</p>\n" + numbered(h.rules)
}

// numbered returns HTML with text and line numbers.
func numbered(text string) string {
	var b strings.Builder
	b.WriteString("<pre>")
	for i, line := range strings.Split(strings.TrimRight(text, "\r\n"), "\n") {
		fmt.Fprintf(&b, "%3d  %s\n", i+1, html.EscapeString(strings.TrimRight(line, "\r")))
	}
	b.WriteString("</pre>\n")
	return b.String()
}
