package urlpath

import "testing"

func TestCut(t *testing.T) {
	const host = "http://a.test"
	for _, c := range []struct{ url, path string }{
		{"http://a.test", ""},
		{"http://a.test/x?y", "/x?y"},
		{"http://a.test?y", "?y"},
		{"http://a.test#z", "#z"},
		{"http://a.test:81/x", "http://a.test:81/x"},
		{"http://a.test.example/x", "http://a.test.example/x"},
		{"http://user@a.test/x", "http://user@a.test/x"},
		{"https://a.test/x", "https://a.test/x"},
	} {
		path := Cut(c.url, host)
		if path != c.path || Join(host, path) != c.url {
			t.Errorf("Cut(%q) = %q, want %q; joined: %q", c.url, path, c.path, Join(host, path))
		}
	}
}
