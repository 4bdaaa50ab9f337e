package sitemap

import (
	"bytes"
	"errors"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	maxItems    = 1000    // images of one page, as in Google's documentation; also videos and alternates
	maxTags     = 32      // of one video, as in Google's documentation
	maxAppendix = 1 << 20 // bytes of all extension values of one entry
	maxWords    = 64      // different values of fields with few values, such as languages
)

// errNoURL is the reason for skipping an image or a video.
var errNoURL = errors.New("it has no URL")

// openExtension begins an image, a video or an article, or adds an alternate, which has
// its data in attributes.
func (d *decoder) openExtension(el elem) {
	e := &d.entry
	switch el {
	case elemAlternate:
		d.alternate(d.scan.attrs)
	case elemImage:
		if d.room(len(e.Images), maxItems, 0) {
			e.Images = append(e.Images, Image{})
		} else {
			d.skip()
		}
	case elemVideo:
		if d.room(len(e.Videos), maxItems, 0) {
			e.Videos = append(e.Videos, Video{})
		} else {
			d.skip()
		}
	case elemNews:
		if e.News == nil {
			e.News = new(News)
		}
	}
}

// skip skips the element just opened.
func (d *decoder) skip() {
	d.top = elemOther
	d.frames[len(d.frames)-1].elem = elemOther
}

// room reports whether one more item, or n bytes, fit into the entry. It reports a
// finding the first time they do not.
func (d *decoder) room(items, limit, n int) bool {
	if items < limit && d.appendix+n <= maxAppendix {
		d.appendix += n
		return true
	}
	if !d.full {
		d.full = true
		d.report(TooManyItems, nil, nil)
	}
	return false
}

// closeExtension drops an image or a video without a URL.
func (d *decoder) closeExtension(el elem) {
	e := &d.entry
	switch el {
	case elemImage:
		if d.image().Loc == "" {
			e.Images = e.Images[:len(e.Images)-1]
			d.report(BadExtension, []byte("image"), errNoURL)
		}
	case elemVideo:
		if d.video().ContentLoc == "" && d.video().PlayerLoc == "" {
			e.Videos = e.Videos[:len(e.Videos)-1]
			d.report(BadExtension, []byte("video"), errNoURL)
		}
	}
}

// alternate parses <xhtml:link rel="alternate" hreflang="de" href="…"/>.
func (d *decoder) alternate(attrs []byte) {
	var a Alternate
	var href []byte
	isAlternate := false
	for name, value := range attributes(attrs) {
		if bytes.IndexByte(value, '&') >= 0 {
			value, _ = appendText(nil, value)
		}
		value = bytes.TrimSpace(value)
		switch string(name) {
		case "rel":
			isAlternate = bytes.EqualFold(value, []byte("alternate"))
		case "hreflang":
			a.Lang = d.word(value)
		case "media":
			a.Media = d.word(value)
		case "href":
			href = value
		}
	}
	if !isAlternate || !d.room(len(d.entry.Alternates), maxItems, 0) {
		return
	}
	if a.Href = d.url(href); a.Href == "" {
		return
	}
	if d.opts.Strict && !languageForm.MatchString(a.Lang) && (a.Lang != "" || a.Media == "") {
		d.report(BadLanguage, []byte(a.Lang), nil)
	}
	if d.entry.Alternates == nil {
		d.entry.Alternates = make([]Alternate, 0, d.usual) // most pages have as many as the previous one
	}
	d.entry.Alternates = append(d.entry.Alternates, a)
}

// openLeaf selects the function for the text of an extension element, and reads its
// attributes. It returns elemOther for an unknown element.
func (d *decoder) openLeaf(parent elem, local []byte) elem {
	if d.leaf = extensions[parent].leaves[string(local)]; d.leaf == nil {
		return elemOther
	}
	if parent != elemVideo {
		return elemExtension
	}
	switch string(local) {
	case "restriction":
		d.video().Countries.Allow = d.attr("relationship") == "allow"
	case "platform":
		d.video().Platforms.Allow = d.attr("relationship") == "allow"
	case "uploader":
		if info := d.attr("info"); info != "" {
			d.video().UploaderURL = d.url([]byte(info))
		}
	}
	return elemExtension
}

// languageForm is the form of hreflang in Google's documentation of localized versions:
// language, script and region, or x-default. A version for other devices may have none.
var languageForm = regexp.MustCompile(`(?i)^(x-default|[a-z]{2,3}(-[a-z]{4})?(-([a-z]{2}|[0-9]{3}))?)$`)

// attr returns an attribute of the tag just read.
func (d *decoder) attr(want string) string {
	for name, value := range attributes(d.scan.attrs) {
		if string(name) == want {
			value, _ = appendText(nil, value)
			return string(bytes.TrimSpace(value))
		}
	}
	return ""
}

// image and video return the item that is being read.
func (d *decoder) image() *Image { return &d.entry.Images[len(d.entry.Images)-1] }
func (d *decoder) video() *Video { return &d.entry.Videos[len(d.entry.Videos)-1] }

// leaf stores the text of an extension element.
type leaf func(d *decoder, text []byte)

// extension is the set of elements of a namespace, by name in lower case.
type extension struct {
	space  space
	leaves map[string]leaf
}

// extensions are the elements of sitemap-image/1.1, sitemap-video/1.1 and
// sitemap-news/0.9.
var extensions = [elemLeaf]*extension{
	elemImage: {imageSpace, map[string]leaf{
		"loc":          func(d *decoder, b []byte) { d.image().Loc = d.url(b) },
		"title":        func(d *decoder, b []byte) { d.image().Title = d.text(b) },
		"caption":      func(d *decoder, b []byte) { d.image().Caption = d.text(b) },
		"geo_location": func(d *decoder, b []byte) { d.image().GeoLocation = d.text(b) },
		"license":      func(d *decoder, b []byte) { d.image().License = d.url(b) },
	}},
	elemVideo: {videoSpace, map[string]leaf{
		"thumbnail_loc":         func(d *decoder, b []byte) { d.video().ThumbnailLoc = d.url(b) },
		"title":                 func(d *decoder, b []byte) { d.video().Title = d.text(b) },
		"description":           func(d *decoder, b []byte) { d.video().Description = d.text(b) },
		"content_loc":           func(d *decoder, b []byte) { d.video().ContentLoc = d.url(b) },
		"player_loc":            func(d *decoder, b []byte) { d.video().PlayerLoc = d.url(b) },
		"duration":              func(d *decoder, b []byte) { d.video().Duration = time.Duration(d.count(b, 1<<31)) * time.Second },
		"publication_date":      func(d *decoder, b []byte) { d.video().Published = d.date(b) },
		"expiration_date":       func(d *decoder, b []byte) { d.video().Expires = d.date(b) },
		"rating":                (*decoder).rating,
		"view_count":            func(d *decoder, b []byte) { d.video().Views = d.count(b, 1<<62) },
		"tag":                   (*decoder).tag,
		"category":              func(d *decoder, b []byte) { d.video().Category = d.text(b) },
		"uploader":              func(d *decoder, b []byte) { d.video().Uploader = d.text(b) },
		"family_friendly":       func(d *decoder, b []byte) { d.video().NotFamilyFriendly = bytes.EqualFold(b, []byte("no")) },
		"requires_subscription": func(d *decoder, b []byte) { d.video().RequiresSubscription = bytes.EqualFold(b, []byte("yes")) },
		"live":                  func(d *decoder, b []byte) { d.video().Live = bytes.EqualFold(b, []byte("yes")) },
		"restriction":           func(d *decoder, b []byte) { d.video().Countries.Values = strings.Fields(d.text(b)) },
		"platform":              func(d *decoder, b []byte) { d.video().Platforms.Values = strings.Fields(d.text(b)) },
	}},
	elemNews: {newsSpace, map[string]leaf{
		"title":            func(d *decoder, b []byte) { d.entry.News.Title = d.text(b) },
		"publication_date": func(d *decoder, b []byte) { d.entry.News.Published = d.date(b) },
		"keywords":         func(d *decoder, b []byte) { d.entry.News.Keywords = d.text(b) },
		"genres":           func(d *decoder, b []byte) { d.entry.News.Genres = d.text(b) },
		"stock_tickers":    func(d *decoder, b []byte) { d.entry.News.Tickers = d.text(b) },
		"access":           func(d *decoder, b []byte) { d.entry.News.Access = d.text(b) },
	}},
	elemPublication: {newsSpace, map[string]leaf{
		"name":     func(d *decoder, b []byte) { d.entry.News.Publication = d.text(b) },
		"language": func(d *decoder, b []byte) { d.entry.News.Language = d.text(b) },
	}},
}

func (d *decoder) rating(text []byte) {
	var ok bool
	if d.video().Rating, ok = decimal(text, 5); !ok {
		d.report(BadExtension, text, nil)
	}
}

func (d *decoder) tag(text []byte) {
	if v := d.video(); d.room(len(v.Tags), maxTags, 0) {
		v.Tags = append(v.Tags, d.text(text))
	}
}

// text converts a value to valid UTF-8 with XML line breaks.
func (d *decoder) text(b []byte) string {
	if !d.room(0, 1, len(b)) {
		return ""
	}
	if utf8.Valid(b) && bytes.IndexByte(b, '\r') < 0 {
		return string(b)
	}
	return strings.ToValidUTF8(lineBreaks.Replace(string(b)), "\uFFFD")
}

var lineBreaks = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// word shares one string among entries with the same value.
func (d *decoder) word(b []byte) string {
	if s, ok := d.words[string(b)]; ok {
		return s
	}
	s := d.text(b)
	if len(d.words) < maxWords && len(s) <= 64 {
		d.words[s] = s
	}
	return s
}

// url converts a value to a URL, or to "" with a finding.
func (d *decoder) url(b []byte) string {
	if !d.room(0, 1, len(b)) || d.hasMarkup() {
		return ""
	}
	loc, err := location(b)
	if err != nil {
		d.report(BadExtension, b, err)
	}
	return loc
}

// date parses a time, or reports a finding.
func (d *decoder) date(b []byte) time.Time {
	t, ok := parseW3C(b)
	if !ok {
		d.report(BadExtension, b, nil)
	}
	return t
}

// count parses a number from 0 to limit, or reports a finding.
func (d *decoder) count(b []byte, limit int64) int64 {
	n, err := strconv.ParseInt(string(b), 10, 64)
	if err != nil || n < 0 || n > limit {
		d.report(BadExtension, b, nil)
		return 0
	}
	return n
}
