package sitemap

import (
	"bytes"
	"regexp"
	"strings"
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

// declarationForm is the form of an XML declaration after "<?xml", and encoding its encoding.
var declarationForm = regexp.MustCompile(strings.NewReplacer(" = ", `[ \t\r\n]*=[ \t\r\n]*`, "_", `[ \t\r\n]`).Replace(
	`^_+version = ("1\.0"|'1\.0')(_+encoding = ["'][A-Za-z][A-Za-z0-9.\-\x5F]*["'])?(_+standalone = ("yes"|"no"|'yes'|'no'))?_*\?>$`))

// xmlDeclaration checks the rest of an XML declaration.
func (c *checker) xmlDeclaration(start place) {
	c.limit = start.offset + windowSize
	c.capture()
	c.skipTo("?>")
	c.limit = 0
	parts := declarationForm.FindSubmatch(c.captured())
	if parts == nil {
		c.fail(start, "", `write <?xml version="1.0" encoding="UTF-8"?>`, "an invalid XML declaration")
		return
	}
	if _, value, ok := bytes.Cut(bytes.ToLower(parts[2]), []byte("=")); ok && !c.isEncoding(string(bytes.Trim(value, " \t\r\n\"'"))) {
		charset := strings.ToUpper(c.charset)
		c.fail(start, "", `declare encoding="`+charset+`"`, "the declared encoding is another one than that of the file, "+charset)
	}
}

// isEncoding reports whether the body can be in the encoding that it declares.
func (c *checker) isEncoding(declared string) bool {
	switch c.charset {
	case "utf-16le", "utf-16be":
		return declared == "utf-16" || declared == c.charset
	case "utf-8":
		if declared == "us-ascii" || declared == "ascii" {
			c.charset = declared // a part of UTF-8
			return true
		}
		return declared == "utf-8" || declared == "utf8"
	}
	return true
}
