package extract

import (
	"bytes"
	"io"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// reference is the implementation that Parse is compared with: the whole page goes through the
// tokenizer. Only plain text is handled as in Parse.
func reference(body io.Reader) *Document {
	doc, z := &Document{}, html.NewTokenizer(body)
	hasTitle, svg := false, 0
	for {
		switch z.Next() {
		case html.ErrorToken:
			return doc
		case html.EndTagToken:
			if z.Token().DataAtom == atom.Svg && svg > 0 {
				svg--
			}
		case html.SelfClosingTagToken, html.StartTagToken:
			tag := z.Token()
			closed := tag.Type == html.SelfClosingTagToken
			if tag.DataAtom == atom.Noscript || closed && svg > 0 {
				z.NextIsNotRawText()
			}
			switch tag.DataAtom {
			case atom.Svg:
				if !closed {
					svg++
				}
			case atom.Title:
				if svg > 0 || hasTitle || z.Next() != html.TextToken {
					continue
				}
				hasTitle = true
				doc.Title = strings.Join(strings.Fields(z.Token().Data), " ")
				if len(doc.Title) > maxTitle {
					doc.Title = strings.ToValidUTF8(doc.Title[:maxTitle], "")
				}
			default:
				referenceElement(doc, tag)
			}
		}
	}
}

func referenceElement(doc *Document, tag html.Token) {
	has := func(key string) bool {
		return slices.ContainsFunc(tag.Attr, func(a html.Attribute) bool { return a.Key == key })
	}
	get := func(key string) string {
		for _, a := range tag.Attr {
			if a.Key == key {
				return a.Val
			}
		}
		return ""
	}
	trimmed := func(key string) string { return strings.TrimSpace(get(key)) }
	switch tag.Data {
	case "a", "area":
		if has("href") {
			doc.Links = append(doc.Links, Link{trimmed("href"), get("rel")})
		}
	case "iframe", "frame":
		if has("src") {
			doc.Links = append(doc.Links, Link{trimmed("src"), get("rel")})
		}
	case "base":
		if doc.Base == "" {
			doc.Base = trimmed("href")
		}
	case "link":
		rel := strings.Fields(strings.ToLower(get("rel")))
		i := slices.IndexFunc(rel, func(r string) bool { return r == "canonical" || r == "next" || r == "prev" })
		switch {
		case i < 0 || trimmed("href") == "":
		case rel[i] != "canonical":
			doc.Links = append(doc.Links, Link{trimmed("href"), get("rel")})
		case doc.Canonical == "":
			doc.Canonical = trimmed("href")
		}
	case "meta":
		name, content := strings.ToLower(trimmed("name")), get("content")
		if strings.ToLower(trimmed("http-equiv")) == "refresh" {
			if target := bytes.TrimSpace(refreshTarget([]byte(content))); len(target) > 0 {
				doc.Links = append(doc.Links, Link{URL: string(target)})
			}
		} else if name != "" && content != "" {
			doc.Meta = append(doc.Meta, Meta{name, content})
		}
	}
}
