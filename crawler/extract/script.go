package extract

import (
	"bytes"
	"regexp"

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
	var open []bool // the open parentheses; true: a condition, after which a regular expression may follow
	condition := false
	for {
		kind, token := lexer.Next()
		if (kind == js.DivToken || kind == js.DivEqToken) && (condition && last[1] == js.CloseParenToken || !endsOperand(last[1])) {
			kind, token = lexer.RegExp()
		}
		switch kind {
		case js.ErrorToken:
			return
		case js.WhitespaceToken, js.LineTerminatorToken, js.CommentToken, js.CommentLineTerminatorToken:
			continue
		case js.StringToken:
			ref := string(token[1 : len(token)-1])
			if imports := last[1] == js.ImportToken || last[1] == js.FromToken || last == [2]js.TokenType{js.ImportToken, js.OpenParenToken}; imports && moduleRef.MatchString(ref) {
				c.addResource(Resource{Ref: ref, Kind: "script", As: asModule})
			}
		case js.OpenParenToken:
			open = append(open, last[1] == js.IfToken || last[1] == js.WhileToken || last[1] == js.ForToken || last[1] == js.WithToken)
		case js.CloseParenToken:
			if n := len(open) - 1; n >= 0 {
				condition, open = open[n], open[:n]
			}
		}
		last = [2]js.TokenType{last[1], kind}
	}
}

// moduleRef matches names of modules that browsers resolve as URLs. Others need an import map.
var moduleRef = regexp.MustCompile(`^(\.{0,2}/|https?://)[^\\]*$`)

// endsOperand reports whether a slash after a token divides. Elsewhere it begins a regular expression.
func endsOperand(kind js.TokenType) bool {
	switch kind {
	case js.StringToken, js.TemplateToken, js.TemplateEndToken, js.RegExpToken, js.CloseParenToken, js.CloseBracketToken, js.CloseBraceToken,
		js.PrivateIdentifierToken, js.ThisToken, js.SuperToken, js.NullToken, js.TrueToken, js.FalseToken, js.IncrToken, js.DecrToken:
		return true
	}
	return js.IsIdentifier(kind) || js.IsNumeric(kind)
}
