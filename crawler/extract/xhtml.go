package extract

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
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
func parseXML(text []byte) (root *html.Node, err error) {
	root = &html.Node{Type: html.DocumentNode}
	p := xmlParser{at: root, declared: map[string]bool{xmlNamespace: true}}
	if err := p.parse(bytes.TrimPrefix(text, []byte("\ufeff"))); p.first == nil {
		p.first = err
	}
	return root, p.first
}

// An xmlParser builds a tree from the tokens of encoding/xml. It also finds errors that encoding/xml
// accepts.
type xmlParser struct {
	decoder *xml.Decoder
	page    []byte // what decoder reads
	lines   int    // number of lines before page

	at         *html.Node // the open element
	depth      int
	tags       int
	hasRoot    bool
	hasDoctype bool
	pending    strings.Builder // text since the last tag

	declared map[string]bool // URIs of namespaces; encoding/xml returns an undeclared prefix as URI
	entities entities
	first    error // the first one that does not end the page
}

var xmlDeclaration = regexp.MustCompile(`^<\?xml\s+version\s*=\s*(?:"1\.\d+"|'1\.\d+')` +
	`(?:\s+encoding\s*=\s*(?:"[\w.-]+"|'[\w.-]+'))?(?:\s+standalone\s*=\s*(?:"(?:yes|no)"|'(?:yes|no)'))?\s*\?>`)

func (p *xmlParser) parse(text []byte) error {
	p.read(text)
	if len(text) > len("<?xml") && string(text[:len("<?xml")]) == "<?xml" && isSpace(text[len("<?xml")]) {
		size := len(xmlDeclaration.Find(text))
		if size == 0 {
			return p.fail("malformed XML declaration")
		}
		p.lines = bytes.Count(text[:size], []byte("\n"))
		p.read(text[size:])
	}
	for {
		start := p.decoder.InputOffset()
		token, err := p.decoder.Token()
		if err == io.EOF {
			if !p.hasRoot {
				return p.fail("there is no element")
			}
			return nil
		}
		if err != nil {
			return p.failure(err)
		}
		if err := p.token(token, p.page[start:p.decoder.InputOffset()]); err != nil {
			return err
		}
	}
}

// read continues with another text.
func (p *xmlParser) read(page []byte) {
	p.page, p.decoder = page, xml.NewDecoder(bytes.NewReader(page))
}

// token adds a token to the tree. Raw is its source.
func (p *xmlParser) token(token xml.Token, raw []byte) error {
	switch t := token.(type) {
	case xml.StartElement:
		return p.start(t, raw)
	case xml.EndElement:
		p.flush()
		p.at = p.at.Parent
		p.depth--
	case xml.CharData:
		switch {
		case p.depth > 0:
			p.pending.Write(t)
		case len(bytes.Trim(raw, " \t\r\n")) > 0:
			return p.fail("text outside the root element")
		}
	case xml.ProcInst:
		if strings.EqualFold(t.Target, "xml") {
			return p.fail(misplaced)
		}
	case xml.Directive:
		return p.directive(string(t))
	}
	return nil
}

// start adds an element. Raw is its tag.
func (p *xmlParser) start(t xml.StartElement, raw []byte) error {
	switch p.tags++; {
	case p.depth == 0 && p.hasRoot:
		return p.fail("a second root element <" + t.Name.Local + ">")
	case !isSpaced(raw):
		return p.fail("no white space between the attributes of <" + t.Name.Local + ">")
	case p.tags > maxTags:
		return ErrTooManyTags
	case p.depth == maxDepth:
		return errTooDeep
	}
	for _, a := range t.Attr {
		if a.Name.Space == "xmlns" || a.Name.Space == "" && a.Name.Local == "xmlns" {
			p.declared[a.Value] = true
		}
	}
	n := &html.Node{Type: html.ElementNode, Data: t.Name.Local, Namespace: elementNamespace(t.Name.Space)}
	if n.Namespace == "" {
		n.DataAtom = atom.Lookup([]byte(n.Data))
	}
	if len(t.Attr) > 0 {
		n.Attr = make([]html.Attribute, 0, len(t.Attr))
	}
	seen := make(map[xml.Name]bool, len(t.Attr))
	references := bytes.Contains(raw, []byte("&#"))
	for _, a := range t.Attr {
		if seen[a.Name] {
			return p.fail("attribute " + a.Name.Local + " of <" + t.Name.Local + "> is there twice")
		}
		seen[a.Name] = true
		if space := a.Name.Space; space != "" && space != "xmlns" && !p.declared[space] {
			return p.fail("prefix " + space + " of an attribute of <" + t.Name.Local + "> is not declared")
		}
		if !references { // a line break stands for a space, a reference to one for itself
			a.Value = toSpaces.Replace(a.Value)
		}
		n.Attr = append(n.Attr, html.Attribute{Namespace: attributeNamespace(a.Name.Space), Key: a.Name.Local, Val: a.Value})
	}
	if space := t.Name.Space; space != "" && !p.declared[space] && p.first == nil {
		p.first = p.fail("prefix " + space + " of <" + space + ":" + t.Name.Local + "> is not declared")
	}
	p.flush()
	p.at.AppendChild(n)
	p.at, p.hasRoot = n, true
	p.depth++
	return nil
}

var toSpaces = strings.NewReplacer("\t", " ", "\n", " ")

func elementNamespace(uri string) string {
	switch uri {
	case xhtmlNamespace:
		return ""
	case svgNamespace:
		return "svg"
	case mathMLNamespace:
		return "math"
	}
	return foreign
}

func attributeNamespace(uri string) string {
	switch uri {
	case "", "xmlns":
		return uri
	case xlinkNamespace:
		return "xlink"
	case xmlNamespace:
		return "xml"
	}
	return foreign
}

// isSpaced reports whether white space separates the attributes of a tag, which encoding/xml does
// not require.
func isSpaced(tag []byte) bool {
	for {
		start := bytes.IndexAny(tag, `"'`)
		if start < 0 {
			return true
		}
		size := bytes.IndexByte(tag[start+1:], tag[start])
		if tag = tag[start+1+size+1:]; !isSpace(tag[0]) && tag[0] != '/' && tag[0] != '>' {
			return false
		}
	}
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
	line, _ := p.decoder.InputPos()
	return &xml.SyntaxError{Msg: message, Line: p.lines + line}
}

const misplaced = "XML declaration not at the start of the page"

// failure explains an error of encoding/xml. Text before an error counts only at the end of the
// page, as in a browser.
func (p *xmlParser) failure(err error) error {
	var syntax *xml.SyntaxError
	if !errors.As(err, &syntax) { // it declares another version or encoding
		return p.fail(misplaced)
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
	return &xml.SyntaxError{Msg: message, Line: p.lines + syntax.Line}
}
