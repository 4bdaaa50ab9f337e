package xmlstrict

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

// read returns the local names of the elements and the error of a document, with its place.
func read(text string) (names []string, fault string) {
	d := NewDecoder([]byte(text))
	for {
		token, err := d.Token()
		if start, ok := token.(xml.StartElement); ok {
			names = append(names, start.Name.Local)
		}
		switch {
		case err == io.EOF:
			return names, ""
		case errors.As(err, new(*PrefixError)) && token != nil: // reading continues
			names = append(names, "undeclared")
		case err != nil:
			at := d.Position()
			return names, fmt.Sprintf("%d:%d %v", at.Line, at.Column, err)
		}
	}
}

func TestDecoder(t *testing.T) {
	for _, tt := range []struct{ text, names, fault string }{
		{"<a/>", "a", ""},
		{"<?xml version='1.0' encoding=\"koi8-r\" standalone='no' ?>\n<!-- c --><?p i?><a x='1' y=\"2\"><b/></a>\n<!-- -->", "a b", ""},
		{"<a xmlns='u' xmlns:p='v' xml:lang='de' p:x='1' x='1'><p:b/></a>", "a b", ""},
		{"", "", "1:1 XML syntax error on line 1: there is no element"},
		{"<?xml version='1.0'?>\n<!-- -->", "", "2:9 XML syntax error on line 2: there is no element"},
		{"\n<?xml version='1.0'?><a/>", "", "2:1 XML syntax error on line 2: XML declaration not at the start of the document"},
		{"<?xml version='1.0'?><?xml version='1.0'?><a/>", "", "1:22 XML syntax error on line 1: XML declaration not at the start of the document"},
		{"<?xml standalone='yes' version='1.0'?><a/>", "", "1:1 XML syntax error on line 1: malformed XML declaration"},
		{"<?xml version='1.0'?>\n<a>\n<b x='1'y='2'/></a>", "a", "3:1 XML syntax error on line 3: no white space between the attributes of <b>"},
		{"<a x='1' x='2'/>", "", "1:1 XML syntax error on line 1: attribute x of <a> is there twice"},
		{"<a xmlns:p='u' xmlns:q='u' p:x='1' q:x='2'/>", "", "1:1 XML syntax error on line 1: attribute x of <a> is there twice"},
		{"<a p:x='1'/>", "", "1:1 XML syntax error on line 1: prefix p of an attribute of <a> is not declared"},
		{"<a xmlns:p=''/>", "", "1:1 XML syntax error on line 1: prefix p is declared without a namespace"},
		{"<a xmlns:xml='u'/>", "", "1:1 XML syntax error on line 1: a reserved prefix or namespace is declared"},
		{"<a xmlns:p='http://www.w3.org/XML/1998/namespace'/>", "", "1:1 XML syntax error on line 1: a reserved prefix or namespace is declared"},
		{"<a xmlns:xmlns='u'/>", "", "1:1 XML syntax error on line 1: a reserved prefix or namespace is declared"},
		{"<a xmlns:xml='http://www.w3.org/XML/1998/namespace'/>", "a", ""},
		{"<a><:b/></a>", "a", "1:4 XML syntax error on line 1: invalid XML name: :b"},
		{"<a><?p:q x?></a>", "a", "1:4 XML syntax error on line 1: a colon in the name of an instruction"},
		{"<a><p:b/><c/></a>", "a b undeclared c", ""},
		{"<a><b xmlns:p='u'/><p:c/></a>", "a b c undeclared", ""},
		{"<a/>\n<b/>", "a", "2:1 XML syntax error on line 2: a second root element <b>"},
		{"<a/>\n text", "a", "2:2 XML syntax error on line 2: text outside the root element"},
		{"<a><!-- \xff --></a>", "a", "1:9 XML syntax error on line 1: invalid UTF-8"},
		{"<a><?p \x01?></a>", "a", "1:8 XML syntax error on line 1: illegal character code U+0001"},
		{"<a>\n<b></c></a>", "a b", "2:8 XML syntax error on line 2: element <b> closed by </c>"},
		{"<a", "", "1:3 XML syntax error on line 1: unexpected EOF"},
	} {
		names, fault := read(tt.text)
		if strings.Join(names, " ") != tt.names || fault != tt.fault {
			t.Errorf("%q:\n got %q, %s\nwant %q, %s", tt.text, names, fault, tt.names, tt.fault)
		}
	}
}

// The text after a document type can be replaced, and places are then in the new text.
func TestSetRest(t *testing.T) {
	d := NewDecoder([]byte("<?xml version='1.0'?>\n<!DOCTYPE a>&x;"))
	var names []string
	for {
		token, err := d.Token()
		switch token := token.(type) {
		case xml.Directive:
			if got := string(d.Rest()); got != "&x;" {
				t.Errorf("the rest is %q", got)
			}
			d.SetRest([]byte("<a>\n<b></a>"))
		case xml.StartElement:
			at := d.Position()
			names = append(names, fmt.Sprintf("%s %d:%d %d", token.Name.Local, at.Line, at.Column, at.Offset))
		}
		if err != nil {
			if err == io.EOF || !strings.Contains(err.Error(), "line 3") {
				t.Error(err)
			}
			break
		}
	}
	if got := strings.Join(names, ", "); got != "a 2:13 34, b 3:1 38" {
		t.Errorf("elements at %s", got)
	}
}

// FuzzDecoder holds that the decoder accepts nothing that encoding/xml rejects, and that its positions are in
// the document.
func FuzzDecoder(f *testing.F) {
	for _, seed := range []string{
		"<?xml version='1.0'?><a x='1'>&amp;<b/><![CDATA[c]]></a>", "<a p:x='1' y='2'z='3'/>", "<a><!-- - --></a>\n", "<!DOCTYPE a><a>&b;</a>", "<a:b:c/>", "]]>",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		d := NewDecoder(text)
		var err error
		for err == nil {
			_, err = d.Token()
			at := d.Position()
			if at.Offset > len(text) || at.Line < 1 || at.Column < 1 {
				t.Fatalf("%+v in %q", at, text)
			}
		}
		if err != io.EOF {
			return
		}
		peer := xml.NewDecoder(strings.NewReader(string(text)))
		peer.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
		for err = nil; err == nil; {
			_, err = peer.Token()
		}
		if err != io.EOF && !strings.Contains(err.Error(), "unsupported version") { // such as 1.1
			t.Fatalf("encoding/xml rejects %q: %v", text, err)
		}
	})
}
