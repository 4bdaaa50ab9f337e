package sitemap

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// readOne reads a document of one url element with this in it.
func readOne(t *testing.T, in string) (Entry, []Kind) {
	t.Helper()
	doc := `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>http://h.example/</loc>` + in + `</url></urlset>`
	entries, findings, err := readAll(strings.NewReader(doc), Options{})
	if err != nil || len(entries) != 1 {
		t.Fatalf("%d entries, %v", len(entries), err)
	}
	return entries[0], kinds(findings)
}

func TestBadExtensions(t *testing.T) {
	video := func(in string) string {
		return "<video:video><video:player_loc>http://h.example/p</video:player_loc>" + in + "</video:video>"
	}
	tests := []struct {
		name, in string
		tell     []Kind
	}{
		{"a relative image", "<image:image><image:loc>/a.png</image:loc></image:image>", []Kind{BadExtension, BadExtension}},
		{"an image without anything", "<image:image/>", []Kind{BadExtension}},
		{"an alternate without an address", `<xhtml:link rel="alternate" hreflang="de"/>`, []Kind{BadExtension}},
		{"a relative alternate", `<xhtml:link rel="alternate" href="/de"/>`, []Kind{BadExtension}},
		{"a link that is no alternate", `<xhtml:link rel="canonical" href="/de"/>`, nil},
		{"a link without a relation", `<xhtml:link href="/de"/>`, nil},
		{"a video without an address", "<video:video><video:title>t</video:title></video:video>", []Kind{BadExtension}},
		{"a duration in words", video("<video:duration>long</video:duration>"), []Kind{BadExtension}},
		{"a negative duration", video("<video:duration>-1</video:duration>"), []Kind{BadExtension}},
		{"a rating of 6", video("<video:rating>6</video:rating>"), []Kind{BadExtension}},
		{"an element of another extension", video("<image:rating>6</image:rating>"), nil},
		{"too many views", video("<video:view_count>99999999999999999999</video:view_count>"), []Kind{BadExtension}},
		{"not a date", video("<video:expiration_date>soon</video:expiration_date>"), []Kind{BadExtension}},
		{"an uploader elsewhere", video(`<video:uploader info="/u">U</video:uploader>`), []Kind{BadExtension}},
		{"a publication date that is not a date", "<news:news><news:publication_date>now</news:publication_date></news:news>", []Kind{BadExtension}},
		{"elements that mean nothing there", video("<video:price>1</video:price>") + "<news:news><news:loc/></news:news><image:title/><xhtml:a/>", nil},
		{"empty values", video("<video:duration/><video:rating></video:rating>") + "<news:news><news:publication_date> </news:publication_date></news:news>", nil},
		{"a title of 9,000 characters", video("<video:title>" + strings.Repeat("x", 9000) + "</video:title>"), []Kind{TextTooLong}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e, tell := readOne(t, tt.in)
			if !slices.Equal(tell, tt.tell) {
				t.Errorf("findings %q, want %q", tell, tt.tell)
			}
			if len(e.Images)+len(e.Alternates) > 0 || e.Images != nil || e.Alternates != nil {
				t.Errorf("%+v", e)
			}
			for _, v := range e.Videos {
				if v.PlayerLoc != "http://h.example/p" || v.Duration != 0 || v.Rating != 0 || v.Views != 0 || !v.Expires.IsZero() || v.UploaderURL != "" || v.Title != "" {
					t.Errorf("%+v", v)
				}
			}
		})
	}
}

func TestExtensionText(t *testing.T) {
	e, tell := readOne(t, "<image:image><image:loc>http://h.example/i</image:loc><image:title>a\r\nb\rc \xe4&amp;</image:title></image:image>")
	if len(e.Images) != 1 || e.Images[0].Title != "a\nb\nc \uFFFD&" || tell != nil {
		t.Errorf("%+v, %q", e.Images, tell)
	}
	e, _ = readOne(t, `<xhtml:link media=" print &amp; screen " hreflang='x' rel="Alternate" href=" http://h.example/?a&amp;b "/>`)
	if want := (Alternate{Href: "http://h.example/?a&b", Lang: "x", Media: "print & screen"}); len(e.Alternates) != 1 || e.Alternates[0] != want {
		t.Errorf("%+v", e.Alternates)
	}
}

func TestExtensionLimits(t *testing.T) {
	item := map[string]string{
		"images":     "<image:image><image:loc>http://h.example/%d</image:loc></image:image>",
		"videos":     "<video:video><video:content_loc>http://h.example/%d</video:content_loc><video:duration>60</video:duration></video:video>",
		"alternates": `<xhtml:link rel="alternate" href="http://h.example/%d"/>`,
	}
	for name, one := range item {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			for i := range maxItems + 2 {
				fmt.Fprintf(&b, one, i)
			}
			e, tell := readOne(t, b.String())
			if got := len(e.Images) + len(e.Videos) + len(e.Alternates); got != maxItems || !slices.Equal(tell, []Kind{TooManyItems}) {
				t.Errorf("%d, %q", got, tell)
			}
			last := fmt.Sprintf("http://h.example/%d", maxItems-1)
			switch name {
			case "images":
				if e.Images[maxItems-1].Loc != last {
					t.Errorf("last is %+v", e.Images[maxItems-1])
				}
			case "videos":
				if v := e.Videos[maxItems-1]; v.ContentLoc != last || v.Duration != time.Minute {
					t.Errorf("last is %+v", v)
				}
			}
		})
	}
	t.Run("tags of a video", func(t *testing.T) {
		e, tell := readOne(t, "<video:video><video:content_loc>http://h.example/</video:content_loc>"+strings.Repeat("<video:tag>x</video:tag>", maxTags+1)+"</video:video>")
		if len(e.Videos) != 1 || len(e.Videos[0].Tags) != maxTags || !slices.Equal(tell, []Kind{TooManyItems}) {
			t.Errorf("%+v, %q", e.Videos, tell)
		}
	})
	t.Run("words", func(t *testing.T) {
		d := newDecoder(&reading{})
		for i := range 10 * maxWords {
			d.appendix = 0 // as in another entry
			if w := fmt.Sprintf("word-%d", i); d.word([]byte(w)) != w || d.word([]byte("word-0")) != "word-0" || d.word([]byte(strings.Repeat(w, 100))) == "" {
				t.Errorf("%s is another word", w)
			}
		}
		if len(d.words) != maxWords || len(d.words[strings.Repeat("word-0", 100)]) > 0 {
			t.Errorf("%d words are kept", len(d.words))
		}
	})
	t.Run("prefixes", func(t *testing.T) {
		var b strings.Builder
		for i := range maxBindings + 1 {
			fmt.Fprintf(&b, ` xmlns:p%d="http://www.google.com/schemas/sitemap-image/1.1"`, i)
		}
		doc := "<urlset" + b.String() + "><url><loc>http://h.example/</loc>" +
			"<p0:image><p0:loc>http://h.example/first</p0:loc></p0:image><p64:image><p64:loc>http://h.example/last</p64:loc></p64:image></url></urlset>"
		entries, _, err := readAll(strings.NewReader(doc), Options{})
		if err != nil || len(entries) != 1 || len(entries[0].Images) != 1 || entries[0].Images[0].Loc != "http://h.example/first" {
			t.Errorf("%+v, %v: one prefix more than may be in force has a meaning", entries, err)
		}
	})
	t.Run("text", func(t *testing.T) {
		caption := "<image:image><image:loc>http://h.example/</image:loc><image:caption>" + strings.Repeat("x", 8000) + "</image:caption></image:image>"
		e, tell := readOne(t, strings.Repeat(caption, 200))
		n := 0
		for _, m := range e.Images {
			n += len(m.Caption)
		}
		if n > maxAppendix || n < maxAppendix/2 || tell[0] != TooManyItems {
			t.Errorf("%d bytes of captions, %q", n, tell)
		}
	})
}

func TestAttributes(t *testing.T) {
	for in, want := range map[string]string{
		``:                             "",
		` `:                            "",
		` a="1"`:                       "a=1;",
		` a="1" b='2'`:                 "a=1;b=2;",
		"\n\ta = \"1\"\r\n b\t=\n'2' ": "a=1;b=2;",
		` a="1"b="2"`:                  "a=1;b=2;",
		` a="'" b='"' c=""`:            `a=';b=";c=;`,
		` x:y="a=b"`:                   "x:y=a=b;",
		` lone a="1"`:                  "a=1;",
		` a=bare b="2"`:                "b=2;",
		` a=`:                          "",
		` a="1`:                        "",
	} {
		got := ""
		for name, value := range attributes([]byte(in)) {
			got += string(name) + "=" + string(value) + ";"
		}
		if got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
