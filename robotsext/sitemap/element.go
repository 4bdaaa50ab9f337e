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

// A child is a known element inside another one.
type child struct {
	space space
	name  string // in lower case
	elem  elem
}

// children are the child elements of each element, except the leaves of extensions.
var children = [elemLeaf][]child{
	elemDocument:  {{coreSpace, "urlset", elemURLSet}, {coreSpace, "sitemapindex", elemIndex}, {coreSpace, "rss", elemRSS}, {coreSpace, "feed", elemFeed}},
	elemURLSet:    {{coreSpace, "url", elemURL}},
	elemIndex:     {{coreSpace, "sitemap", elemSitemap}},
	elemRSS:       {{coreSpace, "channel", elemChannel}},
	elemChannel:   {{coreSpace, "item", elemItem}},
	elemFeed:      {{coreSpace, "entry", elemAtomEntry}},
	elemSitemap:   {{coreSpace, "loc", elemLoc}, {coreSpace, "lastmod", elemLastMod}},
	elemItem:      {{coreSpace, "link", elemLink}, {coreSpace, "guid", elemGUID}, {coreSpace, "pubdate", elemPubDate}},
	elemAtomEntry: {{coreSpace, "link", elemAtomLink}, {coreSpace, "updated", elemLastMod}, {coreSpace, "modified", elemLastMod}}, // the last one of Atom 0.3
	elemNews:      {{newsSpace, "publication", elemPublication}},
	elemURL: {
		{coreSpace, "loc", elemLoc}, {coreSpace, "lastmod", elemLastMod}, {coreSpace, "changefreq", elemChangeFreq}, {coreSpace, "priority", elemPriority},
		{imageSpace, "image", elemImage}, {videoSpace, "video", elemVideo}, {newsSpace, "news", elemNews}, {xhtmlSpace, "link", elemAlternate},
	},
}

// child returns the elem of an element inside parent, by its name in lower case.
func (parent elem) child(sp space, local []byte) elem {
	known := children[parent]
	for i := range known {
		if known[i].space == sp && known[i].name == string(local) {
			return known[i].elem
		}
	}
	if x := extensions[parent]; x != nil && x.space == sp {
		return elemExtension // if the extension has this leaf
	}
	return elemOther
}
