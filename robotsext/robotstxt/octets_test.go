package robotstxt

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// indexFunc is what the functions that look at several octets at a time should
// find.
func indexFunc(s string, i int, is func(b byte) bool) int {
	for i < len(s) && !is(s[i]) {
		i++
	}
	return i
}

// TestOctets holds what looks at several octets at a time against what looks at
// each: every octet in every place, alone and among others that are near to
// being it.
func TestOctets(t *testing.T) {
	check := func(s string, start int) {
		t.Helper()
		isControl := func(b byte) bool { return b < ' ' }
		if got, want := indexControl(s, start), indexFunc(s, start, isControl); got != want {
			t.Errorf("control in %q from %d: %d, want %d", s, start, got, want)
		}
		for _, x := range []byte("#:\x00\xff") {
			got, want := indexControlOr(s, start, x), indexFunc(s, start, func(b byte) bool { return b < ' ' || b == x })
			if got != want {
				t.Errorf("control or %q in %q from %d: %d, want %d", x, s, start, got, want)
			}
		}
	}
	for n := range 40 {
		for b := range 256 {
			for at := range n {
				check(strings.Repeat("a", at)+string([]byte{byte(b)})+strings.Repeat("b", n-at-1), 0)
			}
		}
	}
	r := rand.New(rand.NewPCG(1, 1))
	near := []byte("\x00\x01\x1f\x20\x21\x22\x23\x24\x25\x26\x27\x39\x3a\x3b\x3c\x3d\x3e\x3f\x40\x5a\x5b\x5c\x5d\x5e\x5f\x60\x7a\x7b\x7c\x7d\x7e\x7f\x80\x81\x9f\xa0\xa3\xba\xfe\xff")
	for range 100_000 {
		s := make([]byte, r.IntN(40))
		for i := range s {
			if s[i] = 'a'; r.IntN(3) == 0 {
				s[i] = near[r.IntN(len(near))]
			}
		}
		check(string(s), r.IntN(len(s)+1))
	}
}

// TestFieldAt holds the fast way to recognise a field against the plain one, with
// each octet of a name turned into every other.
func TestFieldAt(t *testing.T) {
	for _, name := range []string{"user-agent", "USER-AGENT", "allow", "Allow", "disallow", "DisAllow", "sitemap", "SITEMAP", "crawl-delay"} {
		for at := range name {
			for b := range 256 {
				line := name[:at] + string([]byte{byte(b)}) + name[at+1:]
				field, end := fieldAt("x"+line+": and some more", 1)
				switch want := parseField(line); {
				case field != fieldOther && field != parseField(line[:end-1]):
					t.Errorf("%q begins with a field %d", line, field)
				case field != want && strings.TrimSpace(line) == line && !strings.ContainsAny(line, ": "):
					t.Errorf("%q: field %d, want %d", line, field, want)
				}
			}
		}
	}
}
