package extract

import (
	"bytes"
	"strings"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/js"
)

// ReadScript calls f for each module that a script imports, by a statement or by import() of a string. Names of
// packages are left out. The page is that of the script.
func ReadScript(page Page, f func(Resource)) {
	doc := decodeText(&page, "")
	c := newCollector(&page, &doc, &Handlers{Link: func(Link) {}, Resource: f, Modules: true}, baseElement{})
	c.scriptText(doc.Text)
}

// scriptText reports the modules that the text of a script imports, if Handlers.Modules is set.
func (c *collector) scriptText(text []byte) {
	if c.on.Resource == nil || !c.on.Modules || !bytes.Contains(text, []byte("import")) && !bytes.Contains(text, []byte("from")) {
		return
	}
	lexer := js.NewLexer(parse.NewInputBytes(bytes.Clone(text))) // it writes a NUL behind the text
	var last [2]js.TokenType
	for {
		kind, token := lexer.Next()
		if kind == js.DivToken && !endsOperand(last[1]) {
			kind, token = lexer.RegExp()
		}
		switch kind {
		case js.ErrorToken:
			return
		case js.WhitespaceToken, js.LineTerminatorToken, js.CommentToken, js.CommentLineTerminatorToken:
			continue
		case js.StringToken:
			ref := string(token[1 : len(token)-1])
			if last[1] == js.ImportToken || last[1] == js.FromToken || last == [2]js.TokenType{js.ImportToken, js.OpenParenToken} {
				if isModuleRef(ref) {
					c.addResource(Resource{Ref: ref, Kind: "script", As: "script"})
				}
			}
		}
		last = [2]js.TokenType{last[1], kind}
	}
}

// isModuleRef reports whether browsers resolve the name of a module as a URL. Others need an import map.
func isModuleRef(ref string) bool {
	for _, start := range []string{"/", "./", "../", "http://", "https://"} {
		if strings.HasPrefix(ref, start) {
			return !strings.Contains(ref, `\`)
		}
	}
	return false
}

// endsOperand reports whether a slash after a token divides. Elsewhere it begins a regular expression.
func endsOperand(kind js.TokenType) bool {
	switch kind {
	case js.StringToken, js.TemplateToken, js.TemplateEndToken, js.RegExpToken, js.CloseParenToken, js.CloseBracketToken, js.CloseBraceToken,
		js.PrivateIdentifierToken, js.ThisToken, js.SuperToken, js.NullToken, js.TrueToken, js.FalseToken, js.IncrToken, js.DecrToken:
		return true
	}
	return js.IsIdentifier(kind) || js.IsNumeric(kind)
}
