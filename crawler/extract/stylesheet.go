package extract

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/css"

	"github.com/politecrawl/politecrawl/crawler/internal/charset"
	"github.com/politecrawl/politecrawl/crawler/internal/mimetype"
)

// stylesheet calls f for each reference of a stylesheet: the targets of url() and @import.
// It does not report data: URLs.
func stylesheet(text []byte, f func(ref string, imported bool)) {
	lexer := css.NewLexer(parse.NewInputBytes(bytes.ReplaceAll(text, []byte{0}, []byte(" ")))) // it would end at NUL
	rule := ""                                                                                 // the at-rule that has begun; empty: none
	for {
		kind, token := lexer.Next()
		switch kind {
		case css.ErrorToken:
			return
		case css.AtKeywordToken:
			rule = strings.ToLower(unescapeCSS(token[1:]))
			continue
		case css.WhitespaceToken, css.CommentToken:
			continue
		case css.URLToken, css.StringToken:
			ref := cssText(kind, token)
			isName := rule == "namespace" || strings.HasSuffix(rule, "document") // not a resource
			if (kind == css.URLToken || rule == "import") && !isName && isResource([]byte(ref)) {
				f(ref, rule == "import")
			}
		case css.SemicolonToken, css.LeftBraceToken:
			rule = ""
		}
		if rule == "import" {
			rule = "imported" // conditions follow
		}
	}
}

// decodeStylesheet decodes a stylesheet (CSS Syntax, section 3.2): a byte order mark, the header, @charset,
// and UTF-8 where nothing is declared.
func decodeStylesheet(page *Page) Document {
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
	return Document{Encoding: e.Name(), Text: e.Decode(page.Body), encoding: e.Output()}
}

// cssText returns the text of a url() or a string.
func cssText(kind css.TokenType, token []byte) string {
	if kind == css.URLToken {
		_, token, _ = bytes.Cut(token, []byte("("))
		token = bytes.TrimSpace(bytes.TrimSuffix(token, []byte(")")))
	}
	if len(token) > 0 && (token[0] == '"' || token[0] == '\'') {
		token = bytes.TrimSuffix(token[1:], token[:1])
	}
	return strings.TrimSpace(unescapeCSS(token))
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
		if c != '\\' || len(text) == 0 {
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
		case text[0] == '\n': // a string continues
			text = text[1:]
		default:
			b.WriteByte(text[0])
			text = text[1:]
		}
	}
	return b.String()
}

func isHex(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }
