package sitemap

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/politecrawl/politecrawl/robotsext/xmlstrict"
)

// namespaceURIs are the namespaces of the protocol and of its extensions, as
// sitemaps.org and Google's documentation define them.
var namespaceURIs = [...]string{
	sitemapSpace: sitemapNamespace,
	imageSpace:   "http://www.google.com/schemas/sitemap-image/1.1",
	videoSpace:   "http://www.google.com/schemas/sitemap-video/1.1",
	newsSpace:    "http://www.google.com/schemas/sitemap-news/0.9",
	xhtmlSpace:   "http://www.w3.org/1999/xhtml",
}

// xmlnsFix says how to declare a prefix.
func xmlnsFix(prefix, uri string) string {
	if prefix == "" {
		return `write xmlns="` + uri + `"`
	}
	return "write xmlns:" + cut([]byte(prefix)) + `="` + uri + `"`
}

// role is the place of an element in a sitemap.
type role uint8

const (
	roleOther role = iota // its text is not checked
	roleRoot
	roleEntry // url, sitemap
	roleGroup // image, video and news, which have only elements
)

// A checker is the strict check of a sitemap, after it was read (ROB-SMP-26). It finds the first fault for
// which an XML parser rejects it, and wrong namespaces and names before that.
type checker struct {
	decoder  *xmlstrict.Decoder
	findings []Finding

	roles      []role // of the open elements
	sitemap    bool   // the root is a urlset or a sitemapindex
	rootPrefix string
	rootURI    string
	reported   []string // wrong namespaces and names
}

// maxReported limits the wrong namespaces and names that are reported.
const maxReported = 32

// checkStrictly returns the findings of the strict check of a body, decoded to UTF-8 from a charset. A text
// sitemap has none.
func checkStrictly(body []byte, charset string) []Finding {
	body = bytes.TrimPrefix(body, bom)
	if start := bytes.TrimLeftFunc(body, unicode.IsSpace); len(start) == 0 || start[0] != '<' {
		return nil
	}
	c := &checker{decoder: xmlstrict.NewDecoder(body)}
	if c.checkCharset(body, charset); len(c.findings) > 0 {
		return c.findings
	}
	for len(c.findings) < maxFindings {
		token, err := c.decoder.Token()
		if err != nil {
			if err != io.EOF {
				c.fail(err)
			}
			break
		}
		if _, doctype := token.(xml.Directive); doctype {
			break // it may declare entities; the scanner reports it
		}
		c.token(token)
	}
	return c.findings
}

// checkCharset checks that the body is in the encoding that it declares. Bytes that are not UTF-8 are found by
// the decoder.
func (c *checker) checkCharset(body []byte, charset string) {
	declared := declaredCharset(bufio.NewReader(bytes.NewReader(body)))
	ascii := declared == "us-ascii" || declared == "ascii"
	sameFamily := strings.HasPrefix(charset, "utf-16") && (declared == "utf-16" || declared == charset)
	isUTF8 := charset == "utf-8" && (declared == "utf8" || ascii)
	if declared != "" && declared != charset && !sameFamily && !isUTF8 {
		c.addFault(place{line: 1, column: 1}, "the declared encoding is not the encoding of the file, "+strings.ToUpper(charset),
			`declare encoding="`+strings.ToUpper(charset)+`"`)
	}
	bad := -1
	switch {
	case ascii:
		bad = bytes.IndexFunc(body, func(r rune) bool { return r >= utf8.RuneSelf })
	case strings.HasPrefix(charset, "utf-16"):
		bad = bytes.IndexRune(body, utf8.RuneError)
	}
	if bad >= 0 {
		before := body[:bad]
		at := place{line: bytes.Count(before, lf) + 1, column: bad - bytes.LastIndexByte(before, '\n')}
		c.addFault(at, "bytes that are not "+strings.ToUpper(cmp.Or(declared, charset)), "write the file in the encoding that it declares")
	}
}

// token checks a token at its place in the vocabulary.
func (c *checker) token(token xml.Token) {
	switch t := token.(type) {
	case xml.StartElement:
		prefix, _ := splitName(nameOf(c.decoder.Raw()))
		c.roles = append(c.roles, c.checkNamespace(string(prefix), t.Name.Local, t.Name.Space))
	case xml.EndElement:
		c.roles = c.roles[:len(c.roles)-1]
	case xml.CharData:
		// Text outside of the root is an error of the decoder.
		if n := len(c.roles); n > 0 && c.roles[n-1] != roleOther && len(bytes.TrimSpace(t)) > 0 {
			at := c.here()
			text := c.decoder.Raw()
			before := text[:len(text)-len(bytes.TrimLeftFunc(text, unicode.IsSpace))]
			if breaks := bytes.Count(before, lf); breaks > 0 {
				at = place{line: at.line + breaks, column: len(before) - bytes.LastIndexByte(before, '\n')}
			} else {
				at.column += len(before)
			}
			c.add(at, StrayText, "", "")
		}
	}
}

// nameOf returns the name in a start tag.
func nameOf(tag []byte) []byte {
	end := bytes.IndexAny(tag, " \t\r\n/>")
	return tag[1:end]
}

// here returns the place of the last token.
func (c *checker) here() place {
	at := c.decoder.Position()
	return place{line: at.Line, column: at.Column}
}

// checkNamespace checks an element in a urlset or an index. A namespace that no element uses
// is no finding.
func (c *checker) checkNamespace(prefix, local, uri string) role {
	at, low, parent := c.here(), strings.ToLower(local), roleOther
	if n := len(c.roles); n > 0 {
		parent = c.roles[n-1]
	} else {
		c.sitemap = low == "urlset" || low == "sitemapindex"
		c.rootPrefix, c.rootURI = prefix, uri
	}
	if !c.sitemap {
		return roleOther
	}
	sp := c.meant(parent, prefix, low, uri)
	want := namespaceURIs[sp]
	switch {
	case want == "":
		return roleOther
	case uri == "":
		c.once(at, NoNamespace, local, xmlnsFix(prefix, want), "namespace of "+want)
	case uri != want:
		c.once(at, BadNamespace, uri, xmlnsFix(prefix, want), "namespace "+uri+" for "+want)
	}
	if local != low && (sp != sitemapSpace || isCoreName(low)) {
		c.once(at, WrongCase, local, "write <"+strings.TrimPrefix(prefix+":"+low, ":")+">", "name "+local)
	}
	switch {
	case len(c.roles) == 0:
		return roleRoot
	case parent == roleRoot && (low == "url" || low == "sitemap"):
		return roleEntry
	case parent == roleEntry && isGroup(low):
		return roleGroup
	}
	return roleOther
}

// meant returns the namespace that an element should have, or another one if it may have any.
func (c *checker) meant(parent role, prefix, low, uri string) space {
	for sp, known := range namespaceURIs {
		if uri == known && uri != "" && len(c.roles) > 0 {
			return space(sp)
		}
	}
	similar, usual := spaceOf([]byte(strings.ToLower(uri))), conventional[prefix]
	switch {
	case len(c.roles) == 0, prefix == c.rootPrefix && (parent == roleRoot || parent == roleEntry) && isCoreName(low):
		return sitemapSpace
	case namespaceURIs[similar] != "":
		return similar
	case namespaceURIs[usual] != "":
		return usual
	case parent == roleEntry && uri != "" && uri != c.rootURI && isGroup(low):
		return conventional[low]
	}
	return otherSpace
}

// isCoreName reports whether the protocol has an element of this name.
func isCoreName(low string) bool {
	return slices.Contains([]string{"urlset", "sitemapindex", "url", "sitemap", "loc", "lastmod", "changefreq", "priority"}, low)
}

// isGroup reports whether an extension has an element of this name, which has only elements.
func isGroup(low string) bool { return low == "image" || low == "video" || low == "news" }

// once reports a finding the first time.
func (c *checker) once(at place, kind Kind, text, fix, key string) {
	if len(c.reported) < maxReported && !slices.Contains(c.reported, key) {
		c.reported = append(c.reported, key)
		c.add(at, kind, text, fix)
	}
}

func (c *checker) add(at place, kind Kind, text, fix string) {
	c.findings = append(c.findings, Finding{Kind: kind, Line: at.line, Column: at.column, Text: cut([]byte(text)), Fix: fix})
}

func (c *checker) addFault(at place, what, fix string) {
	c.add(at, Malformed, "", fix)
	c.findings[len(c.findings)-1].Err = errors.New(what)
}

// faultFixes are the fixes of faults, by the beginning of their text in encoding/xml or package xmlstrict.
var faultFixes = []struct{ text, fix string }{
	{"invalid character entity", "write the character itself, or &amp; for &"},
	{"unescaped < inside quoted string", "write &lt; for <"},
	{"unquoted or missing attribute value", "write quotes around the value"},
	{"attribute name without =", `write name="value", or remove it`},
	{"unescaped ]]>", "write ]]&gt; for ]]>"},
	{`invalid sequence "--"`, "write a single hyphen"},
	{"illegal character code", "remove it"},
	{"invalid UTF-8", "write the file in the encoding that it declares; the default is UTF-8"},
	{"expected element name", "write &lt; for <, or a name after it"},
	{"invalid XML name", "write &lt; for <, or begin the name with a letter"},
	{"malformed XML declaration", `write <?xml version="1.0" encoding="UTF-8"?>`},
	{"XML declaration not at the start", "remove it, or what is before it"},
	{"no white space", "write a space"},
	{"attribute ", "remove one of them"},
	{"prefix ", "declare it at the root element"},
	{"a second root", "remove it"},
	{"a reserved prefix", "remove it"},
	{"a colon in", "remove the colon"},
	{"text outside", "remove it"},
	{unexpectedEOF, "write the rest of the file, and its end tags"},
	{"element ", "write the end tag of the open element, or remove this one"},
	{"unexpected end element", "remove it"},
}

// fail adds the fault for which a parser rejects the document.
func (c *checker) fail(err error) {
	var syntax *xml.SyntaxError
	if !errors.As(err, &syntax) {
		return
	}
	fix := "write well-formed XML"
	for _, known := range faultFixes {
		if strings.HasPrefix(syntax.Msg, known.text) {
			fix = known.fix
			break
		}
	}
	if prefix, isPrefix := strings.CutPrefix(syntax.Msg, "prefix "); isPrefix {
		prefix, what, _ := strings.Cut(prefix, " ")
		if strings.HasPrefix(what, "is declared") {
			fix = "give it a namespace, or remove it"
		}
		if uri := namespaceURIs[conventional[prefix]]; uri != "" {
			fix = xmlnsFix(prefix, uri)
		}
	}
	if strings.HasSuffix(syntax.Msg, "(no semicolon)") {
		fix = "write &amp; for &"
	}
	c.addFault(c.here(), syntax.Msg, fix)
}

// isFault reports whether a finding of the scanner is about XML that a parser rejects.
func isFault(f *Finding) bool {
	switch f.Kind {
	case BadXML, Truncated, BadReference, TrailingContent, BadCharset, Malformed:
		return true
	}
	return f.Kind == BadLoc && errors.Is(f.Err, errControl)
}

// checkStrictly returns the held findings and the findings of a strict check, in the order of their lines.
// A fault that both have found on a line is one finding, with the place and fix of the strict check. End is
// what stopped reading.
func (rd *reading) checkStrictly(end *Finding) []Finding {
	found, body := rd.held, rd.body.Bytes()
	if end == nil && rd.window != nil { // what follows is of no interest
		body = body[:rd.here().offset]
	}
	for _, f := range checkStrictly(body, rd.summary.Charset) {
		same := slices.IndexFunc(found, func(other Finding) bool { return isFault(&other) && other.Line == f.Line })
		switch {
		case f.Err != nil && strings.HasPrefix(f.Err.Error(), unexpectedEOF) && (end != nil || same >= 0): // the scanner stopped before
		case f.Kind == Malformed && end != nil && isFault(end) && end.Line == f.Line:
			end.Column, end.Fix = f.Column, f.Fix
		case end != nil && (f.Line > end.Line || f.Line == end.Line && f.Column >= end.Column): // not read
		case f.Kind == Malformed && same >= 0:
			found[same].Column, found[same].Fix = f.Column, f.Fix
		default:
			f.Offset = int64(rd.body.Len())
			found = append(found, f)
		}
	}
	slices.SortStableFunc(found, func(a, b Finding) int { return cmp.Or(a.Line-b.Line, a.Column-b.Column) })
	return found
}

// unexpectedEOF begins the text of the fault of a document that ends too early.
const unexpectedEOF = "unexpected EOF"
