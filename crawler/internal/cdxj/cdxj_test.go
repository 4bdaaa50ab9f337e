package cdxj

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var surts = map[string]string{
	"https://example.com/":                        "com,example)/",
	"http://example.com":                          "com,example)/",
	"https://www.example.com/":                    "com,example)/",
	"https://www2.example.com/":                   "com,example)/",
	"https://www.www.example.com/":                "com,example,www)/",
	"https://wwwx.example.com/":                   "com,example,wwwx)/",
	"https://WWW.example.com/":                    "com,example,www)/",
	"https://Example.COM/A/b?C=D":                 "com,example)/a/b?c=d",
	"https://example.com:8443/x":                  "com,example:8443)/x",
	"https://example.com:443/x":                   "com,example)/x",
	"http://example.com:443/x":                    "com,example:443)/x",
	"http://127.0.0.1:80/x":                       "1,0,0,127)/x",
	"http://[::1]:81/x":                           "[::1]:81)/x",
	"https://example.com/?b=2&a=1&a=0&&c":         "com,example)/?&a=0&a=1&b=2&c",
	"https://example.com/?":                       "com,example)/",
	"https://example.com/?#f":                     "com,example)/",
	"https://example.com/a#fragment":              "com,example)/a",
	"https://user:secret@example.com/a":           "com,example)/a",
	"https://example.com/%41%2f%E4?%2F=%20":       "com,example)/%41%2f%e4?%2f=%20",
	"https://example.com/a b\"<>`{}|^'?a b'\"<>`": "com,example)/a%20b%22%3C%3E%60%7B%7D|^'?a%20b%27%22%3C%3E`",
	"https://example.com/a/../b/./c//d":           "com,example)/b/c//d",
	"https://b\u00fccher.example/\u00e9?\u00e9":   "example,xn--bcher-kva)/%C3%A9?%C3%A9",
	"https:example.com/x":                         "com,example)/x",
	"http://example.com\\x":                       "com,example)/x",
	"http://example.com./":                        ",com,example)/",
	"http://":                                     "http://",
	"http://www.a b/":                             "http://a b/",
	"http://example.com:99999/":                   "http://example.com:99999/",
	"HTTP://example.com/":                         "HTTP://example.com/",
	"urn:uuid:1":                                  "urn:uuid:1",
	"":                                            "",
}

func TestSURT(t *testing.T) {
	for url, want := range surts {
		if got := SURT(url); got != want {
			t.Errorf("%s: %s, want %s", url, got, want)
		}
	}
}

// TestSURTEqualsThatOfWarcio compares the keys of many URLs with those of the npm package warcio. The
// parsers differ in hosts that DNS cannot carry, and node.js 20 leaves some /. at the end of a path.
func TestSURTEqualsThatOfWarcio(t *testing.T) {
	_, installed := os.Stat("../../output/warc/testdata/warcio/node_modules/warcio")
	node, err := exec.LookPath("node")
	if errors.Join(installed, err) != nil {
		const missing = "no warcio to compare with; run make warcio"
		if os.Getenv("CI") != "" {
			t.Fatal(missing)
		}
		t.Skip(missing)
	}
	var urls []string
	for url := range surts {
		urls = append(urls, url)
	}
	hosts := []string{
		"example.com", "www.Example.com", "www3.example.com.", "WWW.example.com", "127.0.0.1", "0x7f.1", "[2001:DB8::1]", "b\u00fccher.example",
		"xn--bcher-kva.example", "a:b@example.com", "www.user@example.com", "a_b.example", "1.2.3", "a..b", "a b",
	}
	ports := []string{"", "", ":80", ":443", ":8080", ":0", ":", ":x"}
	parts := []string{
		"/", "//", "/..", "/%2e%2E/", "\\", "?", "&", "=", "#", "b=1", "A=%C3%A9", "a[]=1", "%", "%41", "%zz", " ", "+", ";", ",", "|", "~", "'", "\"", "<", "{", "`",
		"^", "[", "\u00fc", "\u00df", "\U0001F600", "http://", "jsessionid", "a", "Z", "0", "\t", "\n",
	}
	random := rand.New(rand.NewPCG(1, 2))
	one := func(of []string) string { return of[random.IntN(len(of))] }
	for range 20_000 {
		url := one([]string{"http://", "https://"}) + one(hosts) + one(ports) + one([]string{"/", "?", "#", "\\"})
		for range random.IntN(12) {
			url += one(parts)
		}
		urls = append(urls, url)
	}
	input, err := json.Marshal(urls)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), node, filepath.Join("testdata", "surt.mjs"))
	cmd.Stdin = bytes.NewReader(input)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	if err := json.Unmarshal(out, &want); err != nil {
		t.Fatal(err)
	}
	different := 0
	for i, url := range urls {
		if got := SURT(url); got != want[i] {
			different++
			t.Logf("%q:\n got %q\nwant %q", url, got, want[i])
		}
	}
	if different > 0 {
		t.Errorf("%d of %d keys differ", different, len(urls))
	}
}

func TestLines(t *testing.T) {
	date := time.Date(2026, 3, 1, 12, 0, 0, 123456000, time.UTC)
	for text, want := range map[string]Line{
		`com,example)/a?b&c 20260301120000 {"url":"https://example.com/a?c&b","mime":"text/html","status":"200","digest":"sha1:ABC","length":"12","offset":"345","filename":"a.warc.gz","date":"2026-03-01T12:00:00.123456Z","id":"<urn:uuid:1>"}`: {
			URL: "https://example.com/a?c&b", Time: date, Status: 200, MIME: "text/html", Digest: "sha1:ABC", File: "a.warc.gz", Offset: 345, Length: 12, RecordID: "<urn:uuid:1>",
		},
		`urn:a%20b 20260301120000 {"url":"urn:a b","length":"0","offset":"0","filename":""}`: {URL: "urn:a b", Time: date.Truncate(time.Second)},
	} {
		if got := string(want.AppendTo([]byte("x"))); got != "x"+text+"\n" {
			t.Errorf("got  %swant x%s", got, text)
		}
		got, err := Parse([]byte(text))
		if err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", text, diff)
		}
	}
}

func TestParseReadsLinesOfOtherTools(t *testing.T) {
	for text, want := range map[string]Line{
		`com,example)/ 20260301120000123 {"url": "https://example.com/", "status": 200, "offset": 5, "length": 6, "method": "POST", "requestBody": "a"}`: {
			URL: "https://example.com/", Time: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), Status: 200, Offset: 5, Length: 6,
		},
	} {
		got, err := Parse([]byte(text))
		if err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", text, diff)
		}
	}
	for _, text := range []string{
		"", "a", "a 20260301120000", `a {"url":""}`, `a 2026 {}`, `a 20260301120000 {`, `a 20260301120000 {"offset":"-1"}`,
		`a 20260301120000 {"offset":"9223372036854775808"}`, `a 20260301120000 {"length":1.5}`, `a 20260301120000 {"date":"today"}`,
	} {
		if got, err := Parse([]byte(text)); err == nil {
			t.Errorf("%s: %v", text, got)
		}
	}
}

func TestHead(t *testing.T) {
	for head, want := range map[string]struct {
		status int
		mime   string
	}{
		"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n": {200, "text/html"},
		"HTTP/1.1 404\r\nX: y\r\ncontent-type :Text/CSS \r\n\r\n":           {404, "Text/CSS"},
		"HTTP/1.0 304 Not Modified\n\n":                                     {304, ""},
		"HTTP/1.1 9999 OK\r\nContent-Type: \r\n\r\n":                        {0, ""},
		"ICY 200 OK\r\n\r\n":                                                {0, ""},
		"":                                                                  {0, ""},
		"HTTP/1.1 200 OK\r\nContent-Type: a/b\xff\r\nContent-Type: text/css\r\n\r\n": {200, "a/b"},
	} {
		if status, mime := Head([]byte(head)); status != want.status || mime != want.mime {
			t.Errorf("%q: %d, %q", head, status, mime)
		}
	}
}

func FuzzSURT(f *testing.F) {
	for url := range surts {
		f.Add(url)
	}
	f.Fuzz(func(t *testing.T, url string) {
		line := Line{URL: strings.ToValidUTF8(url, ""), File: "a"}
		text := line.AppendTo(nil)
		if bytes.Count(text, []byte("\n")) != 1 {
			t.Errorf("%q", text)
		}
		got, err := Parse(text)
		if err != nil || got.URL != line.URL {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`com,example)/ 20260301120000 {"url":"https://example.com/","length":"12","offset":"345","filename":"a.warc.gz"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		line, err := Parse(text)
		if err != nil {
			return
		}
		if again, err := Parse(line.AppendTo(nil)); err != nil || !cmp.Equal(line, again) {
			t.Errorf("%s: %v, %v", text, again, err)
		}
	})
}
