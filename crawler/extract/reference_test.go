package extract

import (
	"io"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

var (
	inline   = strings.Fields("a abbr acronym b bdi bdo big blink cite code data del dfn em font i ins kbd mark nobr q s samp small span strike strong sub sup time tt u var wbr")
	headings = strings.Fields("h1 h2 h3 h4 h5 h6")
	cells    = strings.Fields("td th tr tbody tfoot thead caption")
	items    = strings.Fields("dd dt li")
	blocks   = strings.Fields("address article aside blockquote button center details dialog dir div dl fieldset figcaption figure footer header hgroup main menu nav object ol pre search section summary table template ul")
)

// reference is the implementation that Parse is compared with: the whole page goes through the
// tokenizer. Only plain text is handled as in Parse.
func reference(body io.Reader) *Document {
	doc, z := &Document{}, html.NewTokenizer(body)
	hasTitle, svg := false, 0
	var all, text strings.Builder // raw, a block has a space before and after it; text is without templates
	heading, link := -1, -1       // where the first h1 begins in text, and the last link in all; < 0: not open
	linkAt, depth, templates := 0, 0, 0
	hasHeading, raw := false, false
	end := func(text *strings.Builder, start *int, source, most int) (line string) {
		if *start >= 0 {
			line = strings.Join(strings.FieldsFunc(text.String()[*start:], func(r rune) bool { return strings.ContainsRune(" \n\t\r\f", r) }), " ")
			line = strings.Join(strings.Fields(html.UnescapeString(line[:min(len(line), source)])), " ")
			if len(line) > most {
				line = strings.ToValidUTF8(line[:most], "")
			}
		}
		*start = -1
		return line
	}
	endLink := func() {
		if link >= 0 {
			doc.Links[linkAt].Text = end(&all, &link, maxLinkSource, maxLinkText)
		}
	}
	tagged := func(name string, change int) {
		if !slices.Contains(inline, name) {
			all.WriteByte(' ')
			text.WriteByte(' ')
		}
		if heading < 0 {
			return
		}
		around := depth == 0 && (slices.Contains(cells, name) || slices.Contains(items, name) && change < 0)
		if slices.Contains(blocks, name) {
			depth += change
		}
		if around || depth < 0 || slices.Contains(headings, name) {
			doc.H1 = end(&text, &heading, maxHeadingText, maxTitle)
		}
	}
	for {
		wasRaw := raw
		raw = false
		switch z.Next() {
		case html.ErrorToken:
			if heading >= 0 {
				doc.H1 = end(&text, &heading, maxHeadingText, maxTitle)
			}
			endLink()
			doc.Words = len(strings.FieldsFunc(html.UnescapeString(text.String()), func(r rune) bool { return r <= 0x20 || unicode.IsSpace(r) }))
			return doc
		case html.TextToken:
			if !wasRaw {
				all.Write(z.Raw())
			}
			if !wasRaw && templates == 0 {
				text.Write(z.Raw())
			}
		case html.EndTagToken:
			tag := z.Token()
			if tag.DataAtom == atom.Svg && svg > 0 {
				svg--
			}
			if tag.DataAtom == atom.Template && templates > 0 {
				templates--
			}
			tagged(tag.Data, -1)
			if tag.DataAtom == atom.A {
				endLink()
			}
		case html.SelfClosingTagToken, html.StartTagToken:
			tag := z.Token()
			closed := tag.Type == html.SelfClosingTagToken
			tagged(tag.Data, 1)
			if raw = isRawText([]byte(tag.Data)); tag.DataAtom == atom.Noscript || closed && svg > 0 {
				z.NextIsNotRawText()
				raw = false
			}
			switch tag.DataAtom {
			case atom.Svg:
				if !closed {
					svg++
				}
			case atom.Template:
				if templates > 0 || !slices.ContainsFunc(tag.Attr, func(a html.Attribute) bool { return a.Key == "shadowrootmode" }) {
					templates++
				}
			case atom.H1:
				if templates == 0 {
					doc.H1Count++
				}
				if !hasHeading && templates == 0 {
					hasHeading, heading = true, text.Len()
				}
			case atom.Title:
				if svg > 0 || hasTitle {
					continue
				}
				if raw = false; z.Next() != html.TextToken {
					continue
				}
				hasTitle = true
				doc.Title = strings.Join(strings.Fields(z.Token().Data), " ")
				if len(doc.Title) > maxTitle {
					doc.Title = strings.ToValidUTF8(doc.Title[:maxTitle], "")
				}
			default:
				before := len(doc.Links)
				if tag.DataAtom == atom.A {
					endLink()
				}
				if referenceElement(doc, tag); len(doc.Links) == before {
					continue
				}
				if before-linkAt > maxInside {
					endLink()
				}
				if tag.DataAtom == atom.A {
					link, linkAt = all.Len(), before
				}
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
			doc.Links = append(doc.Links, Link{URL: trimmed("href"), Rel: get("rel"), Kind: tag.Data})
		}
	case "iframe", "frame":
		if has("src") {
			doc.Links = append(doc.Links, Link{URL: trimmed("src"), Rel: get("rel"), Kind: "frame"})
		}
	case "base":
		if doc.Base == "" {
			doc.Base = trimmed("href")
		}
	case "html":
		if doc.Lang == "" {
			doc.Lang = trimmed("lang")
		}
	case "link":
		if has("hreflang") && trimmed("href") != "" && slices.Contains(strings.Fields(strings.ToLower(get("rel"))), "alternate") {
			doc.Hreflang = append(doc.Hreflang, Hreflang{trimmed("hreflang"), trimmed("href")})
		}
		rel := strings.Fields(strings.ToLower(get("rel")))
		i := slices.IndexFunc(rel, func(r string) bool { return r == "canonical" || r == "next" || r == "prev" })
		switch {
		case trimmed("href") == "":
		case i < 0:
			kind, _, _ := strings.Cut(strings.ToLower(get("type")), ";")
			isPage := slices.ContainsFunc(rel, func(r string) bool { return pageRelations[r] })
			isOther := slices.ContainsFunc(rel, func(r string) bool { return r == "alternate" || linkKind([]byte(r)) != "link" })
			if kind = strings.TrimSpace(kind); isPage && !isOther && (kind == "" || kind == "text/html" || kind == "application/xhtml+xml") {
				doc.Links = append(doc.Links, Link{URL: trimmed("href"), Rel: get("rel"), Kind: "link"})
			}
		case rel[i] != "canonical":
			doc.Links = append(doc.Links, Link{URL: trimmed("href"), Rel: get("rel"), Kind: "link"})
		case doc.Canonical == "":
			doc.Canonical = trimmed("href")
		}
	case "meta":
		name, content := strings.ToLower(trimmed("name")), get("content")
		if strings.ToLower(trimmed("http-equiv")) == "refresh" {
			if target, _ := refreshTarget(content); strings.TrimSpace(target) != "" {
				doc.Links = append(doc.Links, Link{URL: strings.TrimSpace(target), Kind: "meta"})
			}
		} else if name != "" && content != "" {
			if name == "description" && doc.Description == "" {
				doc.Description = strings.Join(strings.Fields(content), " ")
			}
			doc.Meta = append(doc.Meta, Meta{name, content})
		}
	}
}
