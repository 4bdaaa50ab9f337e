package secret

import (
	"strings"
	"testing"
)

func TestRedactField(t *testing.T) {
	for _, tt := range []struct{ name, value, want string }{
		{"Sitemap", "http://u:p@h/@x", "http://***@h/@x"},
		{"Sitemap", "http://h/@x", "http://h/@x"},
		{"Sitemap", "//u:p@h/@x", "//***@h/@x"},
		{"sitemap", "http:/u:p@h/x", "http:/***@h/x"},
		{"sitemap", "http:///u:p@h/x", "http:///***@h/x"},
		{"sitemap", "https:u:p@h", "https:***@h"},
		{"sitemap", "http://u:p/q@h", "http://***@h"},
		{"sitemap", "http://u:p q@h", "http://***@h"},
		{"sitemap", "u:p@h/x", "***@h/x"},
		{"sitemap", "/map@x.xml", "/map@x.xml"},
		{"sitemap", "/map.xml http://u:p@h/", "/map.xml http://***@h/"},
		{"Host", "u:p@h", "***@h"},
		{"Host", "u@h", "***@h"},
		{"Host", "h", "h"},
		{"Disallow", "u:p@h/x", "***@h/x"},
		{"Disallow", "u@h/x", "u@h/x"}, // a path that lacks its slash
		{"Disallow", "h/u:p@x", "h/u:p@x"},
		{"Allow", "http://u p@h", "http://***@h"},
		{"Allow", "/u:p@h", "/u:p@h"},
		{"Allow", "*u:p@h", "*u:p@h"},
		{"Allow", "/a //u:p@h", "/a //***@h"},
		{"http", "/u:p@h/x", "/***@h/x"},
		{"HTTPS", "//u:p@h/@x", "//***@h/@x"},
		{"http", "//h/@x", "//h/@x"},
		{"http //u", "p@h/@x", "***@h/@x"},
		{"see //h/x", "/y/p@h", "/y/p@h"},
		{"note", "u:p@h", "u:p@h"},
		{"", "", ""},
	} {
		if got := RedactField(tt.name, tt.value); got != tt.want {
			t.Errorf("RedactField(%q, %q) = %q, want %q", tt.name, tt.value, got, tt.want)
		}
	}
}

func TestRedactRobots(t *testing.T) {
	const body = "Sitemap: http://u:p@h/\r\n\r\n Host :\tal:hun ter2@h # a@b\nDisallow: /u:p@h\rDisallow: al:hunter2@h/@x\nSitemap: http://al:hun/ter2@h"
	redacted, mask := RedactRobots([]byte(body))
	for _, word := range []string{"al:", "hun", "ter2"} {
		if strings.Contains(string(redacted), word) {
			t.Errorf("%q stands in %q", word, redacted)
		}
	}
	const want = "Sitemap: http://***@h/\r\n\r\n Host :\t***@h # a@b\nDisallow: /u:p@h\rDisallow: ***@h/@x\nSitemap: http://***@h"
	if got := mask(string(redacted)); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if plain, _ := RedactRobots([]byte("Disallow: /\n")); string(plain) != "Disallow: /\n" {
		t.Errorf("%q", plain)
	}
}

// FuzzRedactRobots: only lines that may contain a user change, and no line is lost.
func FuzzRedactRobots(f *testing.F) {
	for _, s := range []string{"Host: a:b@c", "Sitemap: http:/a b@c\r\nx", "http:/a@b", "Disallow:a:b@c#@", ":@", "host:＠"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, body string) {
		redacted, _ := RedactRobots([]byte(body))
		before, after := strings.FieldsFunc(body, isEnd), strings.FieldsFunc(string(redacted), isEnd)
		if len(before) != len(after) {
			t.Fatalf("%q becomes %q", body, redacted)
		}
		for i, line := range before {
			if line != after[i] && !hasAt(line) {
				t.Errorf("%q becomes %q", line, after[i])
			}
			name, value, _ := strings.Cut(line, ":")
			_ = RedactField(name, value)
		}
	})
}

func isEnd(r rune) bool { return r == '\n' || r == '\r' }
