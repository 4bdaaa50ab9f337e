package sitemap

import (
	"bytes"
	"net/url"
)

// atomLink sets the location of an Atom entry to its first link without a rel or with
// rel="alternate" (ROB-SMP-21).
func (d *decoder) atomLink(attrs []byte) {
	base := d.baseOf(d.bases[1])
	var href []byte
	for name, value := range attributes(attrs) {
		value, _ = appendText(nil, value)
		switch string(name) {
		case "href":
			href = bytes.TrimSpace(value)
		case "rel":
			rel := bytes.TrimPrefix(bytes.TrimSpace(value), []byte("http://www.iana.org/assignments/relation/")) // RFC 4287, 4.2.7.2
			if !bytes.EqualFold(rel, []byte("alternate")) {
				return
			}
		}
	}
	if len(href) > 0 && d.entry.Loc == "" && !d.bad {
		d.location(resolve(base, href))
	}
}

// pushBase sets the base URL of the Atom feed or entry whose tag was just read.
func (d *decoder) pushBase(level int) {
	outer := d.bases[0]
	if level == 0 {
		outer = parseBase([]byte(d.opts.URL))
	}
	d.bases[level] = d.baseOf(outer)
}

// baseOf returns the base URL of the element whose tag was just read, inside an element with
// the base URL outer (RFC 4287, 2; RFC 3986, 5.1). It is nil if there is none.
func (d *decoder) baseOf(outer *url.URL) *url.URL {
	if !bytes.Contains(d.scan.attrs, []byte("xml:base")) {
		return outer
	}
	return parseBase(resolve(outer, []byte(d.attr("xml:base"))))
}

// parseBase parses an absolute URL. It returns nil for any other text.
func parseBase(text []byte) *url.URL {
	loc, err := location(text)
	if err != nil {
		return nil
	}
	base, err := url.Parse(loc)
	if err != nil {
		return nil
	}
	return base
}

// resolve resolves a reference. It does not change a reference that is absolute or that it
// cannot resolve.
func resolve(base *url.URL, reference []byte) []byte {
	if base == nil || afterScheme(reference) > 0 {
		return reference
	}
	ref, err := url.Parse(string(reference))
	if err != nil {
		return reference
	}
	return []byte(base.ResolveReference(ref).String())
}

// closeItem sets the location of an RSS item without a link to its guid (RSS 2.0).
func (d *decoder) closeItem() {
	if d.entry.Loc == "" && !d.bad && len(d.guid) > 0 {
		d.location(d.guid)
	}
}
