package extract

import (
	"bytes"
	"encoding/xml"
	"regexp"
	"strings"

	"golang.org/x/net/html"
)

// xhtmlDoctypes are the public identifiers of the DTDs that declare the entities of HTML. HTML
// (living standard, 14.2) lists them. Browsers do not load the DTDs.
var xhtmlDoctypes = map[string]bool{
	"-//W3C//DTD XHTML 1.0 Transitional//EN":                 true,
	"-//W3C//DTD XHTML 1.1//EN":                              true,
	"-//W3C//DTD XHTML 1.0 Strict//EN":                       true,
	"-//W3C//DTD XHTML 1.0 Frameset//EN":                     true,
	"-//W3C//DTD XHTML Basic 1.0//EN":                        true,
	"-//W3C//DTD XHTML 1.1 plus MathML 2.0//EN":              true,
	"-//W3C//DTD XHTML 1.1 plus MathML 2.0 plus SVG 1.1//EN": true,
	"-//W3C//DTD MathML 2.0//EN":                             true,
	"-//WAPFORUM//DTD XHTML Mobile 1.0//EN":                  true,
}

// maxEntityText limits how many bytes the entities of a page add to it. Entities that contain
// each other can make a page of 1 KB larger than any memory.
const maxEntityText = 1 << 20

var (
	// doctype matches the content of <!DOCTYPE>: an external identifier, in it a public one in
	// either kind of quotes, and the internal subset.
	doctype = regexp.MustCompile(`(?s)^DOCTYPE\s+[^\s\["']+(\s+(?:SYSTEM|PUBLIC\s+(?:"([^"]*)"|'([^']*)'))\s+(?:"[^"]*"|'[^']*'))?\s*(?:\[(.*)\]\s*)?$`)

	// declaration matches an entity and its value, which is missing if it is external.
	declaration = regexp.MustCompile(`<!ENTITY\s+([^\s%]+)\s+(?:"([^"]*)"|'([^']*)'|SYSTEM|PUBLIC)`)

	literal   = regexp.MustCompile(`"[^"]*"|'[^']*'`)
	parameter = regexp.MustCompile(`%[^\s;]+;`)

	characterCode = regexp.MustCompile(`&#(?:x[0-9A-Fa-f]+|[0-9]+);`)
)

// entities are the entities that a page may use in addition to XML's.
type entities struct {
	values map[string]string // declared by the page
	html   bool              // HTML's are declared too
	others bool              // there may be others, which are not loaded
	left   int               // how many bytes of text they may still stand for; < 0: too many
}

// directive reads <!DOCTYPE> and replaces the references to entities in the rest of the page, since
// an entity may contain elements.
func (p *xmlParser) directive(text string) error {
	m := doctype.FindStringSubmatch(text)
	if m == nil || p.hasDoctype || p.hasRoot {
		return p.fail("malformed or misplaced DOCTYPE")
	}
	p.hasDoctype = true
	subset := m[4]
	p.entities = entities{
		values: map[string]string{},
		html:   xhtmlDoctypes[m[2]+m[3]],
		others: m[1] != "" || parameter.MatchString(literal.ReplaceAllString(subset, "")),
		left:   maxEntityText,
	}
	for _, d := range declaration.FindAllStringSubmatch(subset, -1) {
		if _, ok := p.entities.values[d[1]]; !ok { // the first counts
			p.entities.values[d[1]] = characterCode.ReplaceAllStringFunc(d[2]+d[3], html.UnescapeString)
		}
	}
	p.decoder.SetRest(replaceReferences(p.decoder.Rest(), func(reference string) (string, bool) {
		text, ok := p.entities.text(reference, 0)
		if !strings.Contains(text, "<") { // it may be in an attribute
			text = quotes.Replace(text)
		}
		return strings.ReplaceAll(text, "\n", " "), ok // lines are counted
	}))
	return nil
}

var quotes = strings.NewReplacer(`"`, "&#34;", "'", "&#39;")

// opaque are the starts and ends of markup without references, although it may look as if it had some.
var opaque = [...]struct{ start, end string }{{"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<?", "?>"}}

// replaceReferences replaces the references to entities in a source, but for those that are not ok.
// Opaque markup without an end extends to the end of the source. A regular expression would look
// for the end again after each reference.
func replaceReferences(source []byte, replace func(reference string) (text string, ok bool)) []byte {
	var replaced []byte
	for {
		n := bytes.IndexAny(source, "<&")
		if n < 0 {
			return append(replaced, source...)
		}
		replaced, source = append(replaced, source[:n]...), source[n:]
		n = 1 // that are kept
		if end := 1 + bytes.IndexAny(source[1:], " \t\n\f\r#&;<>\"'"); source[0] == '&' && end > 1 && source[end] == ';' {
			if text, ok := replace(string(source[:end+1])); ok {
				replaced, source = append(replaced, text...), source[end+1:]
				continue
			}
		}
		for _, o := range opaque {
			if rest, ok := bytes.CutPrefix(source, []byte(o.start)); ok {
				end := bytes.Index(rest, []byte(o.end))
				if end < 0 {
					return append(replaced, source...)
				}
				n = len(o.start) + end + len(o.end)
			}
		}
		replaced, source = append(replaced, source[:n]...), source[n:]
	}
}

// text returns the source that a reference stands for. It is not ok if the entity is not defined, or
// one of XML.
func (e *entities) text(reference string, depth int) (source string, ok bool) {
	const deepest = 16
	switch reference {
	case "&lt;", "&gt;", "&amp;", "&apos;", "&quot;":
		return "", false
	}
	name := reference[1 : len(reference)-1]
	if value, ok := e.values[name]; ok {
		if e.left -= len(value) + 1; e.left < 0 || depth == deepest {
			e.left = -1
			return "", false
		}
		return string(replaceReferences([]byte(value), func(reference string) (string, bool) {
			return e.text(reference, depth+1)
		})), true
	}
	if e.html {
		if text := html.UnescapeString(reference); text != reference && (name == "semi" || !strings.HasSuffix(text, ";")) {
			var b strings.Builder
			_ = xml.EscapeText(&b, []byte(text)) // a Builder does not fail
			return b.String(), true
		}
	}
	return "", e.others
}
