// Package xmlstrict reads XML with encoding/xml, and finds the errors that encoding/xml accepts:
// a malformed or misplaced XML declaration, bad characters in comments and instructions, repeated attributes, attributes without white space
// between them, undeclared prefixes, and text or elements outside the root element.
//
//	d := xmlstrict.NewDecoder(text)
//	for {
//		token, err := d.Token()
//		if err == io.EOF {
//			break // the document is well-formed
//		}
//		if err != nil {
//			return err
//		}
//		_ = token
//	}
package xmlstrict

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"
)

const (
	xmlNamespace   = "http://www.w3.org/XML/1998/namespace"
	xmlnsNamespace = "http://www.w3.org/2000/xmlns/"
)

// Decoder reads the tokens of a document in UTF-8. It does not use the encoding that the document
// declares.
type Decoder struct {
	xml     *xml.Decoder
	text    []byte // what xml reads
	raw     []byte // the source of the last token
	started bool
	rooted  bool
	depth   int

	passed Position // up to which text was read
	offset int      // the same in text
	at     Position

	declared map[string]bool // URIs of namespaces; encoding/xml returns an undeclared prefix as URI
}

// Position is a place in the document.
type Position struct {
	Line, Column int // from 1; columns in bytes
	Offset       int // in bytes, from 0
}

// PrefixError is the error of an element with an undeclared prefix. Its token is valid, and reading can
// continue.
type PrefixError struct{ *xml.SyntaxError }

// Unwrap returns the *xml.SyntaxError.
func (e *PrefixError) Unwrap() error { return e.SyntaxError }

// NewDecoder returns a decoder of a document without a byte order mark.
func NewDecoder(text []byte) *Decoder {
	d := &Decoder{passed: Position{Line: 1, Column: 1}, declared: map[string]bool{xmlNamespace: true}}
	d.read(text)
	return d
}

// read continues with another text.
func (d *Decoder) read(text []byte) {
	d.text, d.offset, d.xml = text, 0, xml.NewDecoder(bytes.NewReader(text))
}

// Rest returns the source after the last token.
func (d *Decoder) Rest() []byte { return d.text[d.xml.InputOffset():] }

// SetRest replaces the source after the last token, such as references to entities that a document type
// declares. It must be called before the root element.
func (d *Decoder) SetRest(text []byte) { d.skip(int(d.xml.InputOffset()), text) }

// skip continues with a text after n bytes of the current one.
func (d *Decoder) skip(n int, text []byte) {
	d.here()
	d.advance(d.text[d.offset:n])
	d.passed = d.at
	d.read(text)
}

// Raw returns the source of the last token.
func (d *Decoder) Raw() []byte { return d.raw }

// Position returns where the last token began, or where an error is.
func (d *Decoder) Position() Position { return d.at }

// here sets the position to the place up to which encoding/xml has read.
func (d *Decoder) here() {
	offset := int(d.xml.InputOffset())
	d.at = d.passed
	d.advance(d.text[d.offset:offset])
	d.passed, d.offset = d.at, offset
}

// Token returns the next token, as [xml.Decoder.Token] does. Its slices are valid until the next call. At
// the end of a well-formed document it returns nil and io.EOF. Other errors are an *xml.SyntaxError, or a
// *PrefixError together with its token.
func (d *Decoder) Token() (xml.Token, error) {
	if !d.started {
		d.started = true
		if err := d.declaration(); err != nil {
			return nil, err
		}
	}
	start := d.xml.InputOffset()
	d.here()
	token, err := d.xml.Token()
	d.raw = d.text[start:d.xml.InputOffset()]
	switch {
	case err == io.EOF && !d.rooted:
		return nil, d.fail("there is no element")
	case err == io.EOF:
		return nil, err
	case err != nil:
		return nil, d.failure(err)
	}
	switch t := token.(type) {
	case xml.StartElement:
		err = d.start(t)
	case xml.EndElement:
		d.depth--
	case xml.CharData:
		if text := bytes.TrimLeft(d.raw, " \t\r\n"); d.depth == 0 && len(text) > 0 {
			d.advance(d.raw[:len(d.raw)-len(text)])
			return nil, d.fail("text outside the root element")
		}
	case xml.ProcInst:
		switch err = d.characters(); {
		case strings.EqualFold(t.Target, "xml"):
			return nil, d.fail(misplaced)
		case strings.Contains(t.Target, ":"):
			return nil, d.fail("a colon in the name of an instruction")
		}
	case xml.Comment, xml.Directive:
		err = d.characters()
	}
	if err != nil && !errors.As(err, new(*PrefixError)) {
		return nil, err
	}
	return token, err
}

const misplaced = "XML declaration not at the start of the document"

var xmlDeclaration = regexp.MustCompile(`^<\?xml\s+version\s*=\s*(?:"1\.\d+"|'1\.\d+')` +
	`(?:\s+encoding\s*=\s*(?:"[\w.-]+"|'[\w.-]+'))?(?:\s+standalone\s*=\s*(?:"(?:yes|no)"|'(?:yes|no)'))?\s*\?>`)

// declaration skips the XML declaration, which may name an encoding that text no longer has.
func (d *Decoder) declaration() error {
	rest, found := bytes.CutPrefix(d.text, []byte("<?xml"))
	if !found || len(rest) == 0 || !isSpace(rest[0]) {
		return nil
	}
	size := len(xmlDeclaration.Find(d.text))
	if size == 0 {
		d.here()
		return d.fail("malformed XML declaration")
	}
	d.skip(size, d.text[size:])
	return nil
}

// characters checks the characters of a token, as encoding/xml does for text and attributes.
func (d *Decoder) characters() error {
	for i, r := range string(d.raw) {
		switch {
		case r == utf8.RuneError && !bytes.HasPrefix(d.raw[i:], []byte("\uFFFD")):
			d.advance(d.raw[:i])
			return d.fail("invalid UTF-8")
		case r < ' ' && !isSpace(byte(r)), r == 0xFFFE, r == 0xFFFF:
			d.advance(d.raw[:i])
			return d.fail(fmt.Sprintf("illegal character code %U", r))
		}
	}
	return nil
}

// start checks a start tag.
func (d *Decoder) start(t xml.StartElement) error {
	switch {
	case d.depth == 0 && d.rooted:
		return d.fail("a second root element <" + t.Name.Local + ">")
	case strings.Contains(t.Name.Local, ":"):
		return d.fail("invalid XML name: " + t.Name.Local)
	case !isSpaced(d.raw):
		return d.fail("no white space between the attributes of <" + t.Name.Local + ">")
	}
	for _, a := range t.Attr {
		if a.Name.Space == "xmlns" || a.Name.Space == "" && a.Name.Local == "xmlns" {
			prefix := a.Name.Space != ""
			switch {
			case prefix && a.Value == "":
				return d.fail("prefix " + a.Name.Local + " is declared without a namespace")
			case prefix && a.Name.Local == "xmlns", a.Value == xmlnsNamespace, (prefix && a.Name.Local == "xml") != (a.Value == xmlNamespace):
				return d.fail("a reserved prefix or namespace is declared")
			}
			d.declared[a.Value] = true
		}
	}
	seen := make(map[xml.Name]bool, len(t.Attr))
	for _, a := range t.Attr {
		if seen[a.Name] {
			return d.fail("attribute " + a.Name.Local + " of <" + t.Name.Local + "> is there twice")
		}
		seen[a.Name] = true
		if space := a.Name.Space; space != "" && space != "xmlns" && !d.declared[space] {
			return d.fail("prefix " + space + " of an attribute of <" + t.Name.Local + "> is not declared")
		}
	}
	d.rooted = true
	d.depth++
	if space := t.Name.Space; space != "" && !d.declared[space] {
		return &PrefixError{d.fail("prefix " + space + " of <" + space + ":" + t.Name.Local + "> is not declared")}
	}
	return nil
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

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// advance moves the position past a text.
func (d *Decoder) advance(text []byte) {
	d.at.Offset += len(text)
	if breaks := bytes.Count(text, []byte("\n")); breaks > 0 {
		d.at.Line += breaks
		d.at.Column = 1
		text = text[bytes.LastIndexByte(text, '\n')+1:]
	}
	d.at.Column += len(text)
}

// fail returns an error at the current position.
func (d *Decoder) fail(message string) *xml.SyntaxError {
	return &xml.SyntaxError{Msg: message, Line: d.at.Line}
}

// failure returns an error of encoding/xml at its place in the document.
func (d *Decoder) failure(err error) error {
	var syntax *xml.SyntaxError
	if !errors.As(err, &syntax) { // a declaration of another version or encoding
		return d.fail(misplaced)
	}
	d.here()
	return d.fail(syntax.Msg)
}
