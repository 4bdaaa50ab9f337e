package charset

import (
	"bytes"
	"regexp"
	"strings"

	"golang.org/x/net/html"
)

const (
	// prescanned is the number of bytes in which a declaration is searched wherever it is.
	prescanned = 1024

	// maxHead is the number of bytes in which a <meta> is searched at most. Browsers have no limit.
	maxHead = 1 << 20
)

// metaEncoding returns the encoding that a <meta> declares. As in browsers, the first 1,024 bytes
// are searched, and the rest of the head. An element that is not of the head ends it.
//
// The standard recommends a prescan of 1,024 bytes that knows tags and comments only. Browsers use
// their tokenizer, which also knows that there is no <meta> in a script or a title. Nor does it decode
// a document again for a <meta> that is found later.
func metaEncoding(body []byte) (Encoding, bool) {
	z := html.NewTokenizer(bytes.NewReader(body[:min(len(body), maxHead)]))
	read, inHead := 0, true
	for inHead || read < prescanned {
		kind := z.Next()
		read += len(z.Raw())
		switch kind {
		case html.ErrorToken:
			return Encoding{}, false
		case html.StartTagToken, html.SelfClosingTagToken, html.EndTagToken:
			name, hasAttr := z.TagName()
			switch string(name) {
			case "meta":
				if kind == html.EndTagToken {
					break
				}
				if e, ok := fromMeta(z, hasAttr); ok {
					return e, true
				}
			case "noscript":
				z.NextIsNotRawText() // browsers search it even if they run scripts
			case "script", "style", "link", "object", "title", "base":
			case "html", "head":
				inHead = inHead && kind != html.EndTagToken
			default:
				inHead = false
			}
		}
	}
	return Encoding{}, false
}

// fromMeta returns the encoding that the attributes of a <meta> declare.
func fromMeta(z *html.Tokenizer, hasAttr bool) (Encoding, bool) {
	values := make(map[string]string)
	for hasAttr {
		var name, value []byte
		name, value, hasAttr = z.TagAttr()
		if _, ok := values[string(name)]; !ok {
			values[string(name)] = string(value)
		}
	}
	label, ok := values["charset"]
	if !ok {
		if !strings.EqualFold(values["http-equiv"], "content-type") {
			return Encoding{}, false
		}
		label = fromContent(values["content"])
	}
	e, ok := Lookup(label)
	if e.name == "x-user-defined" {
		return windows1252, true
	}
	return readable(e), ok
}

// readable returns the encoding of a text in which a declaration could be read, so that it is not
// UTF-16.
func readable(e Encoding) Encoding {
	if e == utf16LE || e == utf16BE {
		return UTF8
	}
	return e
}

// fromContent returns the label in the attribute content of a <meta>, as HTML extracts a character
// encoding from a meta element, or "" if there is none.
func fromContent(s string) string {
	if m := inContent.FindStringSubmatch(s); m != nil {
		return m[1] + m[2] + m[3]
	}
	return ""
}

// inContent matches a label with quotes, a quote without the other, and a label without quotes.
var inContent = regexp.MustCompile(`[cC][hH][aA][rR][sS][eE][tT][\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)'|["']|([^\t\n\f\r ;]*))`)

// utf16Declaration reports whether a text without a byte order mark begins with an XML declaration
// in UTF-16.
func utf16Declaration(body []byte) (Encoding, bool) {
	switch {
	case bytes.HasPrefix(body, []byte("<\x00?\x00x\x00")):
		return utf16LE, true
	case bytes.HasPrefix(body, []byte("\x00<\x00?\x00x")):
		return utf16BE, true
	}
	return Encoding{}, false
}

// xmlEncoding returns the encoding that the XML declaration of a document names, as HTML gets an XML
// encoding. It must end in the first 1,024 bytes.
func xmlEncoding(body []byte) (Encoding, bool) {
	declaration, begins := bytes.CutPrefix(body[:min(len(body), prescanned)], []byte("<?xml"))
	declaration, _, ends := bytes.Cut(declaration, []byte(">"))
	_, rest, _ := bytes.Cut(declaration, []byte("encoding"))
	label := xmlLabel.FindSubmatch(rest)
	if !begins || !ends || label == nil {
		return Encoding{}, false
	}
	e, ok := Lookup(string(label[1]) + string(label[2]))
	return readable(e), ok
}

// xmlLabel matches the label after "encoding". It has neither control characters nor spaces.
var xmlLabel = regexp.MustCompile(`^[\x00-\x20]*=[\x00-\x20]*(?:"([^"\x00-\x20]*)"|'([^'\x00-\x20]*)')`)
