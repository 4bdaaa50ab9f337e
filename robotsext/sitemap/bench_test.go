package sitemap

import (
	"bytes"
	"compress/gzip"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"testing"
)

// fullSize is a sitemap as large as the protocol allows: 50,000 entries in
// 50 MiB, with the extensions that make files so large.
func fullSize() []byte {
	const head = `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
`
	const tail = "</urlset>\n"
	filler := strings.Repeat("A thing of use in house and garden. ", 30)
	var b bytes.Buffer
	b.Grow(MaxBytes)
	b.WriteString(head)
	for i := range MaxEntries {
		room := (MaxBytes-len(tail)-b.Len())/(MaxEntries-i) - 1
		at := b.Len()
		fmt.Fprintf(&b, "<url>\n  <loc>https://www.example.com/shop/category-%d/product-%d?ref=sitemap&amp;id=%d</loc>\n", i%97, i, i)
		fmt.Fprintf(&b, "  <lastmod>2024-%02d-%02dT08:15:30+02:00</lastmod>\n  <changefreq>weekly</changefreq>\n  <priority>0.8</priority>\n", i%12+1, i%28+1)
		for _, lang := range [...]string{"en", "de", "fr", "x-default"} {
			fmt.Fprintf(&b, "  <xhtml:link rel=\"alternate\" hreflang=\"%s\" href=\"https://www.example.com/%s/category-%d/product-%d\"/>\n", lang, lang, i%97, i)
		}
		fmt.Fprintf(&b, "  <image:image>\n    <image:loc>https://cdn.example.com/images/%d.jpg</image:loc>\n    <image:title>", i)
		const end = "</image:title>\n  </image:image>\n</url>"
		b.WriteString(filler[:max(0, room-(b.Len()-at+len(end)))])
		b.WriteString(end + "\n")
	}
	b.WriteString(tail)
	return b.Bytes()
}

// decodeXML is what one would write with encoding/xml: one entry at a time.
func decodeXML(r io.Reader, each func(*xmlURL)) error {
	d := xml.NewDecoder(r)
	for {
		tok, err := d.Token()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		start, ok := tok.(xml.StartElement)
		if !ok || start.Name.Local != "url" {
			continue
		}
		var u xmlURL
		if err := d.DecodeElement(&u, &start); err != nil {
			return err
		}
		each(&u)
	}
}

type xmlURL struct {
	Loc        string  `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 loc"`
	LastMod    string  `xml:"lastmod"`
	ChangeFreq string  `xml:"changefreq"`
	Priority   float32 `xml:"priority"`
	Links      []struct {
		Rel  string `xml:"rel,attr"`
		Lang string `xml:"hreflang,attr"`
		Href string `xml:"href,attr"`
	} `xml:"http://www.w3.org/1999/xhtml link"`
	Images []struct {
		Loc   string `xml:"loc"`
		Title string `xml:"title"`
	} `xml:"http://www.google.com/schemas/sitemap-image/1.1 image"`
}

func BenchmarkRead(b *testing.B) {
	file := fullSize()
	b.Run("sitemap", func(b *testing.B) {
		b.SetBytes(int64(len(file)))
		b.ReportAllocs()
		for b.Loop() {
			n := 0
			for _, err := range Read(bytes.NewReader(file), nil) {
				if err != nil {
					b.Fatal(err)
				}
				n++
			}
			if n != MaxEntries {
				b.Fatal(n)
			}
		}
	})
	b.Run("encoding-xml", func(b *testing.B) {
		b.SetBytes(int64(len(file)))
		b.ReportAllocs()
		for b.Loop() {
			n := 0
			if err := decodeXML(bytes.NewReader(file), func(*xmlURL) { n++ }); err != nil {
				b.Fatal(err)
			}
			if n != MaxEntries {
				b.Fatal(n)
			}
		}
	})
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write(file); err != nil {
		b.Fatal(err)
	}
	if err := z.Close(); err != nil {
		b.Fatal(err)
	}
	b.Run("sitemap.gz", func(b *testing.B) {
		b.SetBytes(int64(len(file)))
		b.ReportAllocs()
		for b.Loop() {
			for _, err := range Read(bytes.NewReader(packed.Bytes()), nil) {
				if err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}
