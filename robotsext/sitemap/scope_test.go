package sitemap

import "testing"

func TestScope(t *testing.T) {
	const robots1 = "http://host1.example/robots.txt"
	tests := []struct {
		name     string
		policy   Policy
		sitemap  string
		listedBy []string
		loc      string
		index    bool // loc is a sitemap
		want     bool
	}{
		{"ROB-SMP-18/the host that lists it", Listed, "http://sitemaphost.example/s1.xml", []string{robots1}, "http://host1.example/any/page", false, true},
		{"ROB-SMP-18/a host that does not", Listed, "http://sitemaphost.example/s1.xml", []string{robots1}, "http://host3.example/", false, false},
		{"ROB-SMP-18/its own directory", Listed, "http://sitemaphost.example/d/s1.xml", []string{robots1}, "http://sitemaphost.example/d/x", false, true},
		{"ROB-SMP-18/its own host, elsewhere", Listed, "http://sitemaphost.example/d/s1.xml", []string{robots1}, "http://sitemaphost.example/x", false, false},
		{"ROB-SMP-18/its own host, elsewhere, listed there", Listed, "http://host1.example/d/s1.xml", []string{robots1}, "http://host1.example/x", false, true},
		{"ROB-SMP-18/listed by two", Listed, "http://sitemaphost.example/s1.xml", []string{robots1, "https://host2.example/"}, "https://host2.example/x", false, true},
		{"ROB-SMP-18/another scheme", Listed, "http://sitemaphost.example/s1.xml", []string{robots1}, "https://host1.example/", false, false},
		{"ROB-SMP-18/another port", Listed, "http://sitemaphost.example/s1.xml", []string{robots1}, "http://host1.example:8080/", false, false},
		{"ROB-SMP-18/the default port", Listed, "http://sitemaphost.example/s1.xml", []string{"https://HOST1.example:443/robots.txt"}, "https://host1.Example/", false, true},
		{"ROB-SMP-18/the default port with a zero", Listed, "http://sitemaphost.example/s1.xml", []string{robots1}, "http://host1.example:080/", false, true},
		{"ROB-SMP-18/another port with a zero", Listed, "http://sitemaphost.example/s1.xml", []string{"http://host1.example:8080/"}, "http://host1.example:08080/", false, true},
		{"ROB-SMP-18/an empty port", Listed, "http://sitemaphost.example/s1.xml", []string{robots1}, "http://host1.example:/", false, true},
		{"ROB-SMP-18/spellings of IPv6", Listed, "http://[2001:db8::1]/s1.xml", []string{"http://[2001:db8::1]/robots.txt"}, "http://[2001:DB8:0::0001]:80/", false, true},
		{"ROB-SMP-18/another address of IPv6", Listed, "http://[2001:db8::1]/s1.xml", []string{"http://[2001:db8::1]/robots.txt"}, "http://[2001:db8::2]/", false, false},
		{"ROB-SMP-18/punycode", Listed, "http://sitemaphost.example/s1.xml", []string{"http://müller.example/robots.txt"}, "http://xn--mller-kva.example/", false, true},
		{"ROB-SMP-18/listed nowhere", Listed, "http://h.example/d/s1.xml", nil, "http://h.example/x", false, false},
		{"ROB-SMP-18/any", Any, "http://h.example/d/s1.xml", nil, "ftp://elsewhere.example/", false, true},

		{"ROB-SMP-19/below", Directory, "http://example.com/catalog/sitemap.xml", nil, "http://example.com/catalog/show?item=23", false, true},
		{"ROB-SMP-19/beside", Directory, "http://example.com/catalog/sitemap.xml", nil, "http://example.com/image/show?item=23", false, false},
		{"ROB-SMP-19/https", Directory, "http://example.com/catalog/sitemap.xml", nil, "https://example.com/catalog/page1.html", false, false},
		{"ROB-SMP-19/listing does not help", Directory, "http://example.com/catalog/sitemap.xml", []string{"http://example.com/robots.txt"}, "http://example.com/image/x", false, false},
		{"ROB-SMP-19/the directory itself", Directory, "http://example.com/catalog/sitemap.xml", nil, "http://example.com/catalog/", false, true},
		{"ROB-SMP-19/a name that begins so", Directory, "http://example.com/catalog/sitemap.xml", nil, "http://example.com/catalogue/x", false, false},
		{"ROB-SMP-19/out by dot segments", Directory, "http://example.com/catalog/sitemap.xml", nil, "http://example.com/catalog/../image/x", false, false},
		{"ROB-SMP-19/out by escaped dot segments", Directory, "http://example.com/catalog/sitemap.xml", nil, "http://example.com/catalog/%2E%2e/image/x", false, false},
		{"ROB-SMP-19/round by dot segments", Directory, "http://example.com/catalog/sitemap.xml", nil, "http://example.com/image/./../catalog/x", false, true},
		{"ROB-SMP-19/escapes that need not be", Directory, "http://example.com/c%61talog/sitemap.xml", nil, "http://example.com/%63atalog/x", false, true},
		{"ROB-SMP-19/an escaped slash is not a slash", Directory, "http://example.com/catalog/sitemap.xml", nil, "http://example.com/catalog%2fx", false, false},
		{"ROB-SMP-19/case of escapes", Directory, "http://example.com/%C3%A4/sitemap.xml", nil, "http://example.com/%c3%a4/x", false, true},
		{"ROB-SMP-19/at the root", Directory, "http://example.com/sitemap.xml", nil, "http://example.com", false, true},

		{"ROB-SMP-20/any sitemap of the index's host", Listed, "http://sitemaphost.example/d/index.xml", []string{robots1}, "http://sitemaphost.example/s1.xml", true, true},
		{"ROB-SMP-20/a sitemap on the host that lists the index", Listed, "http://sitemaphost.example/index.xml", []string{robots1}, "http://host1.example/s1.xml", true, true},
		{"ROB-SMP-20/a sitemap elsewhere", Listed, "http://sitemaphost.example/index.xml", []string{robots1}, "http://host3.example/s1.xml", true, false},
		{"ROB-SMP-20/a sitemap in the directory", Directory, "http://h.example/d/index.xml", []string{robots1}, "http://h.example/d/e/s1.xml", true, true},
		{"ROB-SMP-20/a sitemap above the directory", Directory, "http://h.example/d/index.xml", []string{robots1}, "http://h.example/s1.xml", true, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := NewScope(tt.policy, tt.sitemap, tt.listedBy...)
			if err != nil {
				t.Fatal(err)
			}
			if got := s.Accepts(Entry{Loc: tt.loc, Sitemap: tt.index}); got != tt.want {
				t.Errorf("%s in %s: %t", tt.loc, tt.sitemap, got)
			}
		})
	}
}

func TestScopeOfInvalidURL(t *testing.T) {
	for _, bad := range []string{"http://h.example/\x00", "://", "sitemap.xml", "/sitemap.xml", ""} {
		if _, err := NewScope(Listed, bad); err == nil {
			t.Errorf("%q accepted as the sitemap", bad)
		}
		if _, err := NewScope(Listed, "http://h.example/s.xml", bad); err == nil {
			t.Errorf("%q accepted as the robots.txt", bad)
		}
	}
	s, err := NewScope(Listed, "http://h.example/s.xml")
	if err != nil {
		t.Fatal(err)
	}
	if s.Accepts(Entry{Loc: "http://h.example/%zz"}) || s.Accepts(Entry{}) {
		t.Error("covers what is no URL")
	}
}
