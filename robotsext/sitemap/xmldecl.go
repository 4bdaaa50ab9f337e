package sitemap

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// instruction checks a processing instruction or the XML declaration.
func (c *checker) instruction(start place) {
	c.limit = start.offset + windowSize
	name := c.name()
	c.limit = 0
	switch {
	case name == "xml" && start.offset == c.origin:
		c.decl = true
		c.xmlDeclaration(start)
		return
	case name == "xml" && !c.rooted && !c.decl:
		c.fail(start, "", "remove everything before <?xml", "an XML declaration that is not at the start of the file")
	case name == "xml":
		c.fail(start, "", "remove it", "a second XML declaration")
	case name == "" || strings.Contains(name, ":") || strings.EqualFold(name, "xml") || c.c != '?' && !isBlank(c.c):
		if c.c == noChar {
			c.truncated()
		}
		c.fail(start, "", "remove it", "a processing instruction with an invalid name")
	}
	c.skipTo("?>")
}

// xmlDeclaration checks the rest of an XML declaration.
func (c *checker) xmlDeclaration(start place) {
	const fix = `write <?xml version="1.0" encoding="UTF-8"?>`
	c.limit = start.offset + windowSize
	defer func() { c.limit = 0 }()
	parts := []string{"version", "encoding", "standalone"}
	for first := true; ; first = false {
		blank := c.blanks()
		at := c.at
		if !first && c.accept("?>") {
			return
		}
		name := c.name()
		i := slices.Index(parts, name)
		value, ok := c.pseudoValue()
		switch {
		case c.c == noChar:
			c.truncated()
		case !blank || i < 0 || first && i > 0 || !ok || !validPart(name, value):
			c.fail(at, "", fix, "an invalid XML declaration")
		case name == "encoding" && !c.isEncoding(strings.ToLower(value)):
			c.fail(at, "", `declare encoding="`+strings.ToUpper(c.charset)+`"`, "the declared encoding is %s, but the file is %s", value, strings.ToUpper(c.charset))
		}
		if c.ended {
			return
		}
		parts = parts[i+1:]
	}
}

// pseudoValue reads "=" and a quoted value of an XML declaration.
func (c *checker) pseudoValue() (value string, ok bool) {
	c.blanks()
	if !c.accept("=") {
		return "", false
	}
	c.blanks()
	quote := c.c
	if quote != '"' && quote != '\'' {
		return "", false
	}
	var b strings.Builder
	for c.next(); c.c != quote && c.c != noChar; c.next() {
		b.WriteRune(c.c)
	}
	return b.String(), c.accept(string(quote))
}

// validPart reports whether a part of an XML declaration has a valid value.
func validPart(name, value string) bool {
	switch name {
	case "version":
		return value == "1.0"
	case "standalone":
		return value == "yes" || value == "no"
	}
	return strings.IndexFunc(value, func(r rune) bool { return r >= utf8.RuneSelf || r == ':' || !isNameChar(r) }) < 0 &&
		value != "" && isNameStart(value[0]) && value[0] != '_'
}

// isEncoding reports whether the body is in the encoding that it declares.
func (c *checker) isEncoding(declared string) bool {
	switch c.charset {
	case "utf-16le", "utf-16be":
		return declared == "utf-16" || declared == c.charset
	case "utf-8":
		return slices.Contains([]string{"utf-8", "utf8", "us-ascii", "ascii"}, declared)
	}
	return true
}
