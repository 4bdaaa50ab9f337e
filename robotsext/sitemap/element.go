package sitemap

// elem is a known element at its position: the same name at another position is another
// element, or unknown.
type elem uint8

const (
	elemOther elem = iota // skipped with its content
	elemDocument

	elemURLSet
	elemIndex
	elemRSS
	elemChannel
	elemFeed

	elemURL
	elemSitemap
	elemItem
	elemAtomEntry

	elemAtomLink
	elemAlternate
	elemImage
	elemVideo
	elemNews
	elemPublication

	elemLeaf // the following elements have text

	elemLoc
	elemLink // of an RSS item
	elemGUID
	elemLastMod
	elemPubDate
	elemChangeFreq
	elemPriority

	elemExtension // a value of an image, a video or an article; see extensions
)

// root returns the elem of a root element.
func root(local []byte) elem {
	switch string(local) {
	case "urlset":
		return elemURLSet
	case "sitemapindex":
		return elemIndex
	case "rss":
		return elemRSS
	case "feed":
		return elemFeed
	}
	return elemOther
}

// child returns the elem of an element inside parent, whose name is in lower case.
func (parent elem) child(sp space, local []byte) elem {
	if sp != coreSpace {
		return parent.extensionChild(sp, local)
	}
	switch parent {
	case elemURLSet:
		if string(local) == "url" {
			return elemURL
		}
	case elemIndex:
		if string(local) == "sitemap" {
			return elemSitemap
		}
	case elemURL, elemSitemap:
		switch string(local) {
		case "loc":
			return elemLoc
		case "lastmod":
			return elemLastMod
		}
		if parent == elemSitemap {
			return elemOther
		}
		switch string(local) {
		case "changefreq":
			return elemChangeFreq
		case "priority":
			return elemPriority
		}
	case elemRSS:
		if string(local) == "channel" {
			return elemChannel
		}
	case elemChannel:
		if string(local) == "item" {
			return elemItem
		}
	case elemItem:
		switch string(local) {
		case "link":
			return elemLink
		case "guid":
			return elemGUID
		case "pubdate":
			return elemPubDate
		}
	case elemFeed:
		if string(local) == "entry" {
			return elemAtomEntry
		}
	case elemAtomEntry:
		switch string(local) {
		case "link":
			return elemAtomLink
		case "updated", "modified": // Atom 1.0, Atom 0.3
			return elemLastMod
		}
	}
	return elemOther
}

// extensionChild is child for the elements of an extension.
func (parent elem) extensionChild(sp space, local []byte) elem {
	switch {
	case parent == elemNews && sp == newsSpace && string(local) == "publication":
		return elemPublication
	case parent != elemURL:
		if x := extensions[parent]; x != nil && x.space == sp {
			return elemExtension // if it has such a leaf
		}
	case sp == imageSpace && string(local) == "image":
		return elemImage
	case sp == videoSpace && string(local) == "video":
		return elemVideo
	case sp == newsSpace && string(local) == "news":
		return elemNews
	case sp == xhtmlSpace && string(local) == "link":
		return elemAlternate
	}
	return elemOther
}
