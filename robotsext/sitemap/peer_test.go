package sitemap

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// The peer reads a small sitemap in the plainest way: it builds the whole tree
// with encoding/xml and picks the entries out of it. It shares the reading of
// single values with the package, nothing else.

// A node is an element.
type node struct {
	parent   *node
	prefix   string
	local    string // in lower case
	attrs    map[string]string
	decls    map[string]string // namespaces declared here, by prefix
	text     strings.Builder   // directly inside
	children []*node
	line     int
}

// lineEnds writes the ends of lines as XML has them read.
var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

var errOdd = errors.New("well-formed for encoding/xml, but not in a way to compare")

// parseTree builds the tree of a well-formed document.
func parseTree(in []byte) (*node, error) {
	dec := xml.NewDecoder(bytes.NewReader(in))
	var top *node
	var open []string
	for {
		tok, err := dec.RawToken()
		if err == io.EOF {
			return nil, io.ErrUnexpectedEOF
		}
		if err != nil {
			return nil, err
		}
		switch tok := tok.(type) {
		case xml.Directive:
			if !bytes.HasPrefix(tok, []byte("DOCTYPE")) || top != nil {
				return nil, errOdd
			}
		case xml.StartElement:
			n := &node{parent: top, prefix: tok.Name.Space, local: strings.ToLower(tok.Name.Local),
				attrs: map[string]string{}, decls: map[string]string{}}
			n.line = 1 + strings.Count(lineEnds.Replace(string(in[:dec.InputOffset()])), "\n")
			for _, a := range tok.Attr {
				switch {
				case a.Name.Space == "xmlns":
					n.decls[a.Name.Local] = a.Value
				case a.Name.Space == "" && a.Name.Local == "xmlns":
					n.decls[""] = a.Value
				case a.Name.Space == "":
					n.attrs[a.Name.Local] = a.Value
				case a.Name.Space == "xml":
					n.attrs["xml:"+a.Name.Local] = a.Value
				}
			}
			if top != nil {
				top.children = append(top.children, n)
			}
			top = n
			open = append(open, tok.Name.Space+":"+tok.Name.Local)
		case xml.EndElement:
			if len(open) == 0 || open[len(open)-1] != tok.Name.Space+":"+tok.Name.Local {
				return nil, errors.New("end tag of another element")
			}
			open = open[:len(open)-1]
			if len(open) == 0 {
				return top, nil
			}
			top = top.parent
		case xml.CharData:
			if top != nil {
				top.text.Write(tok)
			} else if len(bytes.TrimSpace(tok)) > 0 {
				return nil, errOdd // not even XML to us
			}
		}
	}
}

// The vocabularies that the peer knows. Its own is the one of the root element.
const (
	ownWords   = "own"
	imageWords = "image"
	videoWords = "video"
	newsWords  = "news"
	xhtmlWords = "xhtml"
)

// namespaces tell a vocabulary by its namespace name, the first that fits.
var namespaces = []struct {
	name  *regexp.Regexp
	words string
	roots string // the documents that have it, however their root is declared
}{
	{regexp.MustCompile(`sitemap-image`), imageWords, ""},
	{regexp.MustCompile(`sitemap-video`), videoWords, ""},
	{regexp.MustCompile(`sitemap-news`), newsWords, ""},
	{regexp.MustCompile(`(?s)www\.w3\.org/.*xhtml|xhtml.*www\.w3\.org/`), xhtmlWords, ""},
	{regexp.MustCompile(`/schemas/sitemap/0`), "", "urlset sitemapindex"},
	{regexp.MustCompile(`www\.w3\.org/2005/Atom|purl\.org/atom/ns#`), "", "feed"},
}

// space returns the vocabulary of n, "" for one that means nothing.
func (n *node) space() string {
	root := n
	for root.parent != nil {
		root = root.parent
	}
	declared := func(at *node, prefix string) (uri string, ok bool) {
		for ; at != nil && !ok; at = at.parent {
			uri, ok = at.decls[prefix]
		}
		return strings.Trim(uri, " \t\r\n"), ok
	}
	uri, ok := declared(n, n.prefix)
	if !ok {
		switch n.prefix {
		case "", root.prefix:
			return ownWords
		case imageWords, videoWords, newsWords, xhtmlWords: // undeclared, but plain enough
			return n.prefix
		}
		return ""
	}
	if rootURI, ok := declared(root, root.prefix); uri == "" || ok && uri == rootURI {
		return ownWords
	}
	for _, ns := range namespaces {
		if ns.name.MatchString(uri) {
			if slices.Contains(strings.Fields(ns.roots), root.local) {
				return ownWords
			}
			return ns.words
		}
	}
	return ""
}

// all returns the children of that name, in document order.
func (n *node) all(sp, local string) (out []*node) {
	for _, c := range n.children {
		if c.local == local && c.space() == sp {
			out = append(out, c)
		}
	}
	return out
}

// first returns the text of the first such child, trimmed.
func (n *node) first(sp, local string) (text []byte, ok bool) {
	all := n.all(sp, local)
	switch {
	case len(all) == 0:
		return nil, false
	case local == "loc":
		return all[0].urlValue(), true
	}
	return all[0].value(), true
}

// last returns the text of the last such child that has any.
func (n *node) last(sp, local string) (text []byte) {
	for _, c := range n.all(sp, local) {
		if v := c.value(); len(v) > 0 {
			text = v
		}
	}
	return text
}

func (n *node) value() []byte { return []byte(strings.Trim(n.text.String(), " \t\r\n")) }

// brokenValue stands for the URL of an element that has elements inside.
const brokenValue = "no URL"

func (n *node) urlValue() []byte {
	if len(n.children) > 0 {
		return []byte(brokenValue)
	}
	return n.value()
}

// itemLoc returns the link of an RSS item, or its guid if it has none.
func (n *node) itemLoc() []byte {
	for _, link := range n.all(ownWords, "link") {
		if loc := link.urlValue(); len(loc) > 0 {
			return loc
		}
	}
	guids := n.all(ownWords, "guid")
	if len(guids) == 0 || strings.EqualFold(string(guids[0].attr("isPermaLink")), "false") {
		return nil
	}
	return guids[0].urlValue()
}

func (n *node) attr(name string) []byte { return []byte(strings.Trim(n.attrs[name], " \t\r\n")) }

// peerEntries returns the entries of a well-formed XML sitemap or feed.
func peerEntries(in []byte) ([]Entry, error) {
	root, err := parseTree(in)
	if err != nil {
		return nil, err
	}
	var out []Entry
	add := func(n *node, index int, e Entry, loc []byte) {
		e.Index, e.Line = index, n.line
		var err error
		if e.Loc, err = location(loc); err == nil {
			out = append(out, e)
		}
	}
	switch root.local {
	case "urlset":
		for i, n := range root.all(ownWords, "url") {
			loc, _ := n.first(ownWords, "loc")
			add(n, i, n.page(), loc)
		}
	case "sitemapindex":
		for i, n := range root.all(ownWords, "sitemap") {
			loc, _ := n.first(ownWords, "loc")
			e := Entry{Sitemap: true, Priority: DefaultPriority}
			text, _ := n.first(ownWords, "lastmod")
			e.LastMod, _ = parseW3C(text)
			add(n, i, e, loc)
		}
	case "rss":
		i := 0
		for _, channel := range root.all(ownWords, "channel") {
			for _, n := range channel.all(ownWords, "item") {
				loc := n.itemLoc()
				e := Entry{Priority: DefaultPriority}
				text, _ := n.first(ownWords, "pubdate")
				e.LastMod, _ = parsePubDate(text)
				add(n, i, e, loc)
				i++
			}
		}
	case "feed":
		for i, n := range root.all(ownWords, "entry") {
			e, loc := n.atomEntry()
			add(n, i, e, loc)
		}
	default:
		return nil, errOdd
	}
	return out, nil
}

func (n *node) atomEntry() (e Entry, loc []byte) {
	e.Priority = DefaultPriority
	for _, c := range n.children {
		if (c.local == "updated" || c.local == "modified") && c.space() == ownWords {
			e.LastMod, _ = parseW3C(c.value())
			break
		}
	}
	for _, link := range n.all(ownWords, "link") {
		_, hasRel := link.attrs["rel"]
		if len(trim(link.attr("href"))) > 0 && (!hasRel || strings.EqualFold(strings.TrimPrefix(string(link.attr("rel")), "http://www.iana.org/assignments/relation/"), "alternate")) {
			return e, resolve(link.base(), link.attr("href"))
		}
	}
	return e, nil
}

// base returns the base URL inside n.
func (n *node) base() *url.URL {
	if n == nil {
		return nil
	}
	outer := n.parent.base()
	if _, ok := n.attrs["xml:base"]; !ok {
		return outer
	}
	return parseBase(resolve(outer, bytes.TrimSpace(n.attr("xml:base"))))
}

// page returns what a url element says, but for its location.
func (n *node) page() Entry {
	e := Entry{Priority: DefaultPriority}
	text, _ := n.first(ownWords, "lastmod")
	e.LastMod, _ = parseW3C(text)
	text, _ = n.first(ownWords, "changefreq")
	e.ChangeFreq = changeFreq(bytes.ToLower(text))
	if text, ok := n.first(ownWords, "priority"); ok {
		if p, ok := decimal(text, 1); ok {
			e.Priority = p
		}
	}
	for _, link := range n.all(xhtmlWords, "link") {
		href, err := location(link.attr("href"))
		if err == nil && strings.EqualFold(string(link.attr("rel")), "alternate") {
			e.Alternates = append(e.Alternates, Alternate{Href: href,
				Lang: lineBreaks.Replace(string(link.attr("hreflang"))), Media: lineBreaks.Replace(string(link.attr("media")))})
		}
	}
	for _, c := range n.all(imageWords, "image") {
		str := func(local string) string { return lineBreaks.Replace(string(c.last(imageWords, local))) }
		url := func(local string) (out string) {
			for _, v := range c.all(imageWords, local) {
				if v := v.urlValue(); len(v) > 0 && string(v) != brokenValue {
					out, _ = location(v)
				}
			}
			return out
		}
		m := Image{Loc: url("loc"), Title: str("title"), Caption: str("caption"), GeoLocation: str("geo_location"), License: url("license")}
		if m.Loc != "" {
			e.Images = append(e.Images, m)
		}
	}
	for _, c := range n.all(newsWords, "news") {
		if e.News == nil {
			e.News = &News{}
		}
		set := func(to *string, n *node, local string) {
			if v := n.last(newsWords, local); len(v) > 0 {
				*to = lineBreaks.Replace(string(v))
			}
		}
		set(&e.News.Title, c, "title")
		set(&e.News.Keywords, c, "keywords")
		set(&e.News.Genres, c, "genres")
		set(&e.News.Tickers, c, "stock_tickers")
		set(&e.News.Access, c, "access")
		if v := c.last(newsWords, "publication_date"); len(v) > 0 {
			e.News.Published, _ = parseW3C(v)
		}
		for _, p := range c.all(newsWords, "publication") {
			set(&e.News.Publication, p, "name")
			set(&e.News.Language, p, "language")
		}
	}
	return e
}
