package sfv

import (
	"strings"
	"testing"
)

// TestMember reads members of structured fields one by one.
func TestMember(t *testing.T) {
	for _, tt := range []struct {
		in   string
		ok   bool
		kind Kind
		text string
		rest string
	}{
		{"token", true, 't', "token", ""},
		{"*", true, 't', "*", ""},
		{"a/b:c!#$%&'*+-.^_`|~,x", true, 't', "a/b:c!#$%&'*+-.^_`|~", ",x"},
		{`"a \"b\" \\"x`, true, 's', `a "b" \`, "x"},
		{`""`, true, 's', "", ""},
		{"0", true, 'n', "0", ""},
		{"-12.345;x", true, 'n', "-12.345", ""},
		{"999999999999999", true, 'n', "999999999999999", ""},
		{"@1659578233", true, '@', "1659578233", ""},
		{"?1", true, 'b', "1", ""},
		{":aGVsbG8=:", true, ':', "aGVsbG8=", ""},
		{`%"f%c3%bc"`, true, 'd', "", ""},
		{"()", true, '(', "", ""},
		{`(a "b";c=1  2);d=e,`, true, '(', "", ","},
		{"a;b;c=d; e=\"f\";*g=?0 ", true, 't', "a", " "},

		{"", false, 0, "", ""},
		{"-", false, 0, "", ""},
		{"1.", false, 0, "", ""},
		{"1.1234", false, 0, "", ""},
		{"1234567890123456", false, 0, "", ""},
		{"1234567890123.1", false, 0, "", ""},
		{".5", false, 0, "", ""},
		{"@1.5", false, 0, "", ""},
		{"?2", false, 0, "", ""},
		{"?10", false, 0, "", ""},
		{`"a`, false, 0, "", ""},
		{`"a\`, false, 0, "", ""},
		{`"a\b"`, false, 0, "", ""},
		{"\"a\tb\"", false, 0, "", ""},
		{"\"ä\"", false, 0, "", ""},
		{`%a`, false, 0, "", ""},
		{":a", false, 0, "", ""},
		{"(a", false, 0, "", ""},
		{"(a,b)", false, 0, "", ""},
		{"(a;)", false, 0, "", ""},
		{"a;", false, 0, "", ""},
		{"a;B", false, 0, "", ""},
		{"a;b=", false, 0, "", ""},
		{"{}", false, 0, "", ""},
	} {
		r := &Reader{tt.in}
		it, _, ok := r.Member()
		if ok != tt.ok || ok && (it.Kind != tt.kind || it.Text != tt.text || r.Rest != tt.rest) {
			t.Errorf("%q: %c %q, %t, rest %q", tt.in, it.Kind, it.Text, ok, r.Rest)
		}
	}
}

// TestEntry reads members of dictionaries one by one.
func TestEntry(t *testing.T) {
	for _, tt := range []struct {
		in, key string
		value   Item
		rest    string
		ok      bool
	}{
		{"a=y,b", "a", Item{Token, "y"}, ",b", true},
		{`*a.b-c_d=" y";p=1`, "*a.b-c_d", Item{String, " y"}, "", true},
		{"a", "a", Item{Boolean, "1"}, "", true},
		{"a;p=x ", "a", Item{Boolean, "1"}, " ", true},
		{"a=(b c);p", "a", Item{Kind: InnerList}, "", true},
		{"", "", Item{}, "", false},
		{"A=1", "", Item{}, "", false},
		{"1=a", "", Item{}, "", false},
		{"a=", "", Item{}, "", false},
		{"a=(b", "", Item{}, "", false},
		{"a;", "", Item{}, "", false},
	} {
		r := &Reader{tt.in}
		key, value, ok := r.Entry()
		if ok != tt.ok || ok && (key != tt.key || value != tt.value || r.Rest != tt.rest) {
			t.Errorf("%q: %q %v, %t, rest %q", tt.in, key, value, ok, r.Rest)
		}
	}
}

// FuzzMember shows that what is read is a start of the text, and that reading the
// same text again gives the same.
func FuzzMember(f *testing.F) {
	for _, s := range []string{`a;b="c", (d 1.5);e=?1, :YQ==:, @1, %"x"`, "a=(b c), *d=-12", `"\\"`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		for _, dictionary := range []bool{false, true} {
			r := &Reader{in}
			for more := in != ""; more; {
				before := r.Rest
				var ok bool
				if dictionary {
					_, _, ok = r.Entry()
				} else {
					_, _, ok = r.Member()
				}
				if !ok {
					break
				}
				if len(r.Rest) >= len(before) || !strings.HasSuffix(before, r.Rest) {
					t.Fatalf("%q: read %q down to %q", in, before, r.Rest)
				}
				again := &Reader{strings.TrimSuffix(before, r.Rest)}
				if dictionary {
					_, _, ok = again.Entry()
				} else {
					_, _, ok = again.Member()
				}
				if !ok || again.Rest != "" {
					t.Fatalf("%q: %q is not a member by itself", in, strings.TrimSuffix(before, r.Rest))
				}
				if more, ok = r.Next(); !ok {
					break
				}
			}
		}
	})
}
