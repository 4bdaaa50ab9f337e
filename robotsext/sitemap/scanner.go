package sitemap

import (
	"bytes"
	"errors"
	"io"
)

// token is the type of an XML token.
type token uint8

const (
	startTag token = iota // sets name, attrs and empty
	endTag                // sets name
	charData              // sets text, with references; may be a part
	cdata                 // sets text, literally; may be a part
)

// scanner splits XML into tokens. It skips comments, processing instructions and the
// document type. It does not check names and nesting. Its slices are valid until the next
// token.
type scanner struct {
	*window
	name  []byte // qualified name of the tag
	attrs []byte // of a start tag: the text after the name
	empty bool   // of a start tag: it ends in "/>"
	text  []byte

	inCDATA bool
	onDTD   func() // called for a document type declaration
}

func syntax(what string) error { return &Finding{Kind: BadXML, Err: errors.New(what)} }

// stop returns the reason why the window could not be filled within a document.
func (s *scanner) stop() error {
	switch s.err {
	case nil:
		return &Finding{Kind: TagTooLong}
	case io.EOF:
		return &Finding{Kind: Truncated}
	}
	return s.err
}

// next returns the next token. Without wantText it skips text of any length. io.EOF means
// that the body ends between two tokens.
func (s *scanner) next(wantText bool) (token, error) {
	for {
		if s.pos == s.end && !s.fill() {
			if s.inCDATA {
				return 0, s.stop()
			}
			return 0, s.err
		}
		switch {
		case s.inCDATA:
			if more, err := s.scanCDATA(); err != nil || more && wantText {
				return cdata, err
			}
		case s.buf[s.pos] != '<':
			if s.scanText(wantText) {
				return charData, nil
			}
		default:
			if !wantText {
				s.mark()
			}
			tok, found, err := s.scanMarkup()
			if found || err != nil {
				return tok, err
			}
		}
	}
}

// scanText reads text up to the next tag or the end of the window, and reports whether
// s.text has any. It does not split a reference.
func (s *scanner) scanText(want bool) bool {
	rest := s.rest()
	n := bytes.IndexByte(rest, '<')
	if n < 0 {
		n = len(rest)
		if want {
			tail := max(0, n-maxReference+1)
			switch amp := bytes.IndexByte(rest[tail:], '&'); {
			case tail+amp > 0 && amp >= 0:
				n = tail + amp
			case amp == 0 && s.fill():
				return false // try again
			}
		}
	}
	s.text = rest[:n]
	s.pos += n
	return want && n > 0
}

// scanCDATA sets s.text to the rest of a CDATA section, as far as it is in the window.
func (s *scanner) scanCDATA() (found bool, err error) {
	rest := s.rest()
	n := bytes.Index(rest, endCDATA)
	if n >= 0 {
		s.inCDATA = false
		s.text = rest[:n]
		s.pos += n + len(endCDATA)
		return n > 0, nil
	}
	n = len(rest) - len(endCDATA) + 1 // the window may end within the end mark
	if n <= 0 {
		if !s.fill() {
			return false, s.stop()
		}
		return false, nil
	}
	s.text = rest[:n]
	s.pos += n
	return true, nil
}

var (
	startCDATA   = []byte("<![CDATA[")
	endCDATA     = []byte("]]>")
	startComment = []byte("<!--")
	endComment   = []byte("-->")
	startPI      = []byte("<?")
	endPI        = []byte("?>")
)

// scanMarkup reads markup, which begins with '<'. It reports false for skipped markup.
func (s *scanner) scanMarkup() (tok token, found bool, err error) {
	for s.end-s.pos < 2 {
		if !s.fill() {
			return 0, false, s.stop()
		}
	}
	switch s.buf[s.pos+1] {
	case '/':
		return endTag, true, s.scanEndTag()
	case '?':
		return 0, false, s.skipPast(len(startPI), endPI)
	case '!':
		for s.end-s.pos < len(startCDATA) && s.fill() {
		}
		switch rest := s.rest(); {
		case bytes.HasPrefix(rest, startComment):
			return 0, false, s.skipPast(len(startComment), endComment)
		case bytes.HasPrefix(rest, startCDATA):
			s.pos += len(startCDATA)
			s.inCDATA = true
			return 0, false, nil
		default:
			if s.onDTD != nil {
				s.onDTD()
			}
			return 0, false, s.skipDeclaration()
		}
	default:
		return startTag, true, s.scanStartTag()
	}
}

// skipPast skips bytes and everything up to the end of the mark.
func (s *scanner) skipPast(skip int, mark []byte) error {
	s.pos += skip
	for {
		rest := s.rest()
		if n := bytes.Index(rest, mark); n >= 0 {
			s.pos += n + len(mark)
			return nil
		}
		if n := len(rest) - len(mark) + 1; n > 0 {
			s.pos += n
		}
		if !s.fill() {
			return s.stop()
		}
	}
}

// skipDeclaration skips "<!…>" with the declarations, strings, comments and instructions
// inside. A document type and its entities are not parsed (ROB-SMP-13).
func (s *scanner) skipDeclaration() error {
	s.pos += len("<!")
	depth := 1
	var quote byte
	for {
		for s.pos < s.end {
			c := s.buf[s.pos]
			switch {
			case quote != 0:
				if c == quote {
					quote = 0
				}
			case c == '"' || c == '\'':
				quote = c
			case c == '>':
				if depth--; depth == 0 {
					s.pos++
					return nil
				}
			case c == '<':
				for s.end-s.pos < len(startComment) && s.fill() {
				}
				start, end := startComment, endComment
				if bytes.HasPrefix(s.rest(), startPI) {
					start, end = startPI, endPI
				}
				if bytes.HasPrefix(s.rest(), start) {
					if err := s.skipPast(len(start), end); err != nil {
						return err
					}
					continue
				}
				depth++
			}
			s.pos++
		}
		if !s.fill() {
			return s.stop()
		}
	}
}

func (s *scanner) scanEndTag() error {
	n := 0
	for {
		rest := s.rest()
		if i := bytes.IndexByte(rest[n:], '>'); i >= 0 {
			n += i
			s.name = trim(rest[len("</"):n])
			s.pos += n + 1
			if len(s.name) == 0 || bytes.IndexByte(s.name, '<') >= 0 {
				return syntax("an end tag without a name")
			}
			return nil
		}
		n = len(rest)
		if !s.fill() {
			return s.stop()
		}
	}
}

func (s *scanner) scanStartTag() error {
	var quote byte
	n := 1
	for {
		rest := s.rest()
		for n < len(rest) {
			c := rest[n]
			switch {
			case quote != 0:
				i := bytes.IndexByte(rest[n:], quote)
				if i < 0 {
					i = len(rest) - n
				} else {
					quote = 0
				}
				if bytes.IndexByte(rest[n:n+i], '<') >= 0 {
					return syntax("'<' in an attribute")
				}
				n += i
			case c == '"' || c == '\'':
				quote = c
			case c == '<':
				return syntax("'<' in a tag")
			case c == '>':
				s.pos += n + 1
				return s.setTag(rest[1:n])
			}
			n++
		}
		n = len(rest)
		if !s.fill() {
			return s.stop()
		}
	}
}

// setTag splits the text between '<' and '>' of a start tag.
func (s *scanner) setTag(tag []byte) error {
	if s.empty = len(tag) > 0 && tag[len(tag)-1] == '/'; s.empty {
		tag = tag[:len(tag)-1]
	}
	if len(tag) == 0 || !isNameStart(tag[0]) {
		return syntax("'<' that does not begin a tag")
	}
	n := 1
	for n < len(tag) && !isSpace(tag[n]) && tag[n] != '/' {
		n++
	}
	s.name, s.attrs = tag[:n], tag[n:]
	return nil
}

// isNameStart reports whether a name can begin with c. It accepts all bytes outside ASCII,
// because unknown elements are skipped anyway.
func isNameStart(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c == ':' || c >= 0x80
}
