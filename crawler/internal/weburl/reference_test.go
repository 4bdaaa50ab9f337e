package weburl

import (
	"strings"
	"testing"

	"golang.org/x/text/encoding/htmlindex"
)

// The values are those of a.href in Chromium.
func TestQueryHasEncodingOfDocument(t *testing.T) {
	for _, tt := range []struct{ encoding, ref, want string }{
		{"utf-8", "/п?q=п", "/%D0%BF?q=%D0%BF"},
		{"windows-1251", "/п?q=п#п", "/%D0%BF?q=%EF"},
		{"windows-1251", "?q=%D0%BF&п", "/d?q=%D0%BF&%EF"},
		{"windows-1251", "//h2.test?п", "//h2.test/?%EF"},
		{"windows-1251", "?п\n\tп ", "/d?%EF%EF"},
		{"windows-1251", "?п ' п#?п", "/d?%EF%20%27%20%EF"},
		{"windows-1251", "#?п", "/d?old"},
		{"windows-1251", "?é", "/d?%26%23233%3B"},
		{"windows-1251", "?😀&#233;", "/d?%26%23128512%3B&"},
		{"windows-1251", "?\u0098\u00a0", "/d?%98%A0"},
		{"windows-1252", "?n=ACETALDEÍDO€", "/d?n=ACETALDE%CDDO%80"},
		{"windows-1253", "?\u00aa", "/d?%26%23170%3B"},
		{"iso-8859-2", "?\u0085ł", "/d?%85%B3"},
		{"macintosh", "?\u0085é", "/d?%26%23133%3B%8E"},
		{"koi8-r", "?п", "/d?%D0"},
		{"gbk", "?目录€é", "/d?%C4%BF%C2%BC%80%A8%A6"},
		{"gb18030", "?目€ñ", "/d?%C4%BF%A2%E3%810%8A9"},
		{"big5", "?港日十é", "/d?%B4%E4%A4%E9%A4Q%26%23233%3B"},
		{"euc-kr", "?한국", "/d?%C7%D1%B1%B9"},
		{"shift_jis", "/日本?日本表", "/%E6%97%A5%E6%9C%AC?%93%FA%96{%95\\"},
		{"shift_jis", "?髙﨑ⅰ￢ｱ−¥‾", "/d?%FB%FC%FA%B1%FA@%81%CA%B1%81|\\~"},
		{"euc-jp", "?日本髙é¥", "/d?%C6%FC%CB%DC%FC%E2%26%23233%3B\\"},
		{"iso-2022-jp", "?日本", "/d?%1B$BF|K\\%1B(B"},
		{"iso-2022-jp", "?日é日x", "/d?%1B$BF|%1B(B%26%23233%3B%1B$BF|%1B(Bx"},
		{"iso-2022-jp", "?ｱﾞ−。", "/d?%1B$B%%22!+!]!%23%1B(B"},
		{"utf-16le", "?é", "/d?%C3%A9"},
		{"utf-16be", "?é", "/d?%C3%A9"},
		{"replacement", "?é", "/d?%C3%A9"},
		{"x-user-defined", "?\uf7ffé", "/d?%FF%26%23233%3B"},
	} {
		enc, err := htmlindex.Get(tt.encoding)
		must(t, err)
		r, err := NewResolver("http://h.test/d?old", enc)
		must(t, err)
		want := "http:" + tt.want
		if !strings.HasPrefix(tt.want, "//") {
			want = "http://h.test" + tt.want
		}
		if got, err := r.Resolve(tt.ref); err != nil || got != want {
			t.Errorf("%s, %q: %q, %v; want %q", tt.encoding, tt.ref, got, err, want)
		}
	}
}

// A character that an encoding lacks must not cost the time of the whole query.
func TestLongQueryInEncoding(t *testing.T) {
	enc, err := htmlindex.Get("iso-2022-jp")
	must(t, err)
	r, err := NewResolver("http://h.test/", enc)
	must(t, err)
	const n = 300
	want := "http://h.test/?" + strings.Repeat("%1B$BF|%1B(B%26%23233%3B", n)
	if got, err := r.Resolve("?" + strings.Repeat("日é", n)); err != nil || got != want {
		t.Errorf("%q, %v", got, err)
	}
}

// Browsers strip C0 controls and the space at the ends of a reference, and tabs and line breaks
// inside, and no other white space.
func TestOnlyASCIIWhiteSpaceIsStripped(t *testing.T) {
	for _, tt := range []struct{ ref, want string }{
		{" \t\n\f\r\x00\x01\x1f/a\x1f\x01\x00\r\f\n\t ", "/a"},
		{"/a\tb\nc\rd", "/abcd"},
		{"/a\fb\x0bc d", "/a%0Cb%0Bc%20d"},
		{"?a\n b\t", "/d/p?a%20b"},
		{"h\nttp:\t//h.test/x", "/x"},
		{"/\t/h.test/x", "/x"},
		{"/a/.\n./b", "/b"},
		{"a\x7f", "/d/a%7F"},
		{"\u00a0/a", "/d/%C2%A0/a"},
		{"\ufeffhttp://h.test/a", "/d/%EF%BB%BFhttp://h.test/a"},
		{"\u3000#x", "/d/%E3%80%80"},
	} {
		checkBoth(t, tt.ref, tt.want)
	}
	for space, escaped := range map[string]string{
		"\u00a0": "%C2%A0", "\u0085": "%C2%85", "\u2003": "%E2%80%83", "\u2028": "%E2%80%A8", "\u2029": "%E2%80%A9", "\u3000": "%E3%80%80",
		"\ufeff": "%EF%BB%BF", "\u200b": "%E2%80%8B", "\u1680": "%E1%9A%80", "\u202f": "%E2%80%AF",
	} {
		checkBoth(t, "/a"+space, "/a"+escaped)
		checkBoth(t, "/a?b"+space+" ", "/a?b"+escaped)
		checkBoth(t, space+"a", "/d/"+escaped+"a")
		if IsWeb(space + "http://h.test/") {
			t.Errorf("a reference that begins with %q is relative", space)
		}
	}
}

// checkBoth resolves a reference in http://h.test/d/p in both ways.
func checkBoth(t *testing.T, ref, want string) {
	t.Helper()
	const base = "http://h.test/d/p"
	checkResolver(t, base, ref)
	if got, err := Resolve(base, ref); err != nil || got.Canonical != "http://h.test"+want {
		t.Errorf("%q: %q, %v; want %q", ref, got.Canonical, err, want)
	}
}

func TestIsWeb(t *testing.T) {
	for ref, want := range map[string]bool{
		"http:": true, "HTTPS://x": true, "//x": true, "\x00\thttp:x": true, "ht\ntp:x": true, "/\t/x": true, `\\x`: true, `/\x`: true,
		"": false, "/": false, "/x": false, "mailto:http:": false, "\u00a0http:": false, "http": false, "xhttp:": false,
	} {
		if got := IsWeb(ref); got != want {
			t.Errorf("%q: %t", ref, got)
		}
	}
}

func TestResolveLocation(t *testing.T) {
	for _, tt := range []struct {
		location, want, fragment string
		hasFragment              bool
	}{
		{location: "", want: "http://h.test/d/p?q"},
		{location: "/\xe9", want: "http://h.test/%E9"},
		{location: "/x?n=\xe9", want: "http://h.test/x?n=%E9"},
		{location: "http://h.test/abs-\xe9", want: "http://h.test/abs-%E9"},
		{location: "/\x93\xfa\x96{", want: "http://h.test/%93%FA%96%7B"},
		{location: "/привет", want: "http://h.test/%D0%BF%D1%80%D0%B8%D0%B2%D0%B5%D1%82"},
		{location: "/é-\xe9", want: "http://h.test/%C3%A9-%E9"},
		{location: "/d\xe9j\xe0/vu?a=\xfc", want: "http://h.test/d%E9j%E0/vu?a=%FC"},
		{location: "/ok#\xe9", want: "http://h.test/ok", fragment: "%E9", hasFragment: true},
		{location: "/ok#é x", want: "http://h.test/ok", fragment: "%C3%A9%20x", hasFragment: true},
		{location: "/ok#", want: "http://h.test/ok", hasFragment: true},
		{location: "#a#b", want: "http://h.test/d/p?q", fragment: "a#b", hasFragment: true},
		{location: "http://user:pass@h2.test/#x", want: "http://h2.test/", fragment: "x", hasFragment: true},
		{location: "?q\xff", want: "http://h.test/d/p?q%FF"},
		{location: "//h2.test/x", want: "http://h2.test/x"},
		{location: `\\h2.test\x`, want: "http://h2.test/x"},
		{location: `..\x`, want: "http://h.test/x"},
		{location: " /a\tb c ", want: "http://h.test/ab%20c"},
		{location: "\xa0/a", want: "http://h.test/d/%A0/a"},
		{location: "/a\xc2\xa0", want: "http://h.test/a%C2%A0"},
		{location: "//müller.test/", want: "http://xn--mller-kva.test/"},
		{location: "//m\xfcller.test/"},
		{location: "mailto:a@h.test"},
		{location: "http://"},
		{location: "/" + strings.Repeat("\xe9", MaxLength/3)},
	} {
		got, fragment, has, err := ResolveLocation("http://h.test/d/p?q", tt.location)
		if got.Canonical != tt.want || fragment != tt.fragment || has != tt.hasFragment || (err == nil) != (tt.want != "") {
			t.Errorf("%.50q: %q, %q, %t, %v; want %q, %q, %t", tt.location, got.Canonical, fragment, has, err, tt.want, tt.fragment, tt.hasFragment)
		}
	}
}

func FuzzResolveLocation(f *testing.F) {
	for _, location := range []string{"", "/\xe9", "/a#\xe9#", "//h\xe9.test/?\xff", "\x00/\t/x y", `\a\..\b`} {
		f.Add(location)
	}
	const base = "http://h.test/d/p?q"
	f.Fuzz(func(t *testing.T, location string) {
		a, fragment, has, err := ResolveLocation(base, location)
		if has != (err == nil && strings.Contains(location, "#")) || !has && fragment != "" {
			t.Fatalf("%q: fragment %q, %t", location, fragment, has)
		}
		if again, err2 := Parse(a.Canonical); err == nil && (err2 != nil || again != a) {
			t.Fatalf("%q: %+v became %+v, %v", location, a, again, err2)
		}
		if isASCII(location) {
			if want, wantErr := Resolve(base, location); a != want || (err == nil) != (wantErr == nil) {
				t.Fatalf("%q: %+v, %v; as a reference %+v, %v", location, a, err, want, wantErr)
			}
		}
	})
}

// Of is Parse for canonical URLs, and reads others, too.
func TestOf(t *testing.T) {
	for _, raw := range []string{
		"http://h.test/", "https://h.test:8443/a?b", "http://[::1]/x", "http://h.test./x", "http://xn--mller-kva.test/%E9",
		"http://h.test", "http://h.test?x", "http://h.test:80/x", "HTTP://H.test/x", "http://H.test/x", "http://a@h.test/x", "http://1.2/x", "ftp://h.test/", "x", "",
	} {
		for range 2 { // unknown, known
			got, gotErr := Of(raw)
			want, wantErr := Parse(raw)
			if got != want || (gotErr == nil) != (wantErr == nil) {
				t.Errorf("%q: %+v, %v; want %+v, %v", raw, got, gotErr, want, wantErr)
			}
		}
	}
}
