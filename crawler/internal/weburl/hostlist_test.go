package weburl

import "testing"

func TestHostList(t *testing.T) {
	for _, tt := range []struct {
		host, url  string
		has, exact bool
	}{
		{"staging.example.com", "https://staging.example.com/a", true, true},
		{"Staging.Example.com", "http://staging.example.com:8080/", true, true},
		{"staging.example.com", "https://cdn.staging.example.com/", true, false},
		{"staging.example.com", "https://notstaging.example.com/", false, false},
		{"staging.example.com", "https://example.com/staging.example.com", false, false},
		{"localhost:3000", "http://localhost:3000/", true, true},
		{"localhost:3000", "http://localhost/", false, false},
		{"example.com:443", "https://example.com/", true, true},
		{"example.com:443", "http://example.com/", false, false},
		{"b\u00fccher.example", "https://xn--bcher-kva.example/", true, true},
		{"10.0.0.1", "http://10.0.0.1/", true, true},
		{"[::1]:80", "http://[::1]/", true, true},
	} {
		list, err := ParseHosts([]string{tt.host})
		if err != nil {
			t.Errorf("%s: %v", tt.host, err)
			continue
		}
		u, err := Parse(tt.url)
		must(t, err)
		if has, exact := list.Has(u); has != tt.has || exact != tt.exact {
			t.Errorf("%s has %s: %t, %t", tt.host, tt.url, has, exact)
		}
	}
	for _, host := range []string{"", "https://example.com", "example.com/", "user@example.com", "a b", "example.com:x", "*.example.com", "example.com?x"} {
		if list, err := ParseHosts([]string{host}); err == nil {
			t.Errorf("%q: %v", host, list)
		}
	}
}

func FuzzParseHosts(f *testing.F) {
	f.Add("example.com:80", "http://www.example.com/")
	f.Fuzz(func(t *testing.T, host, url string) {
		list, err := ParseHosts([]string{host})
		if err != nil {
			return
		}
		own, err := Parse("http://" + host + "/")
		if err != nil {
			t.Fatalf("%q: %v", host, err)
		}
		if _, exact := list.Has(own); !exact {
			t.Errorf("%q does not have %s", host, own.Canonical)
		}
		if u, err := Parse(url); err == nil {
			list.Has(u)
		}
	})
}
