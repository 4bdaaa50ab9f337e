package robotstxt

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSitemaps(t *testing.T) {
	for _, c := range []struct {
		name string
		file string
		want string // URLs, space between them
	}{
		{"ROB-SMP-01/three", "Sitemap: http://h/1.xml⏎User-agent: *⏎sitemap: https://h/2.xml⏎Disallow: /⏎SITEMAP:http://h/3.xml#c", "http://h/1.xml https://h/2.xml http://h/3.xml"},
		{"ROB-SMP-01/none", "User-agent: *⏎Disallow: /", ""},
		{"ROB-SMP-02/in a group", "User-agent: x⏎Disallow: /x⏎Sitemap: http://h/x.xml", "http://h/x.xml"},
		{"ROB-SMP-03/another host", "Sitemap: https://cdn.example.org/other-sitemap.xml", "https://cdn.example.org/other-sitemap.xml"},
		{"ROB-SMP-05/as written", "Sitemap: HTTP://WWW.Example.com:80/A/../Sitemap.XML?B=%41", "HTTP://WWW.Example.com:80/A/../Sitemap.XML?B=%41"},
		{"ROB-SMP-06/raw path", "Sitemap: https://h/テスト-サイトマップ.xml", "https://h/%E3%83%86%E3%82%B9%E3%83%88-%E3%82%B5%E3%82%A4%E3%83%88%E3%83%9E%E3%83%83%E3%83%97.xml"},
		{"ROB-SMP-06/raw host", "Sitemap: https://WWW.MÜLLER.eu/s.xml", "https://www.xn--mller-kva.eu/s.xml"},
		{"ROB-SMP-06/raw host and port", "Sitemap: https://müller.eu:8080/ü", "https://xn--mller-kva.eu:8080/%C3%BC"},
		{"ROB-SMP-06/as written but for the path", "Sitemap: HTTP://T/ü⏎Sitemap: HTTP://TTP.t/ü", "HTTP://T/%C3%BC HTTP://TTP.t/%C3%BC"},
		{"ROB-SMP-06/userinfo", "Sitemap: http://ü:p@MÜLLER.eu/%41", "http://%C3%BC:p@xn--mller-kva.eu/%41"},
		{"ROB-SMP-06/space", "Sitemap: https://h/a b.xml", "https://h/a%20b.xml"},
		{"ROB-SMP-06/a host that is none", "Sitemap: https://a b/s.xml⏎Sitemap: http://xn--ü/s.xml⏎Sitemap: http://<h>/s", ""},
		{"ROB-SMP-06/Unicode white space around it", "Sitemap:\u00a0https://h/1.xml⏎Sitemap: \u3000https://h/2.xml\u00a0⏎Sitemap: https://h/3\u00a0.xml", "https://h/1.xml https://h/2.xml https://h/3%C2%A0.xml"},
		{"ROB-SMP-07/relative", "Sitemap: /s.xml⏎Sitemap: s.xml⏎Sitemap: //h/s.xml⏎Sitemap: h/s.xml⏎Sitemap: h:80/s.xml⏎Sitemap:", ""},
		{"ROB-SMP-07/other lines count", "Sitemap: /s.xml⏎Sitemap: http://f/s.xml⏎Sitemap: http://%zz/", "http://f/s.xml"},
		{"ROB-SMP-07/no host", "Sitemap: http:///s.xml⏎Sitemap: http:s.xml⏎Sitemap: http://:80/", ""},
		{"ROB-SMP-08/schemes", "Sitemap: javascript:alert(1)⏎Sitemap: file:///s.xml⏎Sitemap: gopher://h/s⏎Sitemap: ftp://h/s.xml", "ftp://h/s.xml"},
		{"ROB-SMP-08/duplicates", "Sitemap: http://h/s.xml⏎Sitemap: http://h/t.xml⏎Sitemap: http://H:80/s.xml⏎Sitemap: HTTP://h/%73.xml⏎Sitemap: http://h/S.xml", "http://h/s.xml http://h/t.xml http://h/S.xml"},
		{"ROB-SMP-08/ports and schemes apart", "Sitemap: http://h/s⏎Sitemap: https://h/s⏎Sitemap: https://h:443/s⏎Sitemap: http://h:8080/s⏎Sitemap: http://[::1]/s⏎Sitemap: http://[::1]:80/s", "http://h/s https://h/s http://h:8080/s http://[::1]/s"},
		{"ROB-SMP-08/the root", "Sitemap: http://h⏎Sitemap: http://h/⏎Sitemap: http://h?a⏎Sitemap: http://h/?a", "http://h http://h?a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := Parse([]byte(strings.ReplaceAll(c.file, "⏎", "\n")), nil)
			var got []string
			for _, s := range f.Sitemaps {
				got = append(got, s.URL)
			}
			if diff := cmp.Diff(strings.Fields(c.want), got); diff != "" && len(got)+len(c.want) > 0 {
				t.Error(diff)
			}
			if lines := strings.Count(strings.ToLower(c.file), "sitemap:"); len(got)+len(f.Findings) != lines {
				t.Errorf("%d lines, %d sitemaps, %v", lines, len(got), f.Findings)
			}
		})
	}
	t.Run("ROB-SMP-08/many", func(t *testing.T) {
		var body strings.Builder
		for i := range 2000 {
			fmt.Fprintf(&body, "Sitemap: http://h/%d\n", i%1000)
		}
		if got := len(Parse([]byte(body.String()), nil).Sitemaps); got != 1000 {
			t.Errorf("got %d", got)
		}
	})
}
