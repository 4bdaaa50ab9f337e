package extract

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/politecrawl/politecrawl/robotsext/xmlstrict"
)

// maxDepth limits how deep elements are nested, like the HTML parser does.
const maxDepth = 512

// Namespaces that the tree tells apart. An element of XHTML has none in the tree, and foreign
// stands for all others and for the lack of one. Callers ignore elements in foreign.
const (
	xhtmlNamespace  = "http://www.w3.org/1999/xhtml"
	svgNamespace    = "http://www.w3.org/2000/svg"
	mathMLNamespace = "http://www.w3.org/1998/Math/MathML"
	xlinkNamespace  = "http://www.w3.org/1999/xlink"
	xmlNamespace    = "http://www.w3.org/XML/1998/namespace"
	foreign         = "other"

	lineNamespace = "line" // of an attribute with the line of the tag
)

// isXHTML reports whether the root element of an XML document is one of XHTML.
func isXHTML(text []byte) bool {
	d := xml.NewDecoder(bytes.NewReader(text))
	d.Strict = false                                                                     // any version
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil } // ASCII is enough for a name
	for {
		switch t, _ := d.Token(); t := t.(type) {
		case nil:
			return false
		case xml.StartElement:
			return t.Name.Space == xhtmlNamespace
		}
	}
}

var errTooDeep = fmt.Errorf("elements are nested more than %d deep", maxDepth)

// parseXML reads an XHTML page in UTF-8 and returns the same kind of tree as html.Parse. Names
// keep their case. It ignores the encoding in an XML declaration.
//
// Like a browser, it reads a page up to the first error. It always returns the tree of what comes
// before, together with an *xml.SyntaxError, ErrTooManyTags or errTooDeep. An element with an
// undeclared prefix is an error too, but a browser reads the rest of such a page.
//
// Entities are those of XML, those that the page declares, and those of HTML if the DOCTYPE is
// that of an XHTML DTD. It loads no external entity or DTD. Entities from there count as empty.
// It ignores default values of attributes in a DOCTYPE.
//
// With lines, each element has an attribute in lineNamespace.
func parseXML(text []byte, lines bool) (root *html.Node, err error) {
	root = &html.Node{Type: html.DocumentNode}
	p := xmlParser{at: root, lines: lines}
	if err := p.parse(bytes.TrimPrefix(text, []byte("\ufeff"))); p.first == nil {
		p.first = err
	}
	return root, p.first
}

// An xmlParser builds a tree from the tokens of an XML document.
type xmlParser struct {
	decoder *xmlstrict.Decoder
	lines   bool

	at         *html.Node // the open element
	depth      int
	tags       int
	hasRoot    bool
	hasDoctype bool
	pending    strings.Builder // text since the last tag

	entities entities
	first    error // the first one that does not end the page
}

func (p *xmlParser) parse(text []byte) error {
	p.decoder = xmlstrict.NewDecoder(text)
	for {
		token, err := p.decoder.Token()
		switch {
		case err == io.EOF:
			return nil
		case token == nil:
			return p.failure(err)
		case err != nil && p.first == nil: // an undeclared prefix
			p.first = err
		}
		if err := p.token(token); err != nil {
			return err
		}
	}
}

// token adds a token to the tree.
func (p *xmlParser) token(token xml.Token) error {
	switch t := token.(type) {
	case xml.StartElement:
		return p.start(t)
	case xml.EndElement:
		p.flush()
		p.at = p.at.Parent
		p.depth--
	case xml.CharData:
		if p.depth > 0 {
			p.pending.Write(t)
		}
	case xml.Directive:
		return p.directive(string(t))
	}
	return nil
}

// start adds an element.
func (p *xmlParser) start(t xml.StartElement) error {
	switch p.tags++; {
	case p.tags > maxTags:
		return ErrTooManyTags
	case p.depth == maxDepth:
		return errTooDeep
	}
	n := &html.Node{Type: html.ElementNode, Data: t.Name.Local, Namespace: namespace(elementNamespaces, t.Name.Space)}
	if n.Namespace == "" {
		n.DataAtom = atom.Lookup([]byte(n.Data))
	}
	if len(t.Attr) > 0 {
		n.Attr = make([]html.Attribute, 0, len(t.Attr))
	}
	references := bytes.Contains(p.decoder.Raw(), []byte("&#"))
	for _, a := range t.Attr {
		if !references { // a line break stands for a space, a reference to one for itself
			a.Value = toSpaces.Replace(a.Value)
		}
		n.Attr = append(n.Attr, html.Attribute{Namespace: namespace(attributeNamespaces, a.Name.Space), Key: a.Name.Local, Val: a.Value})
	}
	if p.lines {
		n.Attr = append(n.Attr, html.Attribute{Namespace: lineNamespace, Val: strconv.Itoa(p.decoder.Position().Line)})
	}
	p.flush()
	p.at.AppendChild(n)
	p.at, p.hasRoot = n, true
	p.depth++
	return nil
}

var toSpaces = strings.NewReplacer("\t", " ", "\n", " ")

// The namespaces of elements and attributes in the tree, by their URIs.
var (
	elementNamespaces   = map[string]string{xhtmlNamespace: "", svgNamespace: "svg", mathMLNamespace: "math"}
	attributeNamespaces = map[string]string{"": "", "xmlns": "xmlns", xlinkNamespace: "xlink", xmlNamespace: "xml"}
)

func namespace(known map[string]string, uri string) string {
	if name, ok := known[uri]; ok {
		return name
	}
	return foreign
}

// flush adds the pending text to the tree.
func (p *xmlParser) flush() {
	if p.pending.Len() == 0 {
		return
	}
	p.at.AppendChild(&html.Node{Type: html.TextNode, Data: p.pending.String()})
	p.pending.Reset()
}

// fail returns an error at the current line.
func (p *xmlParser) fail(message string) error {
	return &xml.SyntaxError{Msg: message, Line: p.decoder.Position().Line}
}

// failure explains an error. Text before an error counts only at the end of the page, as in a browser.
func (p *xmlParser) failure(err error) error {
	var syntax *xml.SyntaxError
	if !errors.As(err, &syntax) {
		return err
	}
	message := syntax.Msg
	switch entity, isEntity := strings.CutPrefix(message, "invalid character entity "); {
	case message == "unexpected EOF":
		p.flush()
		message = "unexpected end of the page"
	case isEntity && p.entities.left < 0:
		message = "entities stand for too much text"
	case isEntity:
		message = "entity " + entity + " is not defined"
	}
	return &xml.SyntaxError{Msg: message, Line: syntax.Line}
}
