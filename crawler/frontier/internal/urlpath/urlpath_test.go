package urlpath

import "testing"

func TestCut(t *testing.T) {
	const host = "a.test"
	for _, c := range []struct{ url, path string }{
		{"https://a.test", ""},
		{"https://a.test/x?y", "/x?y"},
		{"https://a.test?y", "?y"},
		{"https://a.test#z", "#z"},
		{"http://a.test", ":"},
		{"http://a.test/x?y", ":/x?y"},
		{"http://a.test?y", ":?y"},
		{"http://a.test./x", "http://a.test./x"},
		{"https://a.test:443/x", "https://a.test:443/x"},
		{"http://a.test:81/x", "http://a.test:81/x"},
		{"http://a.test.example/x", "http://a.test.example/x"},
		{"http://user@a.test/x", "http://user@a.test/x"},
		{"ftp://a.test/x", "ftp://a.test/x"},
	} {
		path := Cut(c.url, host)
		if path != c.path || Join(host, path) != c.url {
			t.Errorf("Cut(%q) = %q, want %q; joined: %q", c.url, path, c.path, Join(host, path))
		}
	}
}
