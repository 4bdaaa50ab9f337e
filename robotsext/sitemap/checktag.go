package sitemap

import (
	"strconv"
	"strings"
)

const (
	xmlNamespace   = "http://www.w3.org/XML/1998/namespace"
	xmlnsNamespace = "http://www.w3.org/2000/xmlns/"
)

// attribute is an attribute with a prefix.
type attribute struct {
	prefix, local string
	at            place
}

// startTag checks a start tag, and opens its element.
func (c *checker) startTag(start place) {
	if len(c.open) == 0 && c.rooted {
		c.inside(start, "an element")
		return
	}
	c.limit = start.offset + windowSize
	defer func() { c.limit = 0 }()
	name := c.name()
	if name == "" {
		if c.c == noChar {
			c.truncated()
		}
		c.fail(start, "", "write &lt; for <", "'<' that does not begin a tag")
		return
	}
	prefix, local, ok := c.qualified(start, name)
	if !ok {
		return
	}
	if len(c.open) == maxDepth || c.names+len(name) > maxNames {
		c.giveUp() // the scanner reports it
		return
	}
	outside := len(c.shadows)
	empty := c.attributes()
	if c.ended {
		return
	}
	uri, declared := c.uris[prefix]
	if prefix != "" && !declared {
		c.undeclared(start, prefix)
		return
	}
	c.rooted = true
	c.names += len(name)
	c.open = append(c.open, openElement{name: name, shadows: outside, role: c.checkNamespace(start, prefix, local, uri)})
	if empty {
		c.closeElement()
	}
	c.next() // after all findings about the tag, because it waits for more of the body
}

// endTag checks an end tag, and closes its element.
func (c *checker) endTag(start place) {
	if !c.inside(start, "an end tag") {
		return
	}
	c.limit = start.offset + windowSize
	defer func() { c.limit = 0 }()
	name := c.name()
	c.blanks()
	want := c.open[len(c.open)-1].name
	switch {
	case c.c == noChar:
		c.truncated()
	case name == want && c.accept(">"):
		c.closeElement()
	default:
		c.fail(start, "", "write </"+cut([]byte(want))+">", "not the end tag of <"+cut([]byte(want))+">")
	}
}

func (c *checker) closeElement() {
	e := c.open[len(c.open)-1]
	c.open = c.open[:len(c.open)-1]
	c.names -= len(e.name)
	for len(c.shadows) > e.shadows {
		s := c.shadows[len(c.shadows)-1]
		c.shadows = c.shadows[:len(c.shadows)-1]
		if c.uris[s.prefix] = s.uri; !s.declared {
			delete(c.uris, s.prefix)
		}
	}
}

// qualified splits a name at its colon.
func (c *checker) qualified(at place, name string) (prefix, local string, ok bool) {
	prefix, local, hasColon := strings.Cut(name, ":")
	if !hasColon {
		return "", name, !c.ended
	}
	if prefix == "" || !validName(local) || strings.Contains(local, ":") {
		c.fail(at, "", "write a prefix, a colon and a name", "the name "+cut([]byte(name))+" is invalid")
	}
	return prefix, local, !c.ended
}

func (c *checker) undeclared(at place, prefix string) {
	fix := "declare it at the root element"
	if uri := namespaceURIs[conventional([]byte(prefix))]; uri != "" {
		fix = xmlnsFix(prefix, uri)
	}
	c.fail(at, "", fix, "the prefix "+cut([]byte(prefix))+" is not declared")
}

// attributes checks a start tag up to its '>', and declares its prefixes.
func (c *checker) attributes() (empty bool) {
	clear(c.attrs)
	var prefixed []attribute
	for {
		blank := c.blanks()
		at := c.at
		switch {
		case c.c == '>':
			c.useAttributes(prefixed)
			return false
		case c.accept("/"):
			if c.c == '>' {
				c.useAttributes(prefixed)
				return true
			}
			c.fail(at, "", "write /> or remove the slash", "'/' in a tag")
		case c.c == noChar:
			c.truncated()
		case !blank:
			c.fail(at, "", "write a space, or remove it", strconv.QuoteRune(c.c)+" directly after a name or a value")
		}
		if c.ended {
			return false
		}
		name := c.name()
		prefix, local, ok := c.qualified(at, name)
		if !ok || !c.attribute(at, name, prefix, local) {
			return false
		}
		if prefix != "" && prefix != "xmlns" {
			prefixed = append(prefixed, attribute{prefix, local, at})
		}
	}
}

// attribute checks an attribute after its name.
func (c *checker) attribute(at place, name, prefix, local string) bool {
	if name == "" {
		c.fail(at, "", "remove it", strconv.QuoteRune(c.c)+" does not begin the name of an attribute")
		return false
	}
	c.blanks()
	if !c.accept("=") {
		if c.c == noChar {
			c.truncated()
		}
		c.fail(at, "", "write "+cut([]byte(name))+`="…"`, "an attribute without a value")
		return false
	}
	c.blanks()
	value, ok := c.attributeValue()
	if !ok {
		return false
	}
	if c.attrs[name] {
		c.fail(at, "", "remove one of them", "the attribute "+cut([]byte(name))+" is there twice")
		return false
	}
	c.attrs[name] = true
	switch {
	case name == "xmlns":
		c.declare(at, "", value)
	case prefix == "xmlns":
		c.declare(at, local, value)
	}
	return !c.ended
}

// attributeValue reads a quoted value.
func (c *checker) attributeValue() (value []byte, ok bool) {
	quote := c.c
	switch quote {
	case '"', '\'':
	case noChar:
		c.truncated()
		return nil, false
	default:
		c.fail(c.at, "", "write quotes around the value", "the value of an attribute without quotes")
		return nil, false
	}
	c.next()
	c.capture()
	for c.c != quote {
		switch c.c {
		case '&':
			c.reference()
			continue
		case '<':
			c.fail(c.at, "", "write &lt; for <", "'<' in an attribute")
		case noChar:
			c.truncated()
		}
		if c.ended {
			return nil, false
		}
		c.next()
	}
	value = c.captured()
	c.next()
	return value, true
}

// declare declares a prefix, until the end of the current element.
func (c *checker) declare(at place, prefix string, value []byte) {
	text, _ := appendText(nil, value)
	uri := string(text)
	switch {
	case prefix == "xmlns", (prefix == "xml") != (uri == xmlNamespace), uri == xmlnsNamespace:
		c.fail(at, "", "remove it", "the declaration of a reserved prefix or namespace")
		return
	case prefix != "" && uri == "":
		c.fail(at, "", "write a namespace, or remove it", "a prefix without a namespace")
		return
	case len(c.shadows) == maxShadows:
		c.giveUp()
		return
	}
	old, declared := c.uris[prefix]
	c.shadows = append(c.shadows, shadow{prefix, old, declared})
	c.uris[prefix] = uri
}

// useAttributes looks up the namespaces of the attributes of a tag.
func (c *checker) useAttributes(prefixed []attribute) {
	for _, a := range prefixed {
		uri, declared := c.uris[a.prefix]
		if !declared {
			c.undeclared(a.at, a.prefix)
			return
		}
		key := a.local + " " + uri // no name has a space
		if c.attrs[key] {
			c.fail(a.at, "", "remove one of them", "the attribute "+cut([]byte(a.local))+" is there twice, with two prefixes")
			return
		}
		c.attrs[key] = true
	}
}
