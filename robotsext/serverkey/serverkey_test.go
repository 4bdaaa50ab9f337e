package serverkey_test

import (
	"testing"

	"github.com/politecrawl/politecrawl/robotsext/serverkey"
)

func TestROB_POL_01_Of(t *testing.T) {
	for authority, want := range map[string]string{
		"example.com":              "example.com",
		"EXAMPLE.com":              "example.com",
		"example.com.":             "example.com",
		"example.com:80":           "example.com",
		"example.com:443":          "example.com",
		"example.com.:443":         "example.com",
		"example.com:":             "example.com",
		"example.com:8080":         "example.com:8080",
		"example.com.:8080":        "example.com:8080",
		"www.example.com":          "www.example.com",
		"127.0.0.1":                "127.0.0.1",
		"[::ffff:127.0.0.1]":       "127.0.0.1",
		"[::ffff:7f00:1]:8080":     "127.0.0.1:8080",
		"[2001:db8::1]":            "[2001:db8::1]",
		"[2001:DB8::1]:8443":       "[2001:db8::1]:8443",
		"[2001:db8::1]:443":        "[2001:db8::1]",
		"":                         "",
		".":                        "",
		":8080":                    "",
		"a:b:80":                   "",
		"[::1":                     "",
		"xn--bcher-kva.example:81": "xn--bcher-kva.example:81",
	} {
		if got := serverkey.Of(authority); got != want {
			t.Errorf("Of(%q) = %q, want %q", authority, got, want)
		}
	}
}

// FuzzOf checks that the key of a key is the key itself.
func FuzzOf(f *testing.F) {
	for _, authority := range []string{"a.test", "A.test.:443", "[::ffff:1.2.3.4]:81", "a:b", "[::1", "[]", "..", "[a].]"} {
		f.Add(authority)
	}
	f.Fuzz(func(t *testing.T, authority string) {
		key := serverkey.Of(authority)
		if again := serverkey.Of(key); again != key {
			t.Errorf("Of(%q) = %q, then %q", authority, key, again)
		}
	})
}
