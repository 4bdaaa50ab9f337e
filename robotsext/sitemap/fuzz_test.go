package sitemap

import (
	"bytes"
	"compress/gzip"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// seed adds the testdata files whose names match, and more.
func seed(f *testing.F, pattern string, more ...string) {
	files, err := filepath.Glob("testdata/forms/" + pattern)
	if err != nil || len(files) == 0 {
		f.Fatalf("no seeds %s (%v)", pattern, err)
	}
	for _, file := range files {
		in, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(in)
	}
	for _, in := range more {
		f.Add([]byte(in))
	}
}

// checkXML compares with the peer whatever encoding/xml finds well-formed, and
// holds everything to what any reading has to keep.
func checkXML(t *testing.T, in []byte) {
	checkAny(t, in)
	if len(in) > 8<<10 || bytes.Count(in, []byte("xmlns")) > maxBindings/2 {
		return // beyond the limits that the peer does not have
	}
	want, err := peerEntries(in)
	if err != nil {
		return
	}
	var got []Entry
	for e, err := range Read(bytes.NewReader(in), nil) {
		if err != nil {
			t.Fatalf("%v in\n%s", err, in)
		}
		e.Videos, e.Column = nil, 0 // not read by the peer
		got = append(got, e)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("-encoding/xml +sitemap:\n%s\nin\n%s", diff, in)
	}
}

// checkAny holds a reading to what is true of every one.
func checkAny(t *testing.T, in []byte) {
	opts := &Options{MaxEntries: 100, MaxBytes: 1 << 20}
	index := -1
	for e, err := range Read(bytes.NewReader(in), opts) {
		if err != nil {
			if e.Loc != "" {
				t.Fatalf("an entry beside %v", err)
			}
			continue
		}
		if e.Index <= index || e.Index >= opts.MaxEntries {
			t.Fatalf("index %d after %d", e.Index, index)
		}
		index = e.Index
		u, err := url.Parse(e.Loc)
		if err != nil || u.Host == "" || !u.IsAbs() || strings.ContainsFunc(e.Loc, func(c rune) bool { return c <= ' ' || c >= 0x7F }) {
			t.Fatalf("location %q: %v", e.Loc, err)
		}
		if !(e.Priority >= 0 && e.Priority <= 1) || e.Line < 1 {
			t.Fatalf("entry %+v", e)
		}
		for _, m := range e.Images {
			if m.Loc == "" {
				t.Fatal("an image without a location")
			}
		}
	}
	whole := transcript(bytes.NewReader(in), opts)
	slow := transcript(iotest.OneByteReader(bytes.NewReader(in)), opts)
	if whole != slow {
		t.Fatalf("depends on how the bytes arrive (-whole +slow):\n%s", cmp.Diff(whole, slow))
	}
}

// FuzzXML holds the readings of URL sets, indexes and feeds equal to those of a tree by encoding/xml.
func FuzzXML(f *testing.F) {
	seed(f, "*.xml",
		`<urlset><url><loc>http://a.example/&#x41;</loc><loc>http://b.example/</loc></url></urlset>`,
		`<!DOCTYPE urlset [<!ENTITY a "b"><!-- > ' -->]><urlset><url><loc>http://a.example/<!-- c -->b<x>c</x>d</loc></url></urlset>`,
		`<urlset xmlns:image="urn:x"><url><image:image><image:loc>http://a.example/</image:loc></image:image></url></urlset>`,
		`<a:urlset><a:url><a:loc>http://a.example/</a:loc></a:url></a:urlset>trailing`,
		`<urlset><url><loc><![CDATA[http://a.example/?a&b]]></loc></url><url/></urlset>`,
		`<sitemapindex><sitemap><loc>http://a.example/</loc><lastmod>2005</lastmod><priority>1</priority></sitemap></sitemapindex>`,
		`<rss><channel><item><link> </link><guid>http://a.example/</guid></item><item><guid isPermaLink="false">http://b.example/</guid></item></channel></rss>`,
		`<rss><channel><item><link>http://a.example/<b/></link><guid>http://b.example/</guid></item></channel></rss>`,
		`<rss xmlns:atom="http://www.w3.org/2005/Atom"><channel><item><atom:link href="http://b.example/"/><link>http://a.example/</link></item></channel></rss>`,
		`<rss><channel><item><link>http://a.example/</link><pubDate>Sat, 07 Sep 2002 00:00:01 GMT</pubDate></item></channel></rss>`,
		`<feed xml:base="http://a.example/x/"><entry xml:base="../y/"><link xml:base="z/" href="a b"/></entry><entry><link href="/c"/></entry></feed>`,
		`<feed><entry><link rel="ALTERNATE" href=" http://a.example/ "/><modified>2005-07-31T12:29:29Z</modified></entry></feed>`)
	f.Fuzz(checkXML)
}

func FuzzText(f *testing.F) {
	seed(f, "*.txt", "http://a.example/\rhttp://b.example/\r\n\n", "\xef\xbb\xbfhttp://a.example/", "\xff\xfeh\x00t\x00t\x00p\x00")
	f.Fuzz(func(t *testing.T, in []byte) {
		checkAny(t, in)
		if !strings.HasPrefix(string(in), "http") || bytes.ContainsRune(in, 0) || len(in) > 4<<10 {
			return
		}
		var want, got []string
		for line := range strings.FieldsFuncSeq(string(in), func(c rune) bool { return c == '\n' || c == '\r' }) {
			if loc, err := location([]byte(strings.Trim(line, " \t"))); err == nil {
				want = append(want, loc)
			}
		}
		for e, err := range Read(bytes.NewReader(in), nil) {
			if err == nil {
				got = append(got, e.Loc)
			}
		}
		if looksLikeText(in) && !cmp.Equal(want, got) {
			t.Fatalf("want %q\ngot %q", want, got)
		}
	})
}

// FuzzGzip takes what is in the file, packs it, damages a byte of it and cuts
// it: entries are lost, but none is made up.
func FuzzGzip(f *testing.F) {
	for _, name := range []string{"yoast-posts.xml", "list.txt", "twice.xml.gz"} {
		in, err := os.ReadFile("testdata/forms/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(in, 20, byte(0), 1<<20)
		f.Add(in, 3, byte(8), 100)
	}
	f.Fuzz(func(t *testing.T, in []byte, at int, flip byte, end int) {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		if _, err := z.Write(in); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		packed := b.Bytes()
		if at >= 0 && at < len(packed) {
			packed[at] ^= flip
		}
		if end >= 0 && end < len(packed) {
			packed = packed[:end]
		}
		checkAny(t, packed)
		if looksLikeText(in) && (flip == 0 || at < 0 || at >= len(packed)) {
			whole := map[string]bool{}
			for e, err := range Read(bytes.NewReader(in), nil) {
				if err == nil {
					whole[e.Loc] = true
				}
			}
			for e, err := range Read(bytes.NewReader(packed), nil) {
				if err == nil && !whole[e.Loc] && !bytes.HasPrefix(in, []byte("\x1f\x8b")) {
					t.Fatalf("made up %q", e.Loc)
				}
			}
		}
	})
}

func FuzzLocation(f *testing.F) {
	for _, s := range []string{"http://a.example/", "HTTPS://u:p@[::1]:8080/x?y#z", "http://müller.example/ä b", "ftp://例え.テスト", "http://a.example:80", "//a.example/", "http://[fe80::1%25eth0]/", "http://a b/", `http://h\x`, "http://h/%zz", "http://h/a%?b%#c%", "http://u%:[@h/"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		loc, err := location([]byte(in))
		if err != nil {
			return
		}
		u, err := url.Parse(loc)
		if err != nil || !u.IsAbs() || u.Host == "" {
			t.Fatalf("%q is not an absolute URL: %v", loc, err)
		}
		again, err := location([]byte(loc))
		if err == nil && again != loc || err != nil && !errors.Is(err, errLong) {
			t.Fatalf("%q again: %q, %v", loc, again, err)
		}
	})
}
