package weburl

import (
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
)

// A URL that is too long is none, whether it is that as it is written or as it is sent.
func TestLongURLs(t *testing.T) {
	for name, url := range map[string]string{
		"written": "http://a.test/" + strings.Repeat("\t", MaxLength), "sent": "http://a.test/" + strings.Repeat("é", MaxLength/4),
		"plain": "http://a.test/" + strings.Repeat("x", MaxLength),
	} {
		if u, err := Parse(url); !errors.Is(err, ErrTooLong) {
			t.Errorf("%s: %d bytes, %v", name, len(u.Canonical), err)
		}
		refs, err := NewResolver("http://a.test/", nil)
		must(t, err)
		if a, err := refs.Resolve(url); !errors.Is(err, ErrTooLong) {
			t.Errorf("%s, in a page: %d bytes, %v", name, len(a), err)
		}
	}
}

// A reference that takes the parser of URLs the time of the square of its length is not
// read: with ten thousand of them, a page of 128 KB took minutes.
func TestTooComplexURLs(t *testing.T) {
	parts, user := strings.Repeat("/a", 4000), strings.Repeat("a", 8000)
	for _, ref := range []string{
		parts, "https://a.test" + parts, strings.Repeat(`\`, 8000), strings.Repeat("../", 2700), strings.Repeat("/a", MaxSegments+1),
		"http://" + user + "@b/", "//" + user + "@b/", strings.Repeat("a@", 4000), "http:" + strings.Repeat(":", 8000) + "@b", `\\` + user + "@b?x",
	} {
		if a, err := Resolve("https://a.test/", ref); !errors.Is(err, ErrTooLong) {
			t.Errorf("%.20s… is read: %.40s…, %v", ref, a.Canonical, err)
		}
	}
	if _, err := Resolve("https://a.test"+parts, "./1"); !errors.Is(err, ErrTooLong) {
		t.Errorf("a base of 4,000 parts is read: %v", err)
	}
	for _, ref := range []string{
		strings.Repeat("/a", MaxSegments-10), "/?" + parts, "/#" + parts, "/?" + user + "@b", "/" + strings.Repeat("a", 900) + "@b", "/" + user,
	} {
		if _, err := Resolve("https://a.test/", ref); err != nil {
			t.Errorf("%.20s…: %v", ref, err)
		}
	}
}

// FuzzCanonical: a canonical URL stays as it is, and is what net/http sends.
func FuzzCanonical(f *testing.F) {
	for _, seed := range []string{
		"http://example.com", "HTTP://Ex%41mple.com:80/a/../b?q#f", "http://[2001:DB8::1]:8080/%zz", "http://müller.eu/ü?ü",
		"http://a_b.example/|^`{}", "http://user:pw@h/;p?a=b&c", "http://h/%", "http://h//a\\b", "http://0x7f.1/", "http://h?", "http://h./a%2Fb", "http://h/it's|a%2Fb",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		a, err := Parse(raw)
		if err != nil {
			return
		}
		again, err := Parse(a.Canonical)
		if err != nil || again != a {
			t.Fatalf("%q: %+v became %+v, %v", raw, a, again, err)
		}
		req, err := http.NewRequest(http.MethodGet, a.Canonical, nil)
		if err != nil {
			t.Fatalf("%q: %v", a.Canonical, err)
		}
		if sent := req.URL.Scheme + "://" + req.URL.Host + req.URL.RequestURI(); sent != a.Canonical {
			t.Errorf("%q: known as %q, sent as %q", raw, a.Canonical, sent)
		}
	})
}

// FuzzResolver: the short way gives what the long way gives.
func FuzzResolver(f *testing.F) {
	for _, base := range []string{"http://example.com/dir/page?q=1", "https://example.com:8443/", "http://[::1]/a/b/", "http://example.com/a//b/c?d", "http://example.com//"} {
		for _, ref := range []string{
			"", "/", "/a/b", "c.html", "c?d=e/./f#g", "?x", "#y", "//other/", "./x", "../x", "a/../b", "/.well-known", "a:b", "/a:b", "x?a:b@c,d",
			"http://example.com/dir/z", "http://example.com:80/", "https://example.com:8443/q", "http://example.comx/", "/%41", "/a b", "/é", "/a//b", "http://Example.COM/x", "http://other.example", "http://1.2.3/x", "http://h:99999/", "http://a:b:c/", "http://xn--a/", "https://other.example?q", "http://-/", "a?b?c", "/a?", ";p", "a\\b",
			".", "..", "./", "../", "../../../x", "..//x", "./..x", ".x", "./a:b", "../?q", "..?q", "...", "a/..", "?", "?a=%41&b='", "??", "/a(b)!*$,;'", "/%2e%2E/x", "/%zz", "/%e4%C3", "x%2f", "?%", "?%zz", "/a:b@c", "a:b/c", "//other.example/x?y", "//EXAMPLE.com", "///x", "mailto:a@b", "javascript:void(0)", "HTTPS:x", "http:x", "https:/x", "ftp://h/x", "tel:+1", "1a:b", "a+b:c", "data:,x",
		} {
			f.Add(base, ref, "")
		}
	}
	for _, name := range []string{"windows-1252", "shift_jis", "euc-jp", "iso-2022-jp", "big5", "gb18030", "utf-16le", "x-user-defined"} {
		f.Add("http://h/é?é", "é?日本é ¥\t#é?", name)
	}
	f.Fuzz(func(t *testing.T, base, ref, name string) {
		parsed, err := Parse(base)
		if err != nil {
			return
		}
		checkResolver(t, parsed.Canonical, ref)
		if enc, err := htmlindex.Get(name); err == nil {
			checkEncoding(t, parsed.Canonical, ref, enc)
		}
	})
}

// checkEncoding checks that the encoding of a document matters to nothing but queries that are not
// ASCII.
func checkEncoding(t *testing.T, base, ref string, enc encoding.Encoding) {
	t.Helper()
	r, err := NewResolver(base, enc)
	must(t, err)
	got, gotErr := r.Resolve(ref)
	want, wantErr := Resolve(base, ref)
	if (gotErr == nil) != (wantErr == nil) && !errors.Is(gotErr, ErrTooLong) && !errors.Is(wantErr, ErrTooLong) {
		t.Fatalf("%.99q in %.99q: %v; in UTF-8: %v", ref, base, gotErr, wantErr)
	}
	if gotErr != nil || wantErr != nil {
		return
	}
	for i := range len(got) {
		if got[i] <= ' ' || got[i] >= 0x7f || got[i] == '#' {
			t.Fatalf("%.99q in %.99q: %q", ref, base, got)
		}
	}
	path, query, _ := strings.Cut(got, "?")
	wantPath, wantQuery, _ := strings.Cut(want.Canonical, "?")
	if path != wantPath || isASCII(ref) && query != wantQuery {
		t.Errorf("%.99q in %.99q: %q; in UTF-8: %q", ref, base, got, want.Canonical)
	}
}

func checkResolver(t *testing.T, base, ref string) {
	t.Helper()
	r, err := NewResolver(base, nil)
	must(t, err)
	got, gotErr := r.Resolve(ref)
	want, wantErr := Resolve(base, ref)
	if got != want.Canonical || (gotErr == nil) != (wantErr == nil) || errors.Is(gotErr, ErrTooLong) != errors.Is(wantErr, ErrTooLong) {
		t.Errorf("%.99q in %.99q: %q, %v; want %q, %v", ref, base, got, gotErr, want.Canonical, wantErr)
	}
	if parts, err := Of(got); got != "" && (err != nil || parts != want) {
		t.Errorf("%.99q: %+v, %v; want %+v", got, parts, err, want)
	}
}

// TestResolverShortReferences holds the short way against the long way for each text of up to four
// of the characters with a meaning.
func TestResolverShortReferences(t *testing.T) {
	texts := []string{""}
	for range 4 {
		var longer []string
		for _, text := range texts {
			checkResolver(t, "http://h/a//b/c?d", text)
			checkResolver(t, "https://h/", "x/%"+text)
			for _, c := range "a./?%2e:'@#" {
				longer = append(longer, text+string(c))
			}
		}
		texts = longer
	}
}

// TestResolverLongReferences holds the limits of the short way against those of the long way.
func TestResolverLongReferences(t *testing.T) {
	for _, base := range []string{"http://h/a/b", "http://h/" + strings.Repeat("a", MaxLength-20) + "/", "http://h" + strings.Repeat("/a", MaxSegments+1)} {
		for _, ref := range []string{
			"", "x", "/x", "?x", "../x", "//h/x", "http://h/x", "mailto:x", "mailto:" + strings.Repeat("x", MaxLength), "/x#" + strings.Repeat("y", MaxLength),
			strings.Repeat("a", MaxLength/2), strings.Repeat("a", MaxLength/2+1), strings.Repeat("a", MaxLength), "?" + strings.Repeat("a/", MaxSegments+1),
		} {
			checkResolver(t, base, ref)
		}
		for n := MaxSegments - 2; n < MaxSegments+3; n++ {
			for _, ref := range []string{"/a", "a/", "../", "./"} {
				checkResolver(t, base, strings.Repeat(ref, n))
				checkResolver(t, base, "http://h/"+strings.Repeat(ref, n))
			}
		}
	}
}

// The hosts of URLs are remembered by how they are written: some of them, short ones, and
// without the text that they stood in.
func TestOriginsAreBounded(t *testing.T) {
	o := &originCache{known: map[string]URL{}}
	for i := range maxOrigins {
		o.known[fmt.Sprintf("http://h%d.test", i)] = URL{}
	}
	if _, _, ok := o.split("http://another.test/"); !ok {
		t.Error("another is not known")
	}
	if n := len(o.known); n == 0 || n > maxOrigins {
		t.Errorf("%d are remembered", n)
	}
	o = &originCache{known: map[string]URL{}}
	if _, _, ok := o.split("http://h.test:" + strings.Repeat("0", maxWritten) + "8080/"); ok || len(o.known) > 0 {
		t.Error("a port with zeros without end is remembered")
	}
	before := heapInUse()
	const pages, size = 64, 1 << 20
	for i := range pages {
		page := fmt.Sprintf("http://h%d.test/", i) + strings.Repeat("x", size)
		o.split(page[:strings.IndexByte(page, 'x')])
	}
	if kept := int64(heapInUse()) - int64(before); kept > pages*size/4 {
		t.Errorf("%d bytes of pages are kept for %d names", kept, pages)
	}
	runtime.KeepAlive(o)
}

// A name that is longer than a host's may be is read like any other text, and not
// remembered.
func TestLongNamesAreNotRemembered(t *testing.T) {
	o := &originCache{known: map[string]URL{}}
	for _, name := range []string{strings.Repeat("a.", 200) + "test", strings.Repeat("x", 300)} {
		if _, _, ok := o.split("http://" + name + "/"); ok || len(o.known) > 0 {
			t.Errorf("%.20s… is remembered", name)
		}
	}
	if _, rest, ok := o.split("http://example.com:8080/x"); !ok || rest != "/x" || len(o.known) != 1 {
		t.Errorf("%q, %t", rest, ok)
	}
}

func heapInUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse + m.StackInuse
}

func TestIsLocal(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "localhost.": true, "a.localhost": true, "127.0.0.1": true, "127.9.9.9": true, "[::1]": true, "::1": true,
		"": false, "example.com": false, "notlocalhost": false, "localhost.example": false, "10.0.0.1": false, "[::2]": false,
	} {
		if got := IsLocal(host); got != want {
			t.Errorf("%q: %t", host, got)
		}
	}
}

// must ends a test with an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
