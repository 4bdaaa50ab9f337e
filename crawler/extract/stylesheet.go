package extract

import (
	"bytes"
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/css"

	"github.com/politecrawl/politecrawl/crawler/internal/charset"
	"github.com/politecrawl/politecrawl/crawler/internal/mimetype"
)

// sheetResources yields the references of a stylesheet that a browser may request: the targets of
// url(), image-set() and @import. It omits data: URLs, and URLs in conditions such as those of
// @supports. An @import counts only before all other rules. Lines are counted from 0.
func sheetResources(text []byte) iter.Seq[Resource] {
	return func(yield func(Resource) bool) {
		for _, c := range []struct{ old, now string }{{"\r\n", "\n"}, {"\x00", "\ufffd"}} {
			if bytes.Contains(text, []byte(c.old)) { // a large text is copied only if necessary
				text = bytes.ReplaceAll(text, []byte(c.old), []byte(c.now))
			}
		}
		in := parse.NewInputBytes(slices.Clip(text)) // it writes a NUL behind the text
		lexer, line, passed := css.NewLexer(in), 0, 0
		var s stylesheet
		for {
			kind, token := lexer.Next()
			switch kind {
			case css.ErrorToken:
				return
			case css.WhitespaceToken, css.CommentToken, css.CDOToken, css.CDCToken:
				continue
			}
			imported := s.rule == "import"
			if kind == css.URLToken && s.rule == "" || kind == css.StringToken && s.isImage() || imported && (kind == css.URLToken || kind == css.StringToken) {
				line += bytes.Count(text[passed:in.Offset()-len(token)], newline)
				passed = in.Offset() - len(token)
				if ref := cssText(token); isResource([]byte(ref)) && !yield(Resource{Ref: ref, Kind: "css", Imported: imported, Line: line}) {
					return
				}
			}
			s.next(kind, token)
		}
	}
}

// decodeText decodes a stylesheet (CSS Syntax, section 3.2) or a script: a byte order mark, the header, @charset,
// and UTF-8 where nothing is declared.
func decodeText(page *Page) Document {
	label := ""
	if t, ok := mimetype.Declared(page.Header); ok {
		label = t.Charset()
	}
	if rest, ok := bytes.CutPrefix(page.Body, []byte(`@charset "`)); ok && label == "" {
		name, _, found := bytes.Cut(rest[:min(len(rest), 1024)], []byte(`";`))
		if e, known := charset.Lookup(string(name)); found && known {
			label = e.Output().Name() // UTF-16 is a mistake here, and means UTF-8
		}
	}
	e := charset.Determine(page.Body, label, true)
	return Document{Encoding: e.Name(), Text: e.Decode(page.Body), encoding: e.Output().Encoding}
}

// A stylesheet is the place of a token in a stylesheet.
type stylesheet struct {
	open    []byte // what ends each open block and function; image stands for the end of image-set()
	rule    string // the at-rule that is open, or imported if its conditions follow; empty if none
	ruleAt  int    // len(open) when it began
	started bool   // an @import would be too late
}

// image marks the functions in which a string is the URL of an image.
const image = 'i'

func (s *stylesheet) isImage() bool {
	return s.rule == "" && len(s.open) > 0 && s.open[len(s.open)-1] == image
}

// next moves to the place after a token.
func (s *stylesheet) next(kind css.TokenType, token []byte) {
	switch {
	case s.rule == "import":
		s.rule = "imported"
	case s.rule == "" && kind != css.AtKeywordToken:
		s.started = true
	}
	switch kind {
	case css.AtKeywordToken:
		if s.rule != "" {
			return
		}
		s.rule, s.ruleAt = lowerASCII([]byte(unescapeCSS(token[1:]))), len(s.open)
		if s.rule == "import" && s.started {
			s.rule = "late"
		}
		s.started = s.started || s.rule == "namespace"
	case css.FunctionToken:
		end := byte(')')
		switch lowerASCII([]byte(unescapeCSS(token[:len(token)-1]))) {
		case "image-set", "-webkit-image-set", "url": // the last one in escapes
			end = image
		}
		s.open = append(s.open, end)
	case css.LeftParenthesisToken:
		s.open = append(s.open, ')')
	case css.LeftBracketToken:
		s.open = append(s.open, ']')
	case css.LeftBraceToken:
		s.started = true
		s.endRule()
		s.open = append(s.open, '}')
	case css.RightParenthesisToken, css.RightBracketToken, css.RightBraceToken:
		if last := len(s.open) - 1; last >= 0 && (s.open[last] == token[0] || s.open[last] == image && token[0] == ')') {
			s.open = s.open[:last]
			if last < s.ruleAt {
				s.rule = ""
			}
		}
	case css.SemicolonToken:
		s.endRule()
	}
}

// endRule ends an at-rule, unless a block or a function of it is open.
func (s *stylesheet) endRule() {
	if len(s.open) == s.ruleAt {
		s.rule = ""
	}
}

// cssText returns the text of a url() or a string.
func cssText(token []byte) string {
	end := byte(')')
	if token[0] != '"' && token[0] != '\'' { // url(
		_, token, _ = bytes.Cut(token, []byte("("))
		token = bytes.Trim(token, asciiSpace)
	}
	if len(token) > 0 && (token[0] == '"' || token[0] == '\'') {
		end, token = token[0], token[1:]
	}
	for i := 0; i < len(token); i++ {
		switch token[i] {
		case '\\':
			i++
		case end:
			token = token[:i]
		}
	}
	return trimReference(unescapeCSS(token))
}

// unescapeCSS decodes the escapes of a text.
func unescapeCSS(text []byte) string {
	if bytes.IndexByte(text, '\\') < 0 {
		return string(text)
	}
	var b strings.Builder
	for len(text) > 0 {
		c := text[0]
		text = text[1:]
		if c != '\\' {
			b.WriteByte(c)
			continue
		}
		const longest = 6
		n := 0
		for n < min(longest, len(text)) && isHex(text[n]) {
			n++
		}
		switch {
		case n > 0:
			code, _ := strconv.ParseUint(string(text[:n]), 16, 32) // at most six digits
			if code == 0 || code > utf8.MaxRune {
				code = utf8.RuneError
			}
			b.WriteRune(rune(code))
			if text = text[n:]; len(text) > 0 && isSpace(text[0]) {
				text = text[1:]
			}
		case len(text) == 0: // the end of the page
		case text[0] == '\n', text[0] == '\r', text[0] == '\f': // a string continues
			text = text[1:]
		default:
			b.WriteByte(text[0])
			text = text[1:]
		}
	}
	return b.String()
}

func isHex(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }
