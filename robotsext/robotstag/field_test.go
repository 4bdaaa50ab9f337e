package robotstag

import "testing"

// TestField reads members of structured fields one by one.
func TestField(t *testing.T) {
	for _, tt := range []struct {
		in   string
		ok   bool
		kind byte
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
		f := &field{tt.in}
		it, _, ok := f.member()
		if ok != tt.ok || ok && (it.kind != tt.kind || it.text != tt.text || f.rest != tt.rest) {
			t.Errorf("%q: %c %q, %t, rest %q", tt.in, it.kind, it.text, ok, f.rest)
		}
	}
}
