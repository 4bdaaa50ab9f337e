package robotstxttest

import (
	"strings"
	"testing"
)

// What the judge itself has to know, from the examples of RFC 9309 and from the
// places where it is easily wrong. Package robotstxt holds it against all its
// own tests as well.
func TestAllowed(t *testing.T) {
	const figure = "User-Agent: *⏎Disallow: *.gif$⏎Disallow: /example/⏎Allow: /publications/⏎User-Agent: foobot⏎Disallow:/⏎" +
		"Allow:/example/page.html⏎Allow:/example/allowed.gif⏎User-Agent: barbot⏎User-Agent: bazbot⏎Disallow: /example/page.html⏎User-Agent: quxbot"
	for _, c := range []struct {
		file, tokens, url string
		want              bool
	}{
		{figure, "otherbot", "/x.gif", false},
		{figure, "otherbot", "/publications/a.gif", true},
		{figure, "foobot", "/example/page.html", true},
		{figure, "foobot", "/z", false},
		{figure, "BAZBOT", "/example/page.html", false},
		{figure, "quxbot", "/x.gif", true},
		{figure, "none quxbot foobot", "/x.gif", true},
		{"", "a", "/", true},
		{"\xEF\xBB\xBFuser-agent: a\rdisallow: /x # c\r", "a", "/x", false},
		{"User-agent: a⏎Disallow:⏎User-agent: b⏎Disallow: /", "a", "/", true},
		{"User-agent: a/1⏎Foo: b⏎User-agent: * b⏎Disallow: /", "x", "/", false},
		{"User-agent: *⏎Disallow: /⏎User-agent:⏎Allow: /", "x", "/a", false},
		{"User-agent: *⏎Disallow: /", "x", "/robots.txt", true},
		{"User-agent: *⏎Allow: /a⏎Disallow: /a", "x", "/a", true},
		{"User-agent: *⏎Disallow: /*a*b$", "x", "/xaxbxb", false},
		{"User-agent: *⏎Disallow: /*a*b$", "x", "/xaxbxbx", true},
		{"User-agent: *⏎Disallow: /%7e%2fü", "x", "/~%2F%c3%bc", false},
		{"User-agent: *⏎Disallow: /a?b=/c", "x", "/a?b=%2Fc", false},
		{"User-agent: *⏎Disallow: /a$b", "x", "/a$b", false},
		{"User-agent: *⏎Disallow: /b", "x", "/a/%2e%2e/b", false},
		{"User-agent: *⏎Disallow: /a\x01", "x", "/a", true},
		{"#" + strings.Repeat("x", 511985) + "⏎User-agent: *⏎Disallow: /⏎", "x", "/", true},
	} {
		t.Run(c.tokens+" "+c.url, func(t *testing.T) {
			body := []byte(strings.ReplaceAll(c.file, "⏎", "\n"))
			if got := Allowed(body, strings.Fields(c.tokens), "https://u:p@example.com:8080"+c.url+"#f"); got != c.want {
				t.Errorf("%q: got %v", c.file[:min(len(c.file), 100)], got)
			}
		})
	}
}
