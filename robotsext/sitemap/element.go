package sitemap

// An elem is an element that means something where it stands: the same name
// elsewhere is another one, or none.
type elem uint8

const (
	elemOther elem = iota // skipped with all that is in it
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

	elemLeaf // those below have text that is read

	elemLoc
	elemLastMod
	elemPubDate
	elemChangeFreq
	elemPriority

	elemImageLoc
	elemImageTitle
	elemImageCaption
	elemImageGeo
	elemImageLicense

	elemVideoThumbnail
	elemVideoTitle
	elemVideoDescription
	elemVideoContent
	elemVideoPlayer
	elemVideoDuration
	elemVideoPublished
	elemVideoExpires
	elemVideoRating
	elemVideoViews
	elemVideoTag
	elemVideoCategory
	elemVideoUploader
	elemVideoFamily
	elemVideoSubscription
	elemVideoLive
	elemVideoCountries
	elemVideoPlatforms

	elemNewsName
	elemNewsLanguage
	elemNewsTitle
	elemNewsPublished
	elemNewsKeywords
	elemNewsGenres
	elemNewsTickers
	elemNewsAccess
)

// root returns the element that a document with this root element is.
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

// child returns the element that one with this name is inside parent. The
// name is in lower case.
func (parent elem) child(sp space, local []byte) elem {
	switch sp {
	case coreSpace:
		return parent.coreChild(local)
	case imageSpace:
		return parent.imageChild(local)
	case videoSpace:
		return parent.videoChild(local)
	case newsSpace:
		return parent.newsChild(local)
	case xhtmlSpace:
		if parent == elemURL && string(local) == "link" {
			return elemAlternate
		}
	}
	return elemOther
}

func (parent elem) coreChild(local []byte) elem {
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
			return elemLoc
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

func (parent elem) imageChild(local []byte) elem {
	switch parent {
	case elemURL:
		if string(local) == "image" {
			return elemImage
		}
	case elemImage:
		switch string(local) {
		case "loc":
			return elemImageLoc
		case "title":
			return elemImageTitle
		case "caption":
			return elemImageCaption
		case "geo_location":
			return elemImageGeo
		case "license":
			return elemImageLicense
		}
	}
	return elemOther
}

func (parent elem) videoChild(local []byte) elem {
	switch parent {
	case elemURL:
		if string(local) == "video" {
			return elemVideo
		}
	case elemVideo:
		switch string(local) {
		case "thumbnail_loc":
			return elemVideoThumbnail
		case "title":
			return elemVideoTitle
		case "description":
			return elemVideoDescription
		case "content_loc":
			return elemVideoContent
		case "player_loc":
			return elemVideoPlayer
		case "duration":
			return elemVideoDuration
		case "publication_date":
			return elemVideoPublished
		case "expiration_date":
			return elemVideoExpires
		case "rating":
			return elemVideoRating
		case "view_count":
			return elemVideoViews
		case "tag":
			return elemVideoTag
		case "category":
			return elemVideoCategory
		case "uploader":
			return elemVideoUploader
		case "family_friendly":
			return elemVideoFamily
		case "requires_subscription":
			return elemVideoSubscription
		case "live":
			return elemVideoLive
		case "restriction":
			return elemVideoCountries
		case "platform":
			return elemVideoPlatforms
		}
	}
	return elemOther
}

func (parent elem) newsChild(local []byte) elem {
	switch parent {
	case elemURL:
		if string(local) == "news" {
			return elemNews
		}
	case elemNews:
		switch string(local) {
		case "publication":
			return elemPublication
		case "title":
			return elemNewsTitle
		case "publication_date":
			return elemNewsPublished
		case "keywords":
			return elemNewsKeywords
		case "genres":
			return elemNewsGenres
		case "stock_tickers":
			return elemNewsTickers
		case "access":
			return elemNewsAccess
		}
	case elemPublication:
		switch string(local) {
		case "name":
			return elemNewsName
		case "language":
			return elemNewsLanguage
		}
	}
	return elemOther
}
