package hostname

import (
	"strings"
	"testing"
)

func TestCanonical(t *testing.T) {
	label := strings.Repeat("a", 63)
	for _, tt := range []struct{ id, in, want string }{
		{"ROB-LOC-08", "WWW.MÜLLER.eu", "www.xn--mller-kva.eu"},
		{"ROB-LOC-08", "XN--mller-kva.eu", "xn--mller-kva.eu"},
		{"ROB-LOC-08", "faß.de", "xn--fa-hia.de"},
		{"ROB-LOC-08", "r3---sn-ü.example", "xn--r3---sn--e6a.example"},
		{"ROB-LOC-08", "xn--a", ""},
		{"ROB-LOC-08", "XN--example-.com", ""}, // no other spelling of example.com
		{"ROB-LOC-08", "\x80.example", ""},
		{"ROB-LOC-08", "אa.example", ""}, // directions mixed in a label
		{"ROB-LOC-14", "example.com.", "example.com."},
		{"ROB-LOC-15", "[2001:DB8:0::1]", "[2001:db8::1]"},
		{"ROB-LOC-15", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]"},
		{"ROB-LOC-15", "[0:0:0:0:0:FFFF:7F00:0001]", "[::ffff:7f00:1]"},
		{"ROB-LOC-15", "[::ffff:0.0.0.10]", "[::ffff:0:a]"},
		{"ROB-LOC-15", "[::ffff:0:0]", "[::ffff:0:0]"},
		{"ROB-LOC-15", "[64:ff9b::127.0.0.1]", "[64:ff9b::7f00:1]"},
		{"ROB-LOC-15", "[fe80::1%eth0]", ""},
		{"ROB-LOC-15", "[1.2.3.4]", ""},
		{"ROB-LOC-15", "[::1", ""},
		{"ROB-LOC-16", "", ""},
		{"ROB-LOC-16", ".", ""},
		{"ROB-LOC-16", "a..b", ""},
		{"ROB-LOC-16", "a b", ""},
		{"ROB-LOC-16", "a:b", ""},
		{"ROB-LOC-16", label + ".example", label + ".example"},
		{"ROB-LOC-16", label + "a.example", ""},
		{"ROB-LOC-16", strings.Repeat(label+".", 3) + label[:61], strings.Repeat(label+".", 3) + label[:61]},
		{"ROB-LOC-16", strings.Repeat(label+".", 3) + label[:62], ""},
		{"ROB-LOC-17", "a_b.example", "a_b.example"},
		{"ROB-LOC-17", "ü_b.example", "xn--_b-wka.example"},
	} {
		t.Run(tt.id+"/"+tt.in, func(t *testing.T) {
			got, err := Canonical(tt.in)
			if (err != nil) != (tt.want == "") || err == nil && got != tt.want {
				t.Errorf("got %q, %v; want %q", got, err, tt.want)
			}
		})
	}
}

func TestToASCII(t *testing.T) {
	for _, in := range []string{"\x80.example", "www.XN--example-.com"} {
		if name, err := ToASCII(in); err == nil {
			t.Errorf("ROB-LOC-08: %q became %q", in, name)
		}
	}
}

// FuzzCanonical shows that the canonical form of a canonical form is itself.
func FuzzCanonical(f *testing.F) {
	for _, s := range []string{"example.com", "[::1]", "müller.EU.", "例え。テスト", "xn--fa-hia.de"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		host, err := Canonical(in)
		if err != nil {
			return
		}
		if again, err := Canonical(host); err != nil || again != host {
			t.Errorf("%q: %q, then %q, %v", in, host, again, err)
		}
	})
}
