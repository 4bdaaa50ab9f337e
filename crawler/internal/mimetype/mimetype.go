// Package mimetype determines the media type of a response as browsers do: by the standards MIME
// Sniffing and Fetch.
//
// A declared type counts, even if the content has another. The content decides only where the type
// is missing, invalid or says that it is unknown. Browsers also correct the types of images, audio,
// video and binary files sent as text/plain. A crawl treats those alike, so this package does not.
package mimetype

import (
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/http/httpguts"

	"github.com/politecrawl/politecrawl/robotsext/headerlist"
)

// A Type is a media type (MIME type). The zero value is no valid type.
type Type struct {
	Essence    string      // type and subtype, in lower case, such as text/html
	Parameters []Parameter // in their order; each name once
}

// A Parameter is a parameter of a media type.
type Parameter struct {
	Name  string // in lower case
	Value string // without the quotes
}

// Charset returns the parameter charset, as it is written, or "" if there is none.
func (t Type) Charset() string {
	for _, p := range t.Parameters {
		if p.Name == "charset" {
			return p.Value
		}
	}
	return ""
}

func (t Type) has(name string) bool {
	return slices.ContainsFunc(t.Parameters, func(p Parameter) bool { return p.Name == name })
}

// IsHTML reports whether browsers read content of the type with the HTML parser.
func (t Type) IsHTML() bool { return t.Essence == "text/html" }

// IsXHTML reports whether the type is XHTML, which browsers read with the XML parser.
func (t Type) IsXHTML() bool { return t.Essence == "application/xhtml+xml" }

// IsXML reports whether browsers read content of the type with the XML parser. That includes XHTML
// and SVG. They show it as a page if its elements are in the namespace of XHTML.
func (t Type) IsXML() bool {
	return strings.HasSuffix(t.Essence, "+xml") || t.Essence == "text/xml" || t.Essence == "application/xml"
}

// isUnknown reports whether the type says that its server does not know it.
func (t Type) isUnknown() bool {
	return t.Essence == "unknown/unknown" || t.Essence == "application/unknown" || t.Essence == "*/*"
}

// space is the HTTP white space of the Fetch standard.
const space = " \t\r\n"

// maxParameters limits how many parameters are read.
const maxParameters = 100

// Parse parses a media type by MIME Sniffing, section 4.4. It is not ok if the type is invalid.
// Invalid parameters are left out.
func Parse(s string) (t Type, ok bool) {
	s = strings.Trim(s, space)
	essence, rest, _ := strings.Cut(s, ";")
	essence = strings.TrimRight(essence, space)
	name, subtype, _ := strings.Cut(essence, "/")
	if !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldName(subtype) {
		return Type{}, false
	}
	t.Essence = strings.ToLower(essence)
	for rest != "" && len(t.Parameters) < maxParameters {
		rest = strings.TrimLeft(rest, space)
		end := strings.IndexAny(rest, ";=")
		if end < 0 {
			break
		}
		name, hasValue := rest[:end], rest[end] == '='
		if rest = rest[end+1:]; !hasValue {
			continue
		}
		var value string
		if strings.HasPrefix(rest, `"`) {
			value, rest = headerlist.CutQuoted(rest)
			_, rest, _ = strings.Cut(rest, ";")
		} else {
			value, rest, _ = strings.Cut(rest, ";")
			if value = strings.TrimRight(value, space); value == "" {
				continue
			}
		}
		if !httpguts.ValidHeaderFieldName(name) || !isText(value) {
			continue
		}
		if name = strings.ToLower(name); !t.has(name) {
			t.Parameters = append(t.Parameters, Parameter{name, value})
		}
	}
	return t, true
}

// isText reports whether s consists of HTTP quoted-string token code points.
func isText(s string) bool {
	for _, r := range s {
		if r < ' ' && r != '\t' || r == 0x7F || r > 0xFF { // an invalid byte is U+FFFD
			return false
		}
	}
	return true
}

// decode returns the field value as Fetch reads it: each byte is a code point.
func decode(value string) string {
	if strings.IndexFunc(value, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		return value
	}
	runes := make([]rune, len(value))
	for i := range len(value) {
		runes[i] = rune(value[i])
	}
	return string(runes)
}
