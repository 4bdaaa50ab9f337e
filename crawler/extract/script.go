package extract

import "regexp"

// ReadScript calls f for each module that a module imports by its URL, in a statement or by import() of a string. The
// page is that of the module. The module is searched, not parsed, so f may also get a URL in a string of the module.
func ReadScript(page Page, f func(Resource)) {
	doc := decodeText(&page)
	c := newCollector(&page, &doc, &Handlers{Resource: f, Requisites: true}, baseElement{})
	c.scriptText(doc.Text)
}

// imports matches a comment, or an import with its URL. Other names of modules need an import map. A comment begins a
// line, or is one of JSDoc, which imports types: elsewhere the same characters are often in a string. It may be
// unclosed, since a search for its end after each import would take too long.
var imports = regexp.MustCompile(`(?m)^\s*//.*|(?s:(?:^\s*/\*|/\*\*\s).*?(?:\*/|\z))|\b(?:import\s*\(?|from)\s*["']((?:\.{0,2}/|https?://)[^"'\\\s]*)["']`)

// maxImports limits the imports and comments of a script that are read: a hostile one may have millions.
const maxImports = 100_000

// scriptText reports the modules that the text of a script imports, if Handlers.Requisites is set.
func (c *collector) scriptText(text []byte) {
	if c.on.Resource == nil || !c.on.Requisites {
		return
	}
	for _, match := range imports.FindAllSubmatch(text, maxImports) {
		if match[1] != nil {
			c.addResource(Resource{Ref: string(match[1]), Kind: "module"})
		}
	}
}
