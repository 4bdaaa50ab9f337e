package e2e

import (
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
)

// What a robots.txt or a sitemap has of users and passwords is shown by no command, in no
// form.
func TestFilesHoldNoPassword(t *testing.T) {
	const user = "alice:hunter2@"
	robots := clitest.WriteFile(t, "robots.txt", strings.ReplaceAll(`note: http://USERh/
http://USERh/ is no field
Sitemap: http://USERh/map.xml
Sitemap: http://USERh:x/map.xml
Sitemap: /map.xml http://USERh/
Sitemap: //USERh/map.xml
User-agent: *
Disallow: http://USERh/no
Disallow: //USERh/x
Allow: //USERh/x/y
Disallow: /a //USERh/x
Disallow: /a http://USERh/*/x
Disalow: http://USERh/
Crawl-delay: http://USERh/
Visit-time: http://USERh/
note: http://USERh/
Request-rate: http://USERh/
Sitemap: http:/USERh/map.xml
Sitemap: http:///USERh/map.xml
Sitemap: https:USERh
Sitemap: USERh/foo
Sitemap: http://alice:hun/hunter2@h/
Sitemap: http://alice:pass hunter2@h/
Sitemap: http://alice:hunter2＠h/
Host: USERfoo
Host: alice hunter2@foo
http:/USERh/
http //USERh
Disallow: http://alice:pass hunter2@h
Disallow: http://alice:hunter2 pass@h
Allow: USERh/f3
Disallow: http:USERh/f3
Sitemap: view-source:http://USERh/
`, "USER", user))
	sitemap := clitest.WriteFile(t, "map.xml", strings.ReplaceAll(`<?xml version="1.0"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml"
 xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" xmlns:video="http://www.google.com/schemas/sitemap-video/1.1">
<url><loc>http://USERh.test/a</loc>
<xhtml:link rel="alternate" hreflang="de" href="http://USERh.test/de"/>
<image:image><image:loc>http://USERh.test/i.png</image:loc><image:license>http://USERh.test/licence</image:license></image:image>
<video:video><video:thumbnail_loc>http://USERh.test/t.png</video:thumbnail_loc><video:title>t</video:title><video:description>d</video:description>
<video:content_loc>http://USERh.test/v.mp4</video:content_loc><video:player_loc>http://USERh.test/player</video:player_loc>
<video:uploader info="http://USERh.test/me">me</video:uploader></video:video></url>
<url><loc>http://USERh.test:x/</loc></url>
<url><loc>http:///USERh.test/</loc></url>
<url><loc>http:/USERh.test/</loc></url>
<url><loc>https:USERh.test/</loc></url>
<url><loc>USERh.test/</loc></url>
<url><loc>http://alice:hunter2＠h.test/</loc></url>
<url><loc>http://alice:pass hunter2@h.test/</loc></url>
<url><loc>http://alice:hunter2 pass@h.test/</loc></url>
<url><loc>http://alice:hunter2/pass@h.test/</loc></url>
<url><loc>http://h.test/v</loc><image:image><image:loc>http:///USERh.test/i.png</image:loc></image:image></url>
</urlset>`, "USER", user))
	for _, args := range [][]string{
		{"robots", "show", robots}, {"robots", "show", robots, "--format", "json"}, {"robots", "lint", robots}, {"robots", "lint", robots, "--format", "json"},
		{"robots", "check", "http://h/no", "--robots", robots, "--explain"},
		// The rule, decoded, is the path that is asked about: the output has the path as the user wrote it.
		{"robots", "check", "http://h//alice:%68unter2@h/x", "--robots", robots}, {"robots", "agents", robots}, {"robots", "agents", robots, "--format", "json"},
		{"permit", "/x", "--robots", robots}, {"permit", "/x", "--robots", robots, "--format", "json"}, {"permit", "http://alice:hunter2@h/x", "--robots", robots},
		{"robots", "diff", "-", robots}, {"robots", "diff", "-", robots, "--format", "json"},
		{"sitemap", sitemap}, {"sitemap", sitemap, "--format", "json"}, {"sitemap", sitemap, "--format", "csv"}, {"sitemap", sitemap, "--check"},
		{"sitemap", sitemap, "--check", "--format", "json"},
	} {
		got := run(t, args...)
		if text := got.Out + got.Stderr; strings.Contains(text, "hunter2") || len(got.Out) < 10 {
			t.Errorf("%q: %s", args, text)
		}
	}
}

// An explanation shows a rule, and the path that was compared with it, as all else does.
func TestExplanationHoldsNoPassword(t *testing.T) {
	const robots = "User-agent: *\nDisallow: //alice:hunter2@h/x\n"
	for _, format := range []string{"text", "json"} {
		got := runWith(t, robots, "robots", "check", "//alice:hunter2@h/x", "--robots", "-", "--explain", "--format", format)
		if text := got.Out + got.Stderr; strings.Contains(text, "hunter2") || strings.Count(text, "//***@h/x") < 4 {
			t.Error(text)
		}
	}
}
