package extract

import (
	"bytes"

	"golang.org/x/net/html"
)

// openElements are the elements around a place of a page, without html, head and body. As long as
// every tag is where it should be, the stack is that of the HTML standard (13.2.4.2).
type openElements struct {
	stack    []openElement
	around   ancestors // of the place
	part     part
	seen     bool // an element or its end tag was seen
	headSeen bool // the head has begun
}

type openElement struct {
	*element
	around ancestors // of it
}

// A part is how far the reading of a page is.
type part uint8

const (
	partHead part = iota
	partAfterHead
	partBody
)

const (
	// usualDepth is how deeply elements are nested on most pages.
	usualDepth = 32

	// maxStack is how deeply they may be nested. The tree has html and body in addition.
	maxStack = maxDepth - 2
)

// in reports whether the place is in one of these ancestors.
func (o *openElements) in(what ancestors) bool { return o.around&what != 0 }

// top returns the innermost open element.
func (o *openElements) top() *element { return o.below(0) }

// below returns the open element with n others inside it, or unknown if there is none.
func (o *openElements) below(n int) *element {
	if n = len(o.stack) - 1 - n; n < 0 {
		return unknown
	}
	return o.stack[n].element
}

// doubt notes that the tree decides.
func (r *tokenReader) doubt() { r.unsure = !r.lenient }

// addText adds text of the page.
func (r *tokenReader) addText(text []byte) {
	top := r.top()
	switch {
	case r.in(inTemplate): // lenient
		return
	case r.in(inSVG) && top.kind&rawText != 0:
		if top.tag != tagStyle {
			return
		}
		if r.doubt(); r.lenient { // a < splits its text
			r.styleText([]byte(html.UnescapeString(string(text))), false)
		}
		return
	case top.kind&tableContext == 0 && r.part == partBody:
	case len(bytes.TrimLeft(text, " \t\n\r\f")) == 0: // it has no effect there
	case top.kind&tableContext != 0, len(r.stack) > 0: // it moves before the table, or ends a noscript in the head
		r.doubt()
	default:
		r.part = partBody
	}
	r.visible(text)
}

// open reads the start tag of an element.
func (r *tokenReader) open(e *element, name []byte, closed bool) {
	if !r.prepare(e) || len(r.stack) >= maxStack {
		r.doubt()
	}
	r.seen = true
	hidden, drawing := r.in(inTemplate), e.tag == tagSVG || r.in(inSVG)
	if e.name == "image" && !drawing {
		e = imgElement
	}
	if !r.unsure && !hidden {
		r.svg, r.head = drawing, r.part != partBody && len(r.stack) == 0
		r.start(e)
	}
	switch {
	case r.unsure:
	case drawing && closed, !drawing && e.kind&(void|outline) != 0:
		r.end(e)
	case len(r.stack) < maxStack && (!hidden || e.tag == tagTemplate):
		r.push(e, name)
		fallthrough
	default:
		if !drawing && e.kind&rawText != 0 {
			r.startRawText(e)
		}
	}
}

// push adds an element to the open elements.
func (r *tokenReader) push(e *element, name []byte) {
	if e == unknown {
		e = &element{name: string(name)}
	}
	r.stack = append(r.stack, openElement{e, r.around})
	if !r.in(inSVG) {
		r.around = r.around&^e.stops | e.sets
	}
}

// prepare ends the elements that a start tag ends. It returns false if the tag has another effect too,
// or if its effect depends on more than the open elements.
func (r *tokenReader) prepare(e *element) bool {
	switch {
	case r.in(inSVG):
		top := r.top() // text alone is the same in HTML and in SVG
		return e.kind&breaksOut == 0 && e.name != "foreignobject" && top.tag != tagDescription && top.kind&rawText == 0
	case e.kind&needsTree != 0, e.kind&outline != 0 && r.part == partBody:
		return false
	case r.in(inSelect):
		return r.prepareOption(e)
	case r.part != partBody && !r.prepareHead(e):
		return false
	case e.kind&tablePart != 0:
		return r.prepareTablePart(e)
	case r.top().kind&tableContext != 0:
		return e.name == "script" || e.tag == tagStyle
	case e.sets&(inA|inButton|inForm) != 0 && r.in(e.sets&(inA|inButton|inForm)):
		return false
	case e.kind&annotation != 0:
		if r.top().kind&annotation != 0 {
			r.pop()
		}
		return r.top().tag == tagRuby
	case e.tag == tagTable: // whether it ends a p depends on the doctype
		return !r.in(inParagraph)
	case e.tag == tagOption || e.tag == tagOptgroup:
		if r.top().tag == tagOption {
			r.pop()
		}
		return true
	case e.tag == tagItem:
		return r.prepareItem(tagItem, inItem)
	case e.tag == tagTerm:
		return r.prepareItem(tagTerm, inTerm)
	case e.kind&closesP != 0:
		if !r.closeParagraph() {
			return false
		}
		if e.kind&heading != 0 && r.top().kind&heading != 0 {
			r.pop()
		}
	}
	return true
}

// prepareHead decides about a start tag before the body.
func (r *tokenReader) prepareHead(e *element) bool {
	switch {
	case e.tag == tagHTML:
		return !r.seen
	case e.tag == tagHead:
		fresh := r.part == partHead && !r.headSeen
		r.headSeen = true
		return fresh
	case e.kind&inHead != 0 && (e.tag != tagNoscript || r.part == partHead):
		r.headSeen = true
		// In a noscript of the head, a title or a base is misplaced.
		return len(r.stack) == 0 || e.tag == tagLink || e.tag == tagMeta || e.tag == tagStyle
	case len(r.stack) > 0: // a noscript, which it ends
		return false
	}
	r.part = partBody
	return true
}

// closeParagraph ends the p that a block ends.
func (r *tokenReader) closeParagraph() bool {
	switch {
	case !r.in(inParagraph):
	case r.top().tag == tagParagraph:
		r.pop()
	default:
		return false
	}
	return true
}

// prepareItem ends the li, or the dt or dd, that the next one ends.
func (r *tokenReader) prepareItem(t tag, open ancestors) bool {
	if !r.in(open) {
		return r.closeParagraph()
	}
	if r.top().tag == tagParagraph {
		r.pop()
	}
	if r.top().tag != t {
		return false
	}
	r.pop()
	return r.closeParagraph()
}

// prepareOption decides about a start tag in a select element.
func (r *tokenReader) prepareOption(e *element) bool {
	if e.tag != tagOption && e.tag != tagOptgroup {
		return false
	}
	if r.top().tag == tagOption {
		r.pop()
	}
	if e.tag == tagOptgroup && r.top().tag == tagOptgroup {
		r.pop()
	}
	return r.top().tag == tagSelect || r.top().tag == tagOptgroup
}

// prepareTablePart ends the cell, the row or the group of rows before a part of a table.
func (r *tokenReader) prepareTablePart(e *element) bool {
	if e.kind&cell == 0 || r.top().tag != tagRow {
		r.endCell()
	}
	switch {
	case e.kind&cell != 0:
		return r.top().tag == tagRow
	case r.top().tag == tagRow:
		r.pop()
	}
	switch e.tag {
	case tagRow:
		return r.top().tag == tagTable || r.top().kind&rowGroup != 0
	case tagCol:
		return r.top().tag == tagColgroup
	case tagCaption, tagColgroup:
		return r.top().tag == tagTable
	}
	if r.top().kind&rowGroup != 0 {
		r.pop()
	}
	return r.top().tag == tagTable
}

// endCell ends the cell of a table, if nothing in it is open that needs an end tag.
func (r *tokenReader) endCell() {
	n := 0
	for r.below(n).kind&optionalEnd != 0 {
		n++
	}
	if r.below(n).kind&cell != 0 {
		r.popAll(n + 1)
	}
}

// close reads the end tag of an element.
func (r *tokenReader) close(name []byte) {
	if r.isTop(0, name) {
		r.pop()
		return
	}
	e := elementOf(name)
	switch {
	case e.tag == tagHTML, e.tag == tagBody: // what follows belongs to the body too
		r.seen = true
		r.part = max(r.part, partAfterHead)
		return
	case e.tag == tagHead:
		if r.seen = true; len(r.stack) > 0 {
			r.doubt()
		}
		r.part = max(r.part, partAfterHead)
		return
	case e.kind&impliesEnds != 0 && !r.in(inSVG):
		n := 0
		for r.below(n).kind&optionalEnd != 0 && r.below(n) != e {
			n++
		}
		if r.below(n).kind&cell != 0 && (e.tag == tagRow || e.kind&rowGroup != 0 || e.tag == tagTable) {
			n++
		}
		if r.below(n).tag == tagRow && (e.kind&rowGroup != 0 || e.tag == tagTable) {
			n++
		}
		if (r.below(n).kind&rowGroup != 0 || r.below(n).tag == tagColgroup) && e.tag == tagTable {
			n++
		}
		if r.isTop(n, name) {
			r.popAll(n + 1)
			return
		}
	}
	r.seen = true
	if r.doubt(); r.lenient && (!r.in(inTemplate) || e.tag == tagTemplate) {
		for n := range min(len(r.stack), usualDepth) {
			if r.isTop(n, name) {
				r.popAll(n + 1)
				return
			}
		}
	}
}

// isTop reports whether the open element with n others inside it has a name.
func (r *tokenReader) isTop(n int, name []byte) bool { return r.below(n).name == string(name) }

func (r *tokenReader) popAll(n int) {
	for range n {
		r.pop()
	}
}

// pop ends the innermost open element.
func (r *tokenReader) pop() {
	last := len(r.stack) - 1
	e := r.stack[last]
	r.stack, r.around = r.stack[:last], e.around
	r.end(e.element)
}
