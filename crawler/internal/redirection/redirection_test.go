package redirection

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// The targets are those of Chromium.
func TestLocation(t *testing.T) {
	const base = "http://example.com/dir/page?q"
	for name, tt := range map[string]struct {
		status    int
		locations []string
		want      string // empty if no redirect
	}{
		"301": {301, []string{"/a"}, "http://example.com/a"}, "302": {302, []string{"/a"}, "http://example.com/a"},
		"303": {303, []string{"/a"}, "http://example.com/a"}, "307": {307, []string{"/a"}, "http://example.com/a"},
		"308": {308, []string{"/a"}, "http://example.com/a"},
		"200": {200, []string{"/a"}, ""}, "201": {201, []string{"/a"}, ""}, "300": {300, []string{"/a"}, ""}, "304": {304, []string{"/a"}, ""},
		"305": {305, []string{"/a"}, ""}, "306": {306, []string{"/a"}, ""}, "310": {310, []string{"/a"}, ""}, "399": {399, []string{"/a"}, ""},
		"none": {302, nil, ""}, "empty": {302, []string{""}, ""}, "white space": {302, []string{" \t"}, ""},
		"the first one is empty": {302, []string{"", "/a"}, "http://example.com/a"},
		"two that are equal":     {302, []string{"/a", "/a"}, "http://example.com/a"},
		"two that differ":        {302, []string{"/a", "/b"}, ""},
		"Latin-1":                {302, []string{"/d\xe9j\xe0?a=\xfc#\xe9"}, "http://example.com/d%E9j%E0?a=%FC#%E9"},
		"Shift_JIS":              {302, []string{"/\x93\xfa\x96\x7b"}, "http://example.com/%93%FA%96%7B"},
		"UTF-8 and Latin-1":      {302, []string{"/é-\xe9"}, "http://example.com/%C3%A9-%E9"},
		"host in UTF-8":          {302, []string{"http://bücher.example/"}, "http://xn--bcher-kva.example/"},
		"a tab":                  {302, []string{"/a\tb#c\td"}, "http://example.com/ab#cd"},
		"a fragment only":        {302, []string{"#f"}, "http://example.com/dir/page?q#f"},
		"an empty fragment":      {302, []string{"b#"}, "http://example.com/dir/b#"},
		"fragment to be escaped": {302, []string{"b#50%-\"x y\""}, "http://example.com/dir/b#50%-%22x%20y%22"},
		"another scheme":         {302, []string{"mailto:a@example.com"}, "invalid"},
		"an invalid port":        {302, []string{"http://127.0.0.1:99999/x"}, "invalid"},
	} {
		t.Run(name, func(t *testing.T) {
			header := http.Header{}
			for _, l := range tt.locations {
				header.Add("Location", l)
			}
			for _, hide := range []bool{false, true} {
				if hide {
					Hide(header)
					if header.Get("Location") != "" {
						t.Error("http.Client finds the Location")
					}
				}
				got := Location(tt.status, header)
				if got != "" {
					if to, err := Resolve(base, got); err != nil {
						got = "invalid"
					} else {
						got = to.String()
					}
				}
				if got != tt.want {
					t.Errorf("hidden %t: %q, want %q", hide, got, tt.want)
				}
			}
		})
	}
}

// FuzzLocation: a target is a URL without octets that need escaping, and its fragment is that of the
// Location.
func FuzzLocation(f *testing.F) {
	f.Add("/a#b")
	f.Add("http://example.com/\xe9#\xe9 ")
	f.Fuzz(func(t *testing.T, text string) {
		to, err := Resolve("http://example.com/", Location(302, http.Header{"Location": {text}}))
		if err != nil {
			return
		}
		shown := to.String()
		if strings.ContainsFunc(shown, func(r rune) bool { return r <= ' ' || r >= 0x7f }) || strings.Contains(shown, "#") != strings.Contains(text, "#") {
			t.Errorf("%q leads to %q", text, shown)
		}
		if u, err := url.Parse(to.Canonical); err != nil || u.Fragment != "" {
			t.Errorf("%q leads to %q: %v", text, to.Canonical, err)
		}
	})
}
