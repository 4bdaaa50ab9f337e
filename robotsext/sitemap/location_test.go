package sitemap

import (
	"errors"
	"strings"
	"testing"
)

func TestLocation(t *testing.T) {
	tests := []struct {
		id, in, want string
		err          error
	}{
		{"ROB-SMP-15", "http://h.example/", "http://h.example/", nil},
		{"ROB-SMP-15", "http://h.example", "http://h.example", nil},
		{"ROB-SMP-15", "https://h.example?q", "https://h.example?q", nil},
		{"ROB-SMP-15", "HTTPS://H.EXAMPLE/Path#f", "HTTPS://H.EXAMPLE/Path#f", nil},
		{"ROB-SMP-15", "ftp://h.example/f", "ftp://h.example/f", nil},
		{"ROB-SMP-15", "http://h.example:8080/", "http://h.example:8080/", nil},
		{"ROB-SMP-15", "http://h.example:/", "http://h.example:/", nil},
		{"ROB-SMP-15", "http://u:p@h.example/", "http://u:p@h.example/", nil},
		{"ROB-SMP-15", "http://127.0.0.1/", "http://127.0.0.1/", nil},
		{"ROB-SMP-15", "http://[2001:db8::1]:80/", "http://[2001:db8::1]:80/", nil},
		{"ROB-SMP-15", "http://a_b.example/", "http://a_b.example/", nil},
		{"ROB-SMP-15", "http://h.example/a b", "http://h.example/a%20b", nil},
		{"ROB-SMP-15", "http://h.example/a|b<c>", "http://h.example/a|b<c>", nil},
		{"ROB-SMP-15", "", "", errNotAbsolute},
		{"ROB-SMP-15", "h.example/", "", errNotAbsolute},
		{"ROB-SMP-15", "//h.example/", "", errNotAbsolute},
		{"ROB-SMP-15", "/path", "", errNotAbsolute},
		{"ROB-SMP-15", "http:/h.example/", "", errNotAbsolute},
		{"ROB-SMP-15", "http:h.example", "", errNotAbsolute},
		{"ROB-SMP-15", "gopher://h.example/", "", errNotAbsolute},
		{"ROB-SMP-15", "htt://h.example/", "", errNotAbsolute},
		{"ROB-SMP-15", "http ://h.example/", "", errNotAbsolute},
		{"ROB-SMP-15", "http\u017f://h.example/", "", errNotAbsolute},
		{"ROB-SMP-15", "http://", "", errHost},
		{"ROB-SMP-15", "http:///path", "", errHost},
		{"ROB-SMP-15", "http://?q", "", errHost},
		{"ROB-SMP-15", "http://./", "", errHost},
		{"ROB-SMP-15", "http://a b/", "", errHost},
		{"ROB-SMP-15", "http://a%20b/", "", errHost},
		{"ROB-SMP-15", "http://ü p@h.example/", "", errUser},
		{"ROB-SMP-15", "http://[::1/", "", errHost},
		{"ROB-SMP-15", "http://[1.2.3.4]/", "", errHost},
		{"ROB-SMP-15", "http://[fe80::1%25eth0]/", "", errHost},
		{"ROB-SMP-15", `http://h.example\x`, "", errHost},
		{"ROB-SMP-15", `http://h.example:80\@x.example/`, "", errHost},
		{"ROB-SMP-15", `http://h.example/a\b`, `http://h.example/a\b`, nil},
		{"ROB-SMP-15", "http://u%zz@h.example/", "", errUser},
		{"ROB-SMP-15", "http://h.example/%zz", "http://h.example/%25zz", nil},
		{"ROB-SMP-15", "http://h.example/a%", "http://h.example/a%25", nil},
		{"ROB-SMP-15", "http://h.example/%%41%4", "http://h.example/%25%41%254", nil},
		{"ROB-SMP-15", "http://h.example/5%?off=5%#5%?5%", "http://h.example/5%25?off=5%#5%25?5%25", nil},
		{"ROB-SMP-15", "http://h.example:port/", "", errPort},
		{"ROB-SMP-15", "http://h.example:65536/", "", errPort},
		{"ROB-SMP-15", "http://h.example:0/", "", errPort},
		{"ROB-SMP-15", "http://h.example:000/", "", errPort},
		{"ROB-SMP-15", "http://h.example:/", "http://h.example:/", nil},
		{"ROB-SMP-15", "http://h.example/a\tb", "", errControl},
		{"ROB-SMP-15", "http://h.example/\x7f", "", errControl},
		{"ROB-SMP-15", "http://h.example/\xff", "", errControl},
		{"ROB-SMP-15", "http://h.example/\uFFFD", "", errControl},
		{"ROB-SMP-15", "http://h.example/" + strings.Repeat("a", 2031), "", errLong},

		{"ROB-SMP-06", "http://例え。テスト/", "http://xn--r8jz45g.xn--zckzah/", nil},
		{"ROB-SMP-06", "http://müller.example:8080/ü?ü#ü", "http://xn--mller-kva.example:8080/%C3%BC?%C3%BC#%C3%BC", nil},
		{"ROB-SMP-06", "http://faß.de/", "http://xn--fa-hia.de/", nil},
		{"ROB-SMP-06", "http://h.example/😀", "http://h.example/%F0%9F%98%80", nil},
	}
	for _, tt := range tests {
		name := tt.in[:min(len(tt.in), 40)]
		t.Run(tt.id+"/"+name, func(t *testing.T) {
			got, err := location([]byte(tt.in))
			if got != tt.want || !errors.Is(err, tt.err) {
				t.Errorf("got %q, %v; want %q, %v", got, err, tt.want, tt.err)
			}
		})
	}
}
