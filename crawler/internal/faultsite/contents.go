package faultsite

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf16"
)

// contents returns correctly framed bodies with invalid or excessive content.
func contents() []*Fault {
	before := func(text string) responder {
		return body(func(x *exchange) []byte { return append([]byte(text), x.good.body...) })
	}
	after := func(text func() []byte) responder {
		text = sync.OnceValue(text) // it may take a while
		return body(func(x *exchange) []byte { return append(slices.Clip(x.good.body), text()...) })
	}
	times := func(n int, text string) func() []byte {
		return func() []byte { return bytes.Repeat([]byte(text), n) }
	}
	none := Want{}
	return []*Fault{
		fault("nul-bytes", "has NUL bytes in the body, and at its end", whole(), rules(), read(), after(func() []byte { return []byte("\n\x00\x00\x00a\x00b<\x00>\x00\n\x00") })),
		fault("invalid-utf8", "has invalid UTF-8 in the body", whole(), rules(), read(), after(func() []byte { return []byte("\n<p>\xff\xfe\xc0\xaf\xed\xa0\x80</p>\n") })),
		fault("utf-8-mark", "has a byte order mark before the body", whole(), rules(), read(), before("\xef\xbb\xbf")),
		fault("utf-16", "sends the body in UTF-16, with a byte order mark", whole(), rules().withoutRules(), read(), body(func(x *exchange) []byte { return wide(x.good.body) })),
		fault("endless-body", "sends a body without end", whole().truncated(), rules().truncated(), none, flood("{head}\n{body}", strings.Repeat("<p>more\n", 2<<10))),
		fault("endless-sitemap", "sends a sitemap without end", none, none, faulty("").followed(), func(x *exchange) bool {
			front := strings.TrimSuffix(string(x.good.body), "</urlset>\n")
			for ok := x.send(x.fill("{head}\r\n") + front); ok; {
				ok = x.send(strings.Repeat("<!-- more -->\n", 2<<10))
			}
			return false
		}),
		fault("endless-line", "sends a line without end", whole().truncated(), rules().truncated(), none, flood("{head}\n{body}", strings.Repeat("x", 32<<10))),
		fault("giant-title", "has a title of 1 MiB", whole(), none, none, before("<title>"+strings.Repeat("title ", 1<<20/6)+"</title>")),
		fault("title-without-end", "begins a title and never ends it", whole(), none, none, body(func(x *exchange) []byte {
			return append(bytes.Clone(x.good.body), "<title>"+strings.Repeat("and on ", 1<<16)...)
		})),
		fault("markup-in-title", "has markup and control characters for a title", whole(), none, none, before("<title>&lt;script&gt;alert(1)&lt;/script&gt;\x1b[31m\x07\u202e=cmd|' /C calc'!A0</title>")),
		fault("million-links", "links to a hundred thousand pages that robots.txt disallows", whole(), none, none, after(func() []byte {
			var b bytes.Buffer
			for i := range 100_000 {
				fmt.Fprintf(&b, "<a href=%s%d>x</a>\n", closedPath, i)
			}
			return b.Bytes()
		})),
		fault("deep-nesting", "nests a hundred thousand elements", whole(), none, none, after(times(100_000, "<div><b>"))),
		fault("deep-tables", "nests tables where they are not allowed", whole(), none, none, after(times(20_000, "<table><p><a href=/behind><select><svg>"))),
		fault("giant-attribute", "has an attribute of 2 MiB", whole(), none, none, after(func() []byte { return []byte(`<a title="` + strings.Repeat("x", 2<<20) + `">x</a>`) })),
		fault("many-attributes", "has an element of a hundred thousand attributes", whole(), none, none, after(func() []byte { return []byte("<p " + strings.Repeat("a=b ", 100_000) + ">") })),
		fault("giant-link", "links to a URL of 1 MiB", whole(), none, none, after(func() []byte { return []byte(`<a href="/` + strings.Repeat("x", 1<<20) + `">x</a>`) })),
		fault("comment-without-end", "begins a comment and never ends it", whole(), none, none, after(func() []byte { return []byte("<!--" + strings.Repeat("- ", 1<<18)) })),
		fault("tag-without-end", "begins a tag and never ends it", whole(), none, none, after(func() []byte { return []byte("<a href=" + strings.Repeat("/x", 1<<18)) })),
		fault("script-without-end", "begins a script and never ends it", whole(), none, none, after(func() []byte { return []byte("<script>" + strings.Repeat("<!--<script>", 1<<16)) })),
		fault("entities", "has a hundred thousand entities", whole(), none, none, after(times(100_000, "&NotEqualTilde;&#x10FFFF;&#0;&amp"))),
		fault("odd-links", "links to other schemes and invalid URLs", whole(), none, none, after(func() []byte {
			return []byte(`<a href="http://[">a</a><a href="//">b</a><a href="http://%zz/">c</a><a href="javascript:void(0)">d</a>` +
				`<a href="data:text/html,<a href=/>">e</a><a href="mailto:x@y">f</a><a href=" ">g</a><a href="#">h</a><a href="\x00">i</a>` +
				`<a href="http://user:secret@127.0.0.1:1/">j</a><a href="http://999.999.999.999/">k</a><a href="ftp://127.0.0.1/">l</a>`)
		})),
		fault("picture", "sends a picture as a page", fetched(200), none, none, body(func(*exchange) []byte {
			return append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"), bytes.Repeat([]byte("\x00\x01<a\xff>\xfe"), 1<<12)...)
		})),
		fault("packed-unsaid", "compresses the body without saying so", fetched(200), rules().withoutRules(), read(), body(func(x *exchange) []byte { return encode("gzip", x.good.body) })),
	}
}

// wide returns text in UTF-16, little-endian.
func wide(text []byte) []byte {
	out := []byte("\xff\xfe")
	for _, unit := range utf16.Encode([]rune(string(text))) {
		out = append(out, byte(unit), byte(unit>>8))
	}
	return out
}

// lists returns invalid or excessive robots.txt files and sitemaps.
func lists() []*Fault {
	robots := func(name, does string, want Want, text func(origin string) string) *Fault {
		return fault(name, does, Want{}, want, Want{}, body(func(x *exchange) []byte { return []byte(text(x.host.Origin) + string(x.good.body)) }))
	}
	sitemap := func(name, does string, want Want, text func(origin string) string) *Fault {
		return fault(name, does, Want{}, Want{}, want, body(func(x *exchange) []byte { return []byte(text(x.host.Origin)) }))
	}
	entry := func(origin, path string) string { return "<url><loc>" + origin + path + "</loc></url>" }
	both := func(origin string) string { return entry(origin, listedPath) + entry(origin, afterPath) }
	return []*Fault{
		robots("robots-of-html", "has a page for a robots.txt", rules(), func(string) string { return "<!doctype html><title>Not here</title><p>\n" }),
		robots("robots-giant-line", "has a line of 300 KiB in its robots.txt", rules(), func(string) string { return "Disallow: /" + strings.Repeat("x", 300<<10) + "\n" }),
		robots("robots-many-rules", "has twenty thousand rules", rules(), func(string) string {
			return "User-agent: *\n" + strings.Repeat("Disallow: /a*b*c*d$\n", 20_000) + "\n"
		}),
		robots("robots-many-groups", "has forty thousand groups", rules(), func(string) string { return strings.Repeat("User-agent: x\n", 30_000) + "Disallow: /\n\n" }),
		robots("robots-stars", "has a rule of ten thousand stars", rules(), func(string) string {
			return "User-agent: *\nDisallow: /" + strings.Repeat("*a", 10_000) + "$\n"
		}),
		robots("robots-many-sitemaps", "lists ten thousand sitemaps that it closes", rules(), func(o string) string {
			var b strings.Builder
			for i := range 10_000 {
				fmt.Fprintf(&b, "Sitemap: %s%s%d.xml\n", o, closedPath, i)
			}
			return b.String()
		}),
		robots("robots-odd-delay", "asks for delays that are none", rules(), func(string) string {
			return "User-agent: *\nCrawl-delay: 1e999\nCrawl-delay: -1\nCrawl-delay: NaN\nRequest-rate: 0/0\nVisit-time: 9999-9999\n"
		}),
		robots("robots-odd-sitemaps", "lists sitemaps that are none", rules(), func(string) string {
			return "Sitemap: \nSitemap: /relative.xml\nSitemap: javascript:x\nSitemap: http://[\nSitemap: file:///etc/passwd\nSitemap: " + strings.Repeat("x", 9000) + "\n"
		}),
		sitemap("sitemap-of-html", "has a page for a sitemap", faulty(""), func(string) string { return "<!doctype html><title>Not here</title><p>" }),
		sitemap("sitemap-cut", "ends a sitemap in the middle", faulty("").followed(), func(o string) string {
			return "<urlset>" + both(o) + "<url><loc>" + o
		}),
		sitemap("sitemap-too-many", "lists sixty thousand pages", faulty("too many entries").followed(), func(o string) string {
			return "<urlset>" + both(o) + strings.Repeat(entry(o, closedPath+"x"), 60_000) + "</urlset>"
		}),
		sitemap("sitemap-of-itself", "has an index that lists itself", Want{Outcome: Read, Status: 200}, func(o string) string {
			return "<sitemapindex><sitemap><loc>" + o + sitemapPath + "</loc></sitemap></sitemapindex>"
		}),
		sitemap("sitemap-nul", "has a NUL in a sitemap", read(), func(o string) string {
			return "<urlset>" + both(o) + "\x00<url>\x00</url></urlset>"
		}),
		sitemap("sitemap-nested", "nests a hundred thousand elements in a sitemap", faulty("nested").followed(), func(o string) string {
			return "<urlset>" + both(o) + strings.Repeat("<a>", 100_000) + "</urlset>"
		}),
		sitemap("sitemap-entities", "has entities that grow into each other", Want{Outcome: Read, Status: 200, Follows: true}, func(o string) string {
			return `<!DOCTYPE urlset [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">` +
				`<!ENTITY x SYSTEM "file:///etc/passwd">]><urlset>` + both(o) + "<url><loc>&c;&x;</loc></url></urlset>"
		}),
		sitemap("sitemap-giant-tag", "has a tag of 2 MiB in a sitemap", faulty("tag").followed(), func(o string) string {
			return "<urlset>" + both(o) + "<url a='" + strings.Repeat("x", 2<<20) + "'></url></urlset>"
		}),
		sitemap("sitemap-giant-location", "lists a URL of 1 MiB", read(), func(o string) string {
			return "<urlset>" + both(o) + entry(o, "/"+strings.Repeat("x", 1<<20)) + "</urlset>"
		}),
		sitemap("sitemap-odd-locations", "lists what are no pages", read(), func(o string) string {
			return "<urlset>" + both(o) + "<url><loc>javascript:x</loc></url><url><loc>http://[</loc></url><url></url><url><loc/></url>" +
				"<url><loc>http://169.254.169.254/latest/meta-data/</loc><lastmod>never</lastmod><priority>much</priority></url></urlset>"
		}),
	}
}
