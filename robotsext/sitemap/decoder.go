package sitemap

import (
	"bytes"
	"errors"
	"io"
	"net/url"
	"strings"

	"github.com/politecrawl/politecrawl/robotsext/gunzip"
)

const (
	maxDepth = 256      // depth of elements
	maxNames = 64 << 10 // bytes in the names of all open elements
	maxText  = 8 << 10  // bytes of one value; the longest valid one is a loc of 2,047 characters
)

// decoder converts the tokens of an XML document to entries.
type decoder struct {
	*reading
	scan scanner
	ns   bindings

	frames []frame // the open elements
	names  []byte  // the names of the open elements, concatenated
	top    elem    // the innermost open element

	field   []byte // the text of the open leaf
	tooLong bool   // the text is longer than maxText
	inner   []byte // the name of the first element inside the leaf
	leafAt  place  // of the text of a leaf with an element inside
	badRef  []byte // the first unknown reference in the text
	leaf    leaf   // stores the text of an extension element

	guid   []byte      // the RSS item's guid, if it is a link
	isLink bool        // the guid is a link
	bases  [2]*url.URL // of the Atom feed and its entry; nil if unknown

	entry    Entry
	bad      bool   // the location of the entry is invalid
	seen     uint64 // set of the entry's leaves, by elem
	appendix int    // bytes of the entry's extension values
	full     bool   // the entry has too much extension data

	usual int               // number of alternates of the previous entry
	words map[string]string // the strings that word shares

	low [32]byte // buffer of lower
}

// frame is an open element.
type frame struct {
	elem elem
	name int // length of its name
}

func newDecoder(rd *reading) *decoder {
	d := &decoder{reading: rd, top: elemDocument, scan: scanner{window: rd.window}, words: map[string]string{}}
	d.scan.onDTD = func() { rd.report(Doctype, nil, nil) }
	return d
}

func (d *decoder) run() error {
	for {
		tok, err := d.scan.next(d.top > elemLeaf)
		if err == io.EOF {
			if d.top == elemDocument {
				d.mark()
				return &Finding{Kind: NotASitemap, Err: errors.New("XML without a root element")}
			}
			return &Finding{Kind: Truncated}
		}
		if err != nil {
			return err
		}
		switch tok {
		case startTag:
			err = d.start()
		case endTag:
			err = d.end()
		default:
			d.collect(tok)
		}
		if err != nil {
			return err
		}
		if d.top == elemDocument {
			return d.epilog()
		}
	}
}

// start opens an element.
func (d *decoder) start() error {
	name := d.scan.name
	if len(d.frames) == maxDepth || len(d.names)+len(name) > maxNames {
		return &Finding{Kind: NestedTooDeep}
	}
	el := elemOther
	if d.top > elemLeaf && len(d.inner) == 0 {
		d.inner = append(d.inner, name...)
		d.leafAt = d.markPlace()
	}
	if d.top != elemOther && d.top < elemLeaf {
		prefix, local := splitName(name)
		local = d.lower(local)
		if d.top == elemDocument {
			el = d.top.child(coreSpace, local)
			d.ns.root(el, prefix, d.scan.attrs)
		}
		if len(d.scan.attrs) > 0 && bytes.Contains(d.scan.attrs, []byte("xmlns")) {
			d.ns.declare(d.scan.attrs, len(d.frames))
		}
		if d.top == elemDocument {
			if d.summary.Format = formats[el]; d.summary.Format == "" {
				return &Finding{Kind: NotASitemap, Text: cut(name)}
			}
		} else {
			sp := d.ns.find(prefix)
			switch el = d.top.child(sp, local); {
			case el == elemExtension:
				el = d.openLeaf(d.top, local)
			case el == elemOther && sp == coreSpace && d.top.strict():
				d.report(UnknownElement, name, nil)
			}
		}
	}
	d.frames = append(d.frames, frame{elem: el, name: len(name)})
	d.names = append(d.names, name...)
	d.top = el
	if err := d.open(el); err != nil {
		return err
	}
	if d.scan.empty {
		return d.end()
	}
	return nil
}

// end closes the innermost element. It fails if the end tag is for another element.
func (d *decoder) end() error {
	if len(d.frames) == 0 {
		return syntax("an end tag without a start tag")
	}
	f := d.frames[len(d.frames)-1]
	name := d.names[len(d.names)-f.name:]
	if !d.scan.empty && !bytes.Equal(name, d.scan.name) {
		return &Finding{Kind: BadXML, Text: cut(d.scan.name), Err: errors.New("end tag of another element than " + cut(name))}
	}
	d.scan.empty = false
	d.frames = d.frames[:len(d.frames)-1]
	d.names = d.names[:len(d.names)-f.name]
	d.ns.drop(len(d.frames))
	d.top = elemDocument
	if len(d.frames) > 0 {
		d.top = d.frames[len(d.frames)-1].elem
	}
	return d.close(f.elem)
}

// strict reports whether the protocol defines all children of the element. Feeds may have
// any.
func (parent elem) strict() bool {
	return parent == elemURLSet || parent == elemIndex || parent == elemURL || parent == elemSitemap
}

// formats are the formats of documents by their root elements.
var formats = map[elem]Format{elemURLSet: URLSet, elemIndex: Index, elemRSS: RSS, elemFeed: Atom}

// open handles the start of an element.
func (d *decoder) open(el elem) (err error) {
	switch {
	case el > elemLeaf:
		d.field, d.tooLong, d.badRef, d.inner = d.field[:0], false, d.badRef[:0], d.inner[:0]
		d.mark()
		if el == elemGUID {
			d.isLink = !strings.EqualFold(d.attr("isPermaLink"), "false")
		}
	case el == elemFeed:
		d.pushBase(0)
	case el == elemURL, el == elemSitemap, el == elemItem, el == elemAtomEntry:
		d.bad, d.seen, d.appendix, d.full = false, 0, 0, false
		d.guid = d.guid[:0]
		if el == elemAtomEntry {
			d.pushBase(1)
		}
		d.entry, err = d.begin()
		d.entry.Sitemap = el == elemSitemap
	case el == elemAtomLink:
		d.atomLink(d.scan.attrs)
	case el >= elemAlternate && el < elemLeaf:
		d.openExtension(el)
	}
	return err
}

// close handles the end of an element.
func (d *decoder) close(el elem) error {
	switch {
	case el > elemLeaf:
		d.value(el)
		d.inner = d.inner[:0]
	case el == elemURL, el == elemSitemap, el == elemItem, el == elemAtomEntry:
		return d.closeEntry()
	case el == elemImage, el == elemVideo:
		d.closeExtension(el)
	}
	return nil
}

// closeEntry yields the entry if it has a location.
func (d *decoder) closeEntry() error {
	d.closeItem()
	e := d.entry
	d.entry = Entry{}
	if e.Loc == "" {
		d.summary.Skipped++
		if !d.bad {
			d.report(NoLoc, nil, nil)
		}
		return nil
	}
	if len(e.Images) == 0 {
		e.Images = nil // invalid images were dropped
	}
	if len(e.Videos) == 0 {
		e.Videos = nil
	}
	d.usual = min(len(e.Alternates), 32)
	return d.emit(e)
}

// collect adds text to the value of the open leaf.
func (d *decoder) collect(tok token) {
	text := d.scan.text
	if d.tooLong {
		return
	}
	if tok == cdata {
		d.field = append(d.field, text...)
	} else {
		var bad []byte
		if d.field, bad = appendText(d.field, text); len(d.badRef) == 0 {
			d.badRef = append(d.badRef, bad...)
		}
	}
	if len(d.field) > maxText {
		d.field, d.tooLong = d.field[:0], true
	}
}

// value stores the text of a leaf at its end.
func (d *decoder) value(el elem) {
	text := bytes.TrimSpace(d.field)
	if len(d.inner) > 0 {
		d.marked, d.markedAt = -1, d.leafAt
	}
	if len(d.badRef) > 0 {
		// After the findings about the whole value, because it may be on a later line.
		defer d.report(BadReference, d.badRef, nil)
	}
	if d.tooLong {
		d.report(TextTooLong, nil, nil)
		d.bad = d.bad || el == elemLoc || el == elemLink || el == elemGUID
		return
	}
	if el == elemExtension {
		if len(text) > 0 {
			d.leaf(d, text)
		}
		return
	}
	if d.seen&(1<<el) != 0 {
		d.report(Duplicate, text, nil)
		return
	}
	if el == elemLink && len(text) == 0 && len(d.inner) == 0 {
		return // as if it were not there
	}
	d.seen |= 1 << el
	var ok bool
	switch el {
	case elemLoc, elemLink:
		d.location(text)
	case elemGUID:
		switch {
		case !d.isLink:
		case d.hasMarkup():
			d.bad = true
		default:
			d.guid = append(d.guid, text...)
		}
	case elemLastMod:
		if d.entry.LastMod, ok = parseW3C(text); !ok {
			d.report(BadLastMod, text, nil)
		}
	case elemPubDate:
		if d.entry.LastMod, ok = parsePubDate(text); !ok {
			d.report(BadLastMod, text, nil)
		}
	case elemChangeFreq:
		if d.entry.ChangeFreq = changeFreq(d.lower(text)); d.entry.ChangeFreq == "" {
			d.report(BadChangeFreq, text, nil)
		}
	case elemPriority:
		if p, ok := decimal(text, 1); ok {
			d.entry.Priority = p
		} else {
			d.report(BadPriority, text, nil)
		}
	}
}

// location sets the entry's Loc.
func (d *decoder) location(text []byte) {
	if d.hasMarkup() {
		d.bad = true
		return
	}
	var err error
	if d.entry.Loc, err = location(text); err != nil {
		d.bad = true
		d.report(BadLoc, text, err)
	} else if d.opts.Strict && !isEscaped(text) {
		d.report(NotEscaped, text, nil)
	}
}

// hasMarkup reports whether the leaf has an element inside, and reports the finding. Its text
// is then in pieces, which together may be another URL (ROB-SMP-27).
func (d *decoder) hasMarkup() bool {
	if len(d.inner) == 0 {
		return false
	}
	d.report(Markup, d.inner, nil)
	return true
}

// epilog reads everything after the root element. The entries are complete, so other
// content is only a finding. A wrong checksum is an error, because the entries may be
// damaged.
func (d *decoder) epilog() error {
	for d.skipSpace() {
		d.mark()
		if d.buf[d.pos] == '<' {
			if _, found, err := d.scan.scanMarkup(); !found && err == nil && !d.scan.inCDATA {
				continue
			}
		}
		d.report(TrailingContent, nil, nil)
		return nil
	}
	if errors.Is(d.err, gunzip.ErrTrailer) {
		return d.err
	}
	if d.err != io.EOF {
		d.report(TrailingContent, nil, d.err)
	}
	return nil
}

// lower returns a name in lower case, valid until the next call. It does not change a name
// that is longer than any known one.
func (d *decoder) lower(name []byte) []byte {
	if len(name) > len(d.low) {
		return name
	}
	low := d.low[:len(name)]
	for i, c := range name {
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		low[i] = c
	}
	return low
}

// splitName splits a qualified name at its colon.
func splitName(name []byte) (prefix, local []byte) {
	if i := bytes.IndexByte(name, ':'); i > 0 && i < len(name)-1 {
		return name[:i], name[i+1:]
	}
	return nil, name
}
