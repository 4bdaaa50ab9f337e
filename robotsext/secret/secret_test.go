package secret

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"strings"
	"testing"
)

func TestRedactLog(t *testing.T) {
	for in, want := range map[string]string{
		"nothing secret, a@b and 1/2":                                   "nothing secret, a@b and 1/2",
		"https://example.com/@user?a=b@c":                               "https://example.com/@user?a=b@c",
		"http://alice:hunter2@h/":                                       "http://***@h/",
		"http://alice@h/":                                               "http://***@h/",
		"socks5://a:p@ss@h:1080":                                        "socks5://***@h:1080",
		"//alice:hunter2@h/x":                                           "//***@h/x",
		"Disallow: /a//b@c":                                             "Disallow: /a//b@c",
		"/a%20//alice:hunter2@h/x":                                      "/a%20//***@h/x",
		"/a%09//alice:hunter2@h/x":                                      "/a%09//***@h/x",
		`Get "http://a:hunter2@h/": EOF, "https://b:hunter2@i/x"`:       `Get "http://***@h/": EOF, "https://***@i/x"`,
		`"http://a:hunter'2@h/" is none`:                                `"http://***@h/" is none`,
		`"http://a:hunter\"2@h/" is none`:                               `"http://***@h/" is none`,
		`http:\\a:hunter2@h\x`:                                          `http:\\***@h\x`,
		"http://alice:hunter2＠h/":                                       "http://***@h/",
		"http://alice:hunter2﹫h/":                                       "http://***@h/",
		"http://alice:hunter2%40h/?a@b":                                 "http://***@h/?a@b",
		"http //alice:hunter2@h":                                        "http //***@h",
		"http:///alice:hunter2@h, http:/a:hunter2@h, https:a:hunter2@h": "http:///***@h, http:/***@h, https:***@h",
		`http:\/\/alice:hunter2@h\/`:                                    `http:\/\/***@h\/`,
		"/x ///alice:hunter2@h":                                         "/x ///***@h",
		"view-source:http://alice:hunter2@h/":                           "view-source:http://***@h/",
		"mailto:alice@h, sip:alice@h":                                   "mailto:alice@h, sip:alice@h",
		"mailto:alice:hunter2@h or sip:alice:hunter2@h":                 "mailto:alice:***@h or sip:alice:***@h",
		"http://h:8080/@a and http://h: mail a@b":                       "http://h:8080/@a and http://h: mail a@b",
		"http://[::1]:80/a@b, http://h:80, a@b; http://h is a@b's":      "http://[::1]:80/a@b, http://h:80, a@b; http://h is a@b's",
		`{"at":"http://h:80/","by":"a@b"}`:                              `{"at":"http://h:80/","by":"a@b"}`,
		"image:tag@sha256:0, alice:word@h":                              "image:tag@sha256:0, alice:word@h",
		"net/http: no a@b; file:///a@b, a%40b /x%40y":                   "net/http: no a@b; file:///a@b, a%40b /x%40y",
		"http://h/?token=hunter2&a=1&api_key=hunter2#x":                 "http://h/?token=***&a=1&api_key=***#x",
		"http://h/?X-Amz-Signature=hunter2&X-Amz-Security-Token=x;y":    "http://h/?X-Amz-Signature=***&X-Amz-Security-Token=***;y",
		"http://h/;jsessionid=hunter2?tokens=3&sidebar=4":               "http://h/;jsessionid=***?tokens=3&sidebar=4",
		`malformed header "Cookie: a=hunter2"`:                          `malformed header "Cookie: ***"`,
		"Proxy-Authorization: Basic aHVudGVyMg==":                       "Proxy-Authorization: ***",
	} {
		if got := RedactLog(in); got != want {
			t.Errorf("RedactLog(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzRedactLog(f *testing.F) {
	for _, s := range []string{"http://alice:hunter2@h/", "//a@", "?token=x", "cookie: \x00", "a:///@@", "http://\xff@h", "http://a'b@h", "http://a:b/c@d", "http:a:b c@d＠e/"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		once := RedactLog(text)
		if again := RedactLog(once); again != once {
			t.Errorf("%q becomes %q, and that %q", text, once, again)
		}
		if u, err := url.Parse(strings.TrimSpace(text)); err == nil && u.User != nil && !strings.ContainsAny(text, " \"<>") {
			if name := u.User.String(); len(name) > 3 && !strings.Contains(name, "*") && strings.Contains(once, "//"+name+"@") {
				t.Errorf("%q is left in %q", name, once)
			}
		}
	})
}

// TestSecretNames holds which parameters and header fields are left out.
func TestSecretNames(t *testing.T) {
	const url = "http://h/p?a=1&"
	for _, name := range []string{
		"token", "access_token", "access%5Ftoken", "acc%65ss-token", "token[]", "token%5B%5D", "key", "api_key", "x-api-key", "pass", "password", "session", "session_id",
		"PHPSESSID", "jsessionid", "sid", "jwt", "code", "auth_code", "sig", "X-Amz-Credential", "X-Amz-Signature", "client_secret", "passphrase", "pwd",
	} {
		if got, want := RedactLog("get "+url+name+"=hunter2&b=2"), "get "+url+name+"=***&b=2"; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got, want := RedactLog("http://h/#access_token=hunter2"), "http://h/#access_token=***"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for _, field := range []string{"Authorization", "Proxy-Authorization", "Cookie", "Set-Cookie", "X-Api-Key", "Api-Key", "X-Amz-Security-Token", "X-Auth-Token", "Private-Token"} {
		if got, want := RedactLog("the field "+field+": hunter2 and more"), "the field "+field+": ***"; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for _, plain := range []string{url + "page=2&sort=name&zip_code=1&design=x&side=y", "X-Robots-Tag: noindex", "product token: x", "a=1; b=2"} {
		if got := RedactLog(plain); got != plain {
			t.Errorf("%q became %q", plain, got)
		}
	}
	for word, want := range map[string]bool{"Authorization": true, "proxy_authorization": true, "Set-Cookie": true, "token": true, "X-Api-Key": true, "url": false, "host": false} {
		if got := IsSecret(word); got != want {
			t.Errorf("IsSecret(%q) = %t", word, got)
		}
	}
}

func TestRedactURL(t *testing.T) {
	for in, want := range map[string]string{
		"":                               "",
		"/a//b@c":                        "/a//b@c",
		"a@b":                            "a@b",
		"mailto:a@b":                     "mailto:a@b",
		"https://h/@a//b@c":              "https://h/@a//b@c",
		"https://h?a@b":                  "https://h?a@b",
		"https://h#a@b":                  "https://h#a@b",
		"http://u:p@h/x?y=a@b":           "http://***@h/x?y=a@b",
		"http://u@h":                     "http://***@h",
		"HTTP://u:p@q@h:8/":              "HTTP://***@h:8/",
		"//u:p@h/":                       "//***@h/",
		`\\u:p@h/`:                       `\\***@h/`,
		`http:\/u:p@h\x@y`:               `http:\/***@h\x@y`,
		"http:u:p@h/":                    "http:***@h/",
		"http:////u:p@h/":                "http:////***@h/",
		" \x00http://u:p@h/":             " \x00http://***@h/",
		"ht\ntp:/\t/u:\rp@h/":            "http://***@h/",
		"gopher://u:p@h/":                "gopher://***@h/",
		"javascript:x('//a@b')":          "javascript:x('//a@b')",
		"http://u:p w'\"<x>@h/":          "http://***@h/",
		"//\tno\there@":                  "//***@",
		"a\tb@c":                         "a\tb@c",
		"https://" + Mask + "@h/":        "https://" + Mask + "@h/",
		"/path/https://user:password@h/": "/path/https://user:password@h/",
		"http://u:p＠h/x＠y":               "http://***@h/x＠y",
		"http://u:p@q%40h/x%40y":         "http://***@h/x%40y",
	} {
		if got := RedactURL(in); got != want {
			t.Errorf("RedactURL(%q) = %q, want %q", in, got, want)
		}
		if got, want := StripUserinfo(in), strings.Replace(want, Mask+"@", "", 1); got != want {
			t.Errorf("StripUserinfo(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestRedactInvalidURL(t *testing.T) {
	for in, want := range map[string]string{
		"":                      "",
		"example.com/@user":     "example.com/@user",
		"/path@":                "/path@",
		"mailto:a@b":            "mailto:a@b",
		"u:p@h":                 "***@h",
		"u:p@h/@x":              "***@h/@x",
		"http://u:p/q?r#s@h:x/": "http://***@h:x/",
		"ftp://h/":              "ftp://h/",
		"https://" + Mask + "@": "https://" + Mask + "@",
		"http:/u:p/q@h":         "http:/***@h",
		"https:u:p@h":           "https:***@h",
		"http://u:p＠h:8/f":      "http://***@h:8/f",
		"u:p q@h/a@b":           "***@h/a@b",
		`/\u:p@h`:               `/\***@h`,
	} {
		if got := RedactInvalidURL(in); got != want {
			t.Errorf("RedactInvalidURL(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestRedactError(t *testing.T) {
	err := RedactError(fmt.Errorf(`get "http://u:p@h/": %w`, io.EOF))
	if err.Error() != `get "http://***@h/": EOF` || !errors.Is(err, io.EOF) {
		t.Error(err)
	}
	if RedactError(nil) != nil || RedactError(io.EOF) != io.EOF {
		t.Error("an error without a user is changed")
	}
}

func TestRedactMap(t *testing.T) {
	plain := map[string]string{"a": "b", "c": "user@host"}
	if got := RedactMap(plain); !maps.Equal(got, plain) {
		t.Errorf("%v is changed to %v", plain, got)
	}
	with := map[string]string{"a": "b", "see": "http://u:p@h/", "http://u:p@h": "yes"}
	want := map[string]string{"a": "b", "see": "http://***@h/", "http://***@h": "yes"}
	if got := RedactMap(with); !maps.Equal(got, want) || with["see"] != "http://u:p@h/" {
		t.Errorf("got %v, and the argument is %v", got, with)
	}
	if RedactMap(nil) != nil {
		t.Error("nil is changed")
	}
}
