package oracle

import "strings"

// xhtml writes an XHTML page. One of four is not well formed at its end.
func (g *generator) xhtml() {
	language := languages[g.r.IntN(len(languages))]
	label := language.labels[g.r.IntN(len(language.labels))]
	contentType := "application/xhtml+xml"
	var declaration string
	switch g.r.IntN(5) {
	case 0:
		contentType += "; charset=" + label
		declaration = g.pick("", `<?xml version="1.0"?>`, `<?xml version="1.0" encoding="`+g.pick("utf-8", "iso-8859-1", "koi8-r")+`"?>`)
	case 1, 2:
		declaration = g.pick(`<?xml version="1.0" encoding="`+label+`"?>`, `<?xml version='1.0' encoding='`+label+`' standalone="no" ?>`)
	default:
		language = languages[0]
		declaration = g.pick("", "", `<?xml version="1.0" encoding="utf-8"?>`, "<?xml version='1.0'?>\n")
	}
	g.field("Content-Type", g.pick(contentType, contentType, strings.ToUpper(contentType[:11])+contentType[11:], "text/html, "+contentType))
	if language.name == "utf-8" && g.one(4) {
		g.bytes("\xef\xbb\xbf")
	}
	g.useLanguage(language.name, language.script)
	entities := g.one(3)
	g.write(declaration)
	if entities {
		g.write(g.pick(
			`<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">`,
			`<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">`,
			`<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1//EN" "http://www.w3.org/TR/xhtml11/DTD/xhtml11.dtd">`,
		))
	} else {
		g.write(g.pick("", "<!DOCTYPE html>", "<!-- x -->", "\n<?x y?>"))
	}
	x := &xhtml{g, "", entities}
	root := `html xmlns="http://www.w3.org/1999/xhtml" xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:s="http://www.w3.org/2000/svg"`
	if g.one(4) {
		x.prefix = "h:"
		root = `h:html xmlns:h="http://www.w3.org/1999/xhtml" xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:s="http://www.w3.org/2000/svg"`
	}
	g.write("<" + root + ">")
	x.element("head", "", func() {
		for range 1 + g.r.IntN(4) {
			x.metadata()
		}
	})
	x.element("body", "", func() {
		for range 3 + g.r.IntN(8) {
			x.block()
		}
		if g.one(4) {
			g.write(g.pick("<p>", "</q>", "&nosuch;", "<", "<a href=x>", "<a href='x' href='y'/>", "<u:x/>", "&", "<!-- -- -->", "]]>", "</"+x.prefix+"body></"+x.prefix+"html><x/>", "<a b='<'/>", "<?xml version='1.0'?>"))
			x.block()
		}
	})
	g.write("</" + x.prefix + "html>")
	g.write(g.pick("", "\n", "<!-- x -->"))
}

// An xhtml writes the elements of an XHTML page.
type xhtml struct {
	*generator
	prefix   string // of the names of its elements
	entities bool   // those of the XHTML DTDs are declared
}

// element writes an element. Without content it is an empty one.
func (x *xhtml) element(name, attributes string, content func()) {
	if content == nil {
		x.write("<" + x.prefix + name + attributes + x.pick("/>", " />", "></"+x.prefix+name+">"))
		return
	}
	x.write("<" + x.prefix + name + attributes + ">")
	content()
	x.write("</" + x.prefix + name + ">")
}

// attribute writes an attribute of XML.
func (x *xhtml) attribute(name, value string) string {
	value = strings.ReplaceAll(strings.ReplaceAll(value, "&", "&amp;"), "<", "&lt;")
	if x.one(2) {
		return " " + name + "='" + strings.ReplaceAll(value, "'", "&apos;") + "'"
	}
	return "\n" + name + ` = "` + strings.ReplaceAll(value, `"`, "&quot;") + `"`
}

// reference returns an attribute that refers to another page.
func (x *xhtml) reference(name string) string {
	p := x.name()
	switch x.r.IntN(8) {
	case 0:
		return x.attribute(name, x.pick(p+x.letters(), "?q="+x.letters(), "http://example.org/"+p+"?"+x.letters(), "\u00a0"+p, " "+p+" ", "//example.org/"+p, "../"+p, "#"+p, "", "mailto:"+p, "javascript:"+p, "/"+p))
	case 1:
		return " " + name + `="` + x.pick(p+"&#xe9;", p+"?a=1&amp;b=2", "&#32;"+p+"&#9;", p+"?&lt;&gt;&apos;", p+"\n", "\t"+p, p+"&#10;x") + `"`
	case 2:
		if x.entities {
			return " " + name + `="` + x.pick(p+"&nbsp;", p+"?&eacute;&amp;&hellip;", "&Omega;"+p) + `"`
		}
	}
	return x.attribute(name, p)
}

// metadata writes an element of the head.
func (x *xhtml) metadata() {
	switch x.r.IntN(7) {
	case 0, 1:
		if x.one(4) {
			x.element("title", "", nil)
			return
		}
		x.element("title", "", func() {
			x.write(x.pick("Title ", "  a \n b ", "&lt;b&gt;", "<![CDATA[<a href='x'>]]>", "x<!-- y -->z", "&#233;"))
			x.write(x.letters())
			if x.entities {
				x.write("&copy;&nbsp;")
			}
		})
	case 2:
		x.element("base", x.attribute("href", x.pick("/base/", "sub/", "http://base.example/dir/", "", "data:x", "?q")), nil)
	case 3:
		x.element("link", x.attribute("rel", x.pick("canonical", "Canonical alternate", "next", "prev"))+x.reference("href"), nil)
	case 4:
		x.element("script", x.attribute("src", "x"), nil)
	case 5:
		x.element("script", "", func() { x.write("//<![CDATA[\nif (a < b && c) '<a href=\"no\">'\n//]]>") })
	case 6:
		x.element("meta", x.attribute("http-equiv", "refresh")+x.attribute("content", "60;url="+x.name()), nil)
	}
}

// block writes a piece of the body.
func (x *xhtml) block() {
	switch x.r.IntN(16) {
	case 0:
		x.element(x.pick("textarea", "iframe", "xmp", "noscript", "style", "title", "option", "select", "table", "p", "noembed"), "", func() { x.element("a", x.reference("href"), nil) })
	case 1:
		x.element(x.pick("script", "style", "textarea", "div", "a", "iframe", "title", "plaintext"), "", nil)
	case 2:
		x.write("<![CDATA[<a href='" + x.name() + "'>]]>")
	case 3:
		x.write("<!--<a href='"+x.name()+"'/>-->", "<?x <a href='"+x.name()+"'/> ?>")
	case 4:
		x.write("<A href='x'/>", "<x:a xmlns:x='http://www.w3.org/1999/xhtml' href='"+x.name()+"'/>", "<a xmlns='' href='"+x.name()+"'/>", "<x:a xmlns:x='urn:x' href='"+x.name()+"'/>")
	case 5:
		x.write("<svg xmlns='http://www.w3.org/2000/svg'><a"+x.reference("xlink:href")+"/><title>x</title></svg>", "<s:svg><s:a"+x.reference("href")+"/></s:svg>")
	case 6:
		x.element("div", x.attribute("xml:base", "/no/"), func() { x.element("a", x.reference("href"), nil) })
	case 7:
		x.element("template", "", func() { x.element("a", x.reference("href"), nil) })
	case 8:
		x.element("iframe", x.reference("src"), nil)
	case 9:
		x.write("<math xmlns='http://www.w3.org/1998/Math/MathML'><mi href='x'/></math>")
	case 10:
		x.element("a", x.attribute("HREF", "x"), nil)
	case 11:
		x.metadata()
	default:
		x.element("p", "", func() { x.element("a", x.reference("href"), func() { x.write(x.letters()) }) })
	}
}
