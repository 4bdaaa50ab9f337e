package robotsext_test

import (
	"errors"
	"net/url"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/robotsext"
)

func originOf(t *testing.T, rawURL string) robotsext.Origin {
	t.Helper()
	o, err := robotsext.OriginOf(mustParse(t, rawURL))
	wantOK(t, err)
	return o
}

// Table LOC: a robots.txt is valid for a URL exactly when both have one origin.
func TestTableLOC(t *testing.T) {
	for _, row := range specTable(t, "loc") {
		robots, valid, invalid := row[0], strings.Fields(row[1]), strings.Fields(row[2])
		t.Run("ROB-LOC-02/ROB-LOC-03/ROB-LOC-04/ROB-LOC-06/ROB-LOC-09/"+strings.ReplaceAll(robots, "/", "|"), func(t *testing.T) {
			want := originOf(t, robots)
			for _, u := range valid {
				if got := originOf(t, u); got != want {
					t.Errorf("%s: origin %s, want %s", u, got, want)
				}
			}
			for _, u := range invalid {
				if originOf(t, u) == want {
					t.Errorf("%s: origin %s, want another", u, want)
				}
			}
		})
	}
}

func TestOriginOf(t *testing.T) {
	label := strings.Repeat("a", 63)
	longest := strings.Repeat(label+".", 3) + label[:61]
	tests := []struct {
		id, in string
		want   robotsext.Origin
		err    error
	}{
		{"ROB-LOC-01/path and query", "http://example.com/a/b?x", "http://example.com", nil},
		{"ROB-LOC-05/default port", "http://example.com:80", "http://example.com", nil},
		{"ROB-LOC-05/empty port", "http://example.com:", "http://example.com", nil},
		{"ROB-LOC-05/no port", "http://example.com", "http://example.com", nil},
		{"ROB-LOC-05/https", "https://example.com:443/", "https://example.com", nil},
		{"ROB-LOC-05/ftp", "ftp://example.com:21/", "ftp://example.com", nil},
		{"ROB-LOC-05/leading zeros", "http://example.com:0080/", "http://example.com", nil},
		{"ROB-LOC-06/other port", "http://example.com:443/", "http://example.com:443", nil},
		{"ROB-LOC-11/case", "HTTP://EXAMPLE.com/X", "http://example.com", nil},

		{"ROB-LOC-08/upper case", "http://WWW.MÜLLER.eu/", "http://www.xn--mller-kva.eu", nil},
		{"ROB-LOC-08/decomposed", "http://mu\u0308ller.eu/", "http://xn--mller-kva.eu", nil},
		{"ROB-LOC-08/punycode", "http://XN--mller-kva.eu/", "http://xn--mller-kva.eu", nil},
		{"ROB-LOC-08/non-transitional", "http://faß.de/", "http://xn--fa-hia.de", nil},
		{"ROB-LOC-08/full stops", "http://例え。テスト/", "http://xn--r8jz45g.xn--zckzah", nil},
		{"ROB-LOC-08/percent-encoded", "http://%E4%BE%8B%E3%81%88.jp/", "http://xn--r8jz45g.jp", nil},
		{"ROB-LOC-08/undecodable", "http://xn--a/", "", robotsext.ErrInvalidHost},
		{"ROB-LOC-08/undecodable label", "http://www.xn--a.example/", "", robotsext.ErrInvalidHost},
		{"ROB-LOC-08/hyphens", "http://r3---sn-abc.example/", "http://r3---sn-abc.example", nil},
		{"ROB-LOC-08/hyphens and umlaut", "http://r3---sn-ü.example/", "http://xn--r3---sn--e6a.example", nil},
		{"ROB-LOC-08/other spelling of an ASCII name", "http://www.XN--example-.com/", "", robotsext.ErrInvalidHost},
		{"ROB-LOC-08/directions mixed in a label", "http://אa.example/", "", robotsext.ErrInvalidHost},
		{"ROB-LOC-08/not UTF-8", "http://%80.example/", "", robotsext.ErrInvalidHost},

		{"ROB-LOC-12/gopher", "gopher://h/", "", robotsext.ErrUnsupportedScheme},
		{"ROB-LOC-12/file", "file:///etc/passwd", "", robotsext.ErrUnsupportedScheme},
		{"ROB-LOC-12/mailto", "mailto:a@example.com", "", robotsext.ErrUnsupportedScheme},
		{"ROB-LOC-12/none", "//example.com/", "", robotsext.ErrUnsupportedScheme},
		{"ROB-LOC-13/userinfo", "http://u:p@h/x", "http://h", nil},
		{"ROB-LOC-14/trailing dot", "http://example.com./", "http://example.com.", nil},
		{"ROB-LOC-15/IPv6", "http://[2001:DB8:0::1]/", "http://[2001:db8::1]", nil},
		{"ROB-LOC-15/IPv6 with port", "http://[2001:db8::1]:8080/", "http://[2001:db8::1]:8080", nil},
		{"ROB-LOC-15/IPv4 in IPv6", "http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]", nil},
		{"ROB-LOC-15/IPv4 in IPv6, long", "http://[0:0:0:0:0:FFFF:7F00:0001]/", "http://[::ffff:7f00:1]", nil},
		{"ROB-LOC-15/IPv4 in IPv6, zeros", "http://[::ffff:0.0.0.10]/", "http://[::ffff:0:a]", nil},
		{"ROB-LOC-15/IPv4 in IPv6, all zeros", "http://[::ffff:0:0]/", "http://[::ffff:0:0]", nil},
		{"ROB-LOC-15/IPv4 in NAT64", "http://[64:ff9b::127.0.0.1]/", "http://[64:ff9b::7f00:1]", nil},
		{"ROB-LOC-15/zone", "http://[fe80::1%25eth0]/", "", robotsext.ErrInvalidHost},
		{"ROB-LOC-16/empty", "http:///x", "", robotsext.ErrInvalidHost},
		{"ROB-LOC-16/port alone", "http://:80/x", "", robotsext.ErrInvalidHost},
		{"ROB-LOC-16/character", "http://exa$mple.com/", "", robotsext.ErrInvalidHost},
		{"ROB-LOC-16/empty label", "http://a..b/", "", robotsext.ErrInvalidHost},
		{"ROB-LOC-16/dot", "http://./", "", robotsext.ErrInvalidHost},
		{"ROB-LOC-16/longest label", "http://" + label + ".example", robotsext.Origin("http://" + label + ".example"), nil},
		{"ROB-LOC-16/long label", "http://a" + label + ".example/", "", robotsext.ErrInvalidHost},
		{"ROB-LOC-16/longest name", "http://" + longest, robotsext.Origin("http://" + longest), nil},
		{"ROB-LOC-16/long name", "http://a" + longest, "", robotsext.ErrInvalidHost},
		{"ROB-LOC-16/highest port", "http://example.com:65535/", "http://example.com:65535", nil},
		{"ROB-LOC-16/port above 65535", "http://example.com:65536/", "", robotsext.ErrInvalidHost},
		{"ROB-LOC-16/port 0", "http://example.com:0/", "", robotsext.ErrInvalidHost},
		{"ROB-LOC-16/port 0 with leading zeros", "ftp://[::1]:000/", "", robotsext.ErrInvalidHost},
		{"ROB-LOC-17/underscore", "http://a_b.example/", "http://a_b.example", nil},
		{"ROB-LOC-17/underscore and umlaut", "http://ü_b.example/", "http://xn--_b-wka.example", nil},
	}
	for _, test := range tests {
		t.Run(test.id, func(t *testing.T) {
			got, err := robotsext.OriginOf(mustParse(t, test.in))
			if got != test.want || !errors.Is(err, test.err) {
				t.Errorf("got %q, %v; want %q, %v", got, err, test.want, test.err)
			}
		})
	}
	for _, host := range []string{"::1", "[127.0.0.1]", "[::1%eth0]", "[::1]x", "a b", "a/b", "a:b:80"} {
		t.Run("ROB-LOC-15/ROB-LOC-16/by hand/"+host, func(t *testing.T) {
			if o, err := robotsext.OriginOf(&url.URL{Scheme: "http", Host: host}); !errors.Is(err, robotsext.ErrInvalidHost) {
				t.Errorf("got %q, %v; want ErrInvalidHost", o, err)
			}
		})
	}
}

func FuzzOriginOf(f *testing.F) {
	for _, seed := range []string{
		"http://example.com:80/", "https://EXAMPLE.com:", "http://WWW.MÜLLER.eu/", "http://例え。テスト/",
		"http://[2001:DB8:0::1]:81/", "http://xn--a/", "http://a_b.example./", "ftp://u:p@h:21/x", "http://faß.de",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, rawURL string) {
		u, err := url.Parse(rawURL)
		if err != nil {
			return
		}
		o, err := robotsext.OriginOf(u)
		if err != nil {
			return
		}
		// An origin is a URL whose origin it is, and has nothing but an origin.
		again, err := url.Parse(string(o))
		if err != nil {
			t.Fatalf("%q: origin %q is not a URL: %v", rawURL, o, err)
		}
		if twice, err := robotsext.OriginOf(again); err != nil || twice != o {
			t.Fatalf("%q: origin %q has the origin %q, %v", rawURL, o, twice, err)
		}
		if again.User != nil || again.Path != "" || again.RawQuery != "" || again.Fragment != "" {
			t.Fatalf("%q: origin %q has more than scheme, host and port", rawURL, o)
		}
	})
}
