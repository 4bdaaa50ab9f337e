package sitemap

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// urlset wraps the content of url elements into a document.
func urlset(urls ...string) string {
	return `<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` +
		"<url>" + strings.Join(urls, "</url><url>") + "</url></urlset>"
}

// readAll returns everything that Read says of a body.
func readAll(r io.Reader, opts Options) (entries []Entry, findings []Finding, err error) {
	opts.OnFinding = func(f Finding) { findings = append(findings, f) }
	for e, end := range Read(r, &opts) {
		if end != nil {
			return entries, findings, end
		}
		entries = append(entries, e)
	}
	return entries, findings, nil
}

func locs(entries []Entry) (out []string) {
	for _, e := range entries {
		out = append(out, e.Loc)
	}
	return out
}

func kinds(findings []Finding) (out []Kind) {
	for _, f := range findings {
		out = append(out, f.Kind)
	}
	return out
}

func packed(t testing.TB, in string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := io.WriteString(z, in); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestRows reads one document for each thing that a row of the requirements
// says of a sitemap's content.
func TestRows(t *testing.T) {
	const a, b = "<loc>http://h.example/a</loc>", "<loc>http://h.example/b</loc>"
	tests := []struct {
		name string
		in   string
		want string // locations, without http://h.example/
		end  Kind   // "" if it is read to its end
		tell []Kind // findings beside the end
	}{
		{"ROB-SMP-06/encodes characters outside ASCII", urlset("<loc>http://h.example/テスト-サイトマップ.xml</loc>"), "%E3%83%86%E3%82%B9%E3%83%88-%E3%82%B5%E3%82%A4%E3%83%88%E3%83%9E%E3%83%83%E3%83%97.xml", "", nil},
		{"ROB-SMP-06/puts the host into punycode", urlset("<loc>http://WWW.MÜLLER.eu/ä?ö</loc>"), "http://www.xn--mller-kva.eu/%C3%A4?%C3%B6", "", nil},
		{"ROB-SMP-06/leaves escapes alone", urlset("<loc>http://h.example/%c3%a4%2F</loc>"), "%c3%a4%2F", "", nil},

		{"ROB-SMP-12/a body that stops within the limits", urlset(a, b), "a b", "", nil},

		{"ROB-SMP-13/the five entities", urlset("<loc>http://h.example/?a=1&amp;b=&quot;&apos;&lt;&gt;</loc>"), `?a=1&b="'<>`, "", nil},
		{"ROB-SMP-13/numeric references", urlset("<loc>http://h.example/&#65;&#x42;&#x000e4;</loc>"), "AB%C3%A4", "", nil},
		{"ROB-SMP-13/references once only", urlset("<loc>http://h.example/?a=&amp;amp;</loc>"), "?a=&amp;", "", nil},
		{"ROB-SMP-13/CDATA holds no references", urlset("<loc><![CDATA[http://h.example/?a=1&amp;b]]></loc>"), "?a=1&amp;b", "", nil},
		{"ROB-SMP-13/a bare ampersand is kept and told", urlset("<loc>http://h.example/?a=1&b=2</loc>"), "?a=1&b=2", "", []Kind{BadReference}},
		{"ROB-SMP-13/a reference to no character is kept and told", urlset("<loc>http://h.example/?&#0;&#xD800;&#x110000;</loc>"), "?&#0;&#xD800;&#x110000;", "", []Kind{BadReference}},
		{"ROB-SMP-13/an external entity is not fetched",
			`<!DOCTYPE urlset [<!ENTITY x SYSTEM "http://127.0.0.1:1/x"><!ENTITY f SYSTEM "file:///etc/passwd">]>` + urlset("<loc>http://h.example/&x;&f;</loc>"), "&x;&f;", "", []Kind{Doctype, BadReference}},

		{"ROB-SMP-13/a document type with anything in it", `<!DOCTYPE urlset [ <?x don't > ?><!-- don't > --> <!ENTITY a "x>y"> <??> ]>` + urlset(a), "a", "", []Kind{Doctype}},

		{"ROB-SMP-14/an image is not a page", urlset(`<x:image xmlns:x="http://www.google.com/schemas/sitemap-image/1.1"><x:loc>http://h.example/i.png</x:loc></x:image>` + a), "a", "", nil},
		{"ROB-SMP-14/an image's location outside an image is not a page", urlset("<image:loc>http://h.example/i.png</image:loc>" + a), "a", "", nil},
		{"ROB-SMP-14/unknown elements are skipped with all in them", urlset(`<x:y xmlns:x="urn:x"><loc>http://h.example/no</loc><url><loc>http://h.example/nor</loc></url></x:y>` + a), "a", "", nil},
		{"ROB-SMP-14/white space is trimmed", urlset("<loc>\r\n\t http://h.example/a \n</loc>"), "a", "", nil},
		{"ROB-SMP-14/Unicode white space is trimmed", urlset("<loc>\u00a0\u3000\u2007http://h.example/a\u00a0 \u202f\u0085</loc>", "<loc>&#xA0;http://h.example/b&#160;</loc>"), "a b", "", nil},
		{"ROB-SMP-14/Unicode white space before the document", "\u00a0\n" + urlset(a), "a", "", nil},
		{"ROB-SMP-14/Unicode white space inside stays", urlset("<loc>http://h.example/a\u00a0b</loc>"), "a%C2%A0b", "", nil},
		{"ROB-SMP-14/Unicode white space around other values", urlset("<loc>http://h.example/a</loc><lastmod>\u00a02020-01-01\u00a0</lastmod><changefreq>\u00a0daily</changefreq><priority>\u00a00.1</priority>"), "a", "", nil},
		{"ROB-SMP-14/any prefix", `<s:urlset xmlns:s="http://www.sitemaps.org/schemas/sitemap/0.9"><s:url><s:loc>http://h.example/a</s:loc></s:url></s:urlset>`, "a", "", nil},
		{"ROB-SMP-14/comments and instructions inside a value", urlset("<loc>http://h.<!-- <loc> -->example/<?x > ?>a</loc>"), "a", "", nil},

		{"ROB-SMP-15/one bad of three", urlset(a, "<loc>/relative</loc>", b), "a b", "", []Kind{BadLoc}},
		{"ROB-SMP-15/another scheme", urlset("<loc>javascript:alert(1)</loc>", "<loc>mailto:a@h.example</loc>", a), "a", "", []Kind{BadLoc, BadLoc}},
		{"ROB-SMP-15/2047 characters", urlset("<loc>http://h.example/" + strings.Repeat("ä", 2047-17) + "</loc>"), strings.Repeat("%C3%A4", 2047-17), "", nil},
		{"ROB-SMP-15/2048 characters", urlset("<loc>http://h.example/"+strings.Repeat("a", 2048-17)+"</loc>", a), "a", "", []Kind{BadLoc}},
		{"ROB-SMP-15/no location", urlset("", "<priority>1</priority>", a), "a", "", []Kind{NoLoc, NoLoc}},
		{"ROB-SMP-15/control characters", urlset("<loc>http://h.example/a\x00b</loc>", "<loc>http://h.example/a\nb</loc>", a), "a", "", []Kind{BadLoc, BadLoc}},

		{"ROB-SMP-20/an index lists sitemaps", "<sitemapindex><sitemap>" + a + "</sitemap><sitemap>" + b + "</sitemap></sitemapindex>", "a b", "", nil},

		{"ROB-SMP-21/text", "http://h.example/a\n\n  \nhttp://h.example/b\n", "a b", "", nil},
		{"ROB-SMP-21/text with Unicode white space", "\u00a0http://h.example/a\u2003\n\u00a0\n \u3000http://h.example/b\n\u3000", "a b", "", nil},
		{"ROB-SMP-21/RSS with Unicode white space", "<rss><channel><item><link>\u00a0http://h.example/a\u00a0</link><pubDate>\u00a0Sat, 07 Sep 2002 09:42:31 GMT</pubDate></item></channel></rss>", "a", "", nil},
		{"ROB-SMP-21/Atom with Unicode white space", "<feed xmlns=\"http://www.w3.org/2005/Atom\"><entry><link rel=\"\u00a0alternate\" href=\"\u00a0http://h.example/a&#xa0;\"/></entry></feed>", "a", "", nil},
		{"ROB-SMP-21/text with a byte order mark", "\uFEFFhttp://h.example/a", "a", "", nil},
		{"ROB-SMP-21/text and nothing else", "# pages\nhttp://h.example/a\nhttp://h.example/b priority=1\n", "a b%20priority=1", "", []Kind{BadLoc}},
		{"ROB-SMP-21/RSS", "<rss><channel><link>http://h.example/</link><item><link>http://h.example/a</link><pubDate>Sat, 07 Sep 2002 09:42:31 GMT</pubDate></item></channel></rss>", "a", "", nil},
		{"ROB-SMP-21/Atom", `<feed xmlns="http://www.w3.org/2005/Atom"><link href="http://h.example/"/><entry><link rel="self" href="http://h.example/s"/><link href="http://h.example/a"/></entry></feed>`, "a", "", nil},

		{"ROB-SMP-21/RSS with an Atom link before its own", `<rss xmlns:atom="http://www.w3.org/2005/Atom"><channel><atom:link href="http://h.example/feed" rel="self"/><item><atom:link href="http://h.example/s" rel="self"/><link>http://h.example/a</link></item></channel></rss>`, "a", "", nil},
		{"ROB-SMP-21/RSS with an Atom link of no prefix", `<rss><channel><item><link xmlns="http://www.w3.org/2005/Atom" href="http://h.example/s"/><link>http://h.example/a</link></item></channel></rss>`, "a", "", nil},
		{"ROB-SMP-21/Atom 0.3 with a sitemap's words", `<feed xmlns="http://purl.org/atom/ns#" xmlns:s="http://www.sitemaps.org/schemas/sitemap/0.9"><s:entry/><entry><s:link href="http://h.example/s"/><link href="http://h.example/a"/></entry></feed>`, "a", "", nil},
		{"ROB-SMP-14/the namespace declared below the root", `<urlset><url xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><loc>http://h.example/a</loc></url></urlset>`, "a", "", nil},
		{"ROB-SMP-14/an older namespace below the root", `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url xmlns="http://www.google.com/schemas/sitemap/0.84"><loc>http://h.example/a</loc></url></urlset>`, "a", "", nil},

		{"ROB-SMP-28/a namespace of the core that is another one", `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url xmlns="http://www.google.com/geo/schemas/sitemap/1.0">` + a + `</url></urlset>`, "", "", []Kind{NoEntries}},
		{"ROB-SMP-28/a urlset in a urlset", "<urlset><urlset><url>" + a + "</url></urlset></urlset>", "", "", []Kind{UnknownElement, NoEntries}},
		{"ROB-SMP-28/an index in a urlset", "<urlset><sitemap>" + a + "</sitemap></urlset>", "", "", []Kind{UnknownElement, NoEntries}},
		{"ROB-SMP-28/a urlset in an index", "<sitemapindex><urlset><url>" + a + "</url></urlset></sitemapindex>", "", "", []Kind{UnknownElement, NoEntries}},
		{"ROB-SMP-28/an empty urlset", "<urlset/>", "", "", []Kind{NoEntries}},
		{"ROB-SMP-28/an empty feed is sound", "<rss><channel><title>x</title></channel></rss>", "", "", nil},
		{"ROB-SMP-28/nothing", " \n", "", Empty, nil},
		{"ROB-SMP-28/an unknown root", "<sitemap><url>" + a + "</url></sitemap>", "", NotASitemap, nil},
		{"ROB-SMP-28/entries that are invalid are told one by one", urlset("<loc>no</loc>", ""), "", "", []Kind{BadLoc, NoLoc}},

		{"ROB-SMP-27/an element in a location", urlset("<loc>http://h.example/<b>1</b></loc>", "<loc>http://<i/>h.example/</loc>", "<loc><a href='http://h.example/'>http://h.example/</a></loc>", a), "a", "", []Kind{Markup, Markup, Markup}},
		{"ROB-SMP-27/an element in a location of an index", "<sitemapindex><sitemap><loc>http://h.example/<b>1</b></loc></sitemap></sitemapindex>", "", "", []Kind{Markup}},
		{"ROB-SMP-27/an element in a link", "<rss><channel><item><link>http://h.example/<b>1</b></link><guid>http://h.example/g</guid></item></channel></rss>", "", "", []Kind{Markup}},
		{"ROB-SMP-27/an element in a guid", "<rss><channel><item><guid>http://h.example/<b>1</b></guid></item></channel></rss>", "", "", []Kind{Markup}},
		{"ROB-SMP-27/an element in the URL of an image", urlset(a + `<image:image><image:loc>http://h.example/<b>1</b></image:loc></image:image>`), "a", "", []Kind{Markup, BadExtension}},
		{"ROB-SMP-27/an element in a title", urlset(a + `<image:image><image:loc>http://h.example/i</image:loc><image:title>a<b>c</b></image:title></image:image>`), "a", "", nil},
		{"ROB-SMP-27/comments, instructions and CDATA are no elements", urlset("<loc>http://<!-- <b> -->h.example<?b?>/<![CDATA[a]]></loc>"), "a", "", nil},

		{"ROB-SMP-22/cut between entries", "<urlset><url>" + a + "</url>", "a", Truncated, nil},
		{"ROB-SMP-22/cut in an entry", "<urlset><url>" + a + "</url><url>" + b, "a", Truncated, nil},
		{"ROB-SMP-22/cut in a tag", "<urlset><url>" + a + "</url><url><lo", "a", Truncated, nil},
		{"ROB-SMP-22/wrong end tag", "<urlset><url>" + a + "</url><url>" + b + "</urlset>", "a", BadXML, nil},
		{"ROB-SMP-22/a bracket that is no tag", "<urlset><url>" + a + "</url> 1 < 2 </urlset>", "a", BadXML, nil},
		{"ROB-SMP-22/an attribute without an end", "<urlset><url>" + a + `</url><url x="></url><url>` + b + "</url></urlset>", "a", BadXML, nil},
		{"ROB-SMP-22/something behind the end", "<urlset><url>" + a + "</url></urlset> <!-- made by hand --> <b/>", "a", "", []Kind{TrailingContent}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for name, body := range map[string][]byte{"plain": []byte(tt.in), "gzip": packed(t, tt.in)} {
				entries, findings, err := readAll(bytes.NewReader(body), Options{})
				if got := strings.ReplaceAll(strings.Join(locs(entries), " "), "http://h.example/", ""); got != tt.want {
					t.Errorf("%s: got %q, want %q", name, got, tt.want)
				}
				if tt.end == "" && err != nil || tt.end != "" && !errors.Is(err, tt.end) {
					t.Errorf("%s: ended by %v, want %q", name, err, tt.end)
				}
				want := tt.tell
				if tt.end != "" {
					want = append(slices.Clip(want), tt.end)
				}
				if got := kinds(findings); !slices.Equal(got, want) {
					t.Errorf("%s: findings %q, want %q", name, got, want)
				}
			}
		})
	}
}

func TestFormatByContent(t *testing.T) {
	for format, file := range map[Format]string{
		URLSet: "wordpress-posts.xml", Index: "wordpress-index.xml", Text: "list.txt", RSS: "rss.xml", Atom: "atom.xml",
	} {
		t.Run("ROB-SMP-11/"+string(format), func(t *testing.T) {
			in, err := os.ReadFile("testdata/forms/" + file)
			if err != nil {
				t.Fatal(err)
			}
			for layers, body := range [][]byte{in, packed(t, string(in)), packed(t, string(packed(t, string(in))))} {
				var s Summary
				entries, _, err := readAll(bytes.NewReader(body), Options{OnEnd: func(end Summary) { s = end }})
				if err != nil || s.Format != format || s.GzipLayers != layers || len(entries) == 0 || s.Entries != len(entries) || !s.Complete {
					t.Errorf("%d entries, %+v, %v", len(entries), s, err)
				}
				if s.ReceivedBytes != int64(len(body)) || s.DecompressedBytes != int64(len(in)) {
					t.Errorf("%d bytes unpacked to %d, want %d and %d", s.ReceivedBytes, s.DecompressedBytes, len(body), len(in))
				}
			}
		})
	}
}

func TestLimits(t *testing.T) {
	for n, want := range map[int]error{50_000: nil, 50_001: TooManyEntries} {
		for format, in := range map[string]string{
			"entries": "<urlset>" + strings.Repeat("<url><loc>http://h.example/</loc></url>", n) + "</urlset>", "lines": strings.Repeat("http://h.example/\n", n),
		} {
			t.Run(fmt.Sprintf("ROB-SMP-12/%d %s", n, format), func(t *testing.T) {
				entries, findings, err := readAll(strings.NewReader(in), Options{})
				if len(entries) != 50_000 || !errors.Is(err, want) || len(findings) != n-50_000 {
					t.Errorf("%d entries, %v, %v", len(entries), findings, err)
				}
			})
		}
	}
	full := urlset("<loc>http://h.example/a</loc>", "<loc>http://h.example/b</loc>")
	for name, pack := range map[string]func(string) []byte{
		"plain": func(s string) []byte { return []byte(s) },
		"gzip":  func(s string) []byte { return packed(t, s) },
	} {
		t.Run("ROB-SMP-12/as many bytes as allowed, "+name, func(t *testing.T) {
			entries, _, err := readAll(bytes.NewReader(pack(full)), Options{MaxBytes: int64(len(full))})
			if len(entries) != 2 || err != nil {
				t.Errorf("%d entries, %v", len(entries), err)
			}
		})
		t.Run("ROB-SMP-12/one byte too many, "+name, func(t *testing.T) {
			entries, findings, err := readAll(bytes.NewReader(pack(full)), Options{MaxBytes: int64(len(full) - 1)})
			if len(entries) != 2 || !errors.Is(err, TooManyBytes) || len(findings) != 1 {
				t.Errorf("%d entries, %v, %v", len(entries), findings, err)
			}
		})
	}
	t.Run("ROB-SMP-12/the default is 52,428,800 bytes", func(t *testing.T) {
		if n := (*Options)(nil).withDefaults().MaxBytes; n != 52_428_800 {
			t.Errorf("%d bytes", n)
		}
	})
}

// TestRatio holds that the first MiB does not count.
func TestRatio(t *testing.T) {
	const start, end = "<urlset><url><loc>http://h.example/a</loc></url>", "</urlset>"
	for _, ratio := range []int{1, 20} {
		for more, want := range map[int]error{-1 << 10: nil, 64 << 10: RatioTooHigh} {
			var in []byte
			size := 1 << 20
			for range 5 { // until it is as long as its packed size allows
				in = packed(t, start+strings.Repeat(" ", size-len(start)-len(end))+end)
				size = 1<<20 + ratio*len(in) + more
			}
			entries, _, err := readAll(bytes.NewReader(in), Options{MaxRatio: ratio})
			if len(entries) != 1 || !errors.Is(err, want) {
				t.Errorf("ratio %d, %d more: %d entries, %v", ratio, more, len(entries), err)
			}
		}
	}
}

// TestChecksum checks that a wrong checksum of a gzip is a finding, even if its
// document is complete.
func TestChecksum(t *testing.T) {
	for name, in := range map[string]string{"XML": urlset("<loc>http://h.example/a</loc>"), "text": "http://h.example/a\n"} {
		t.Run("ROB-SMP-22/"+name, func(t *testing.T) {
			body := packed(t, in)
			body[len(body)-8] ^= 1
			var s Summary
			entries, findings, err := readAll(bytes.NewReader(body), Options{OnEnd: func(end Summary) { s = end }})
			if len(entries) != 1 || !errors.Is(err, BadGzip) || !slices.Equal(kinds(findings), []Kind{BadGzip}) || s.Complete {
				t.Errorf("%v, %v, %v, %+v", entries, findings, err, s)
			}
		})
	}
}

func TestHints(t *testing.T) {
	day := func(y, m, d int) time.Time { return time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC) }
	tests := []struct {
		name, in string
		want     Entry
		tell     []Kind
	}{
		{"ROB-SMP-16/seconds and zone", "<lastmod>2004-12-23T18:00:15+00:00</lastmod>", Entry{LastMod: time.Date(2004, 12, 23, 18, 0, 15, 0, time.UTC)}, nil},
		{"ROB-SMP-16/yesterday", "<lastmod>yesterday</lastmod>", Entry{}, []Kind{BadLastMod}},
		{"ROB-SMP-16/before there were any", "<lastmod>0001-01-01T00:00:00Z</lastmod>", Entry{}, []Kind{BadLastMod}},
		{"ROB-SMP-16/empty", "<lastmod/>", Entry{}, []Kind{BadLastMod}},
		{"ROB-SMP-16/given twice", "<lastmod>2004</lastmod><lastmod>2005</lastmod>", Entry{LastMod: day(2004, 1, 1)}, []Kind{Duplicate}},
		{"ROB-SMP-17/both", "<changefreq>hourly</changefreq><priority>0.8</priority>", Entry{ChangeFreq: "hourly", Priority: 0.8}, nil},
		{"ROB-SMP-17/ends of the range", "<priority>0</priority>", Entry{Priority: 0}, nil},
		{"ROB-SMP-17/7", "<priority>7</priority>", Entry{Priority: DefaultPriority}, []Kind{BadPriority}},
		{"ROB-SMP-17/-1", "<priority>-1</priority>", Entry{Priority: DefaultPriority}, []Kind{BadPriority}},
		{"ROB-SMP-17/NaN", "<priority>NaN</priority>", Entry{Priority: DefaultPriority}, []Kind{BadPriority}},
		{"ROB-SMP-17/sometimes", "<changefreq>sometimes</changefreq>", Entry{}, []Kind{BadChangeFreq}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			entries, findings, err := readAll(strings.NewReader(urlset("<loc>http://h.example/</loc>"+tt.in)), Options{})
			if err != nil || len(entries) != 1 {
				t.Fatalf("%d entries, %v", len(entries), err)
			}
			want := tt.want
			if !strings.Contains(tt.in, "priority") {
				want.Priority = DefaultPriority
			}
			if e := entries[0]; !e.LastMod.Equal(want.LastMod) || e.ChangeFreq != want.ChangeFreq || e.Priority != want.Priority {
				t.Errorf("got %+v, want %+v", e, want)
			}
			if !slices.Equal(kinds(findings), tt.tell) {
				t.Errorf("findings %q, want %q", kinds(findings), tt.tell)
			}
		})
	}
}
