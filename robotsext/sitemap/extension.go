package sitemap

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	maxItems    = 1000    // images of one page, as Google has it; and videos, and alternates
	maxTags     = 32      // of one video, as Google has it
	maxAppendix = 1 << 20 // bytes of all extension values of one entry
	maxWords    = 64      // different values of a kind with few, such as languages
)

// errNoURL is why an image or a video is left out.
var errNoURL = errors.New("it has no URL")

// openExtension begins an image, a video or an article, or takes an alternate,
// which is all in its attributes.
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

// skip passes over the element just opened.
func (d *decoder) skip() {
	d.top = elemOther
	d.frames[len(d.frames)-1].elem = elemOther
}

// room reports whether one more item, or n bytes, may be added to the entry.
// It says so once when not.
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

// closeExtension drops an image or a video that cannot be found.
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

// alternate takes <xhtml:link rel="alternate" hreflang="de" href="…"/>.
func (d *decoder) alternate(attrs []byte) {
	var a Alternate
	var href []byte
	isAlternate := false
	for {
		name, value, rest, ok := nextAttr(attrs)
		if !ok {
			break
		}
		attrs = rest
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
	if d.entry.Alternates == nil {
		d.entry.Alternates = make([]Alternate, 0, d.usual) // mostly each page has as many as the one before
	}
	d.entry.Alternates = append(d.entry.Alternates, a)
}

// openLeaf takes the attributes that some leaves have.
func (d *decoder) openLeaf(el elem) {
	switch el {
	case elemVideoCountries:
		d.video().Countries.Allow = d.attr("relationship") == "allow"
	case elemVideoPlatforms:
		d.video().Platforms.Allow = d.attr("relationship") == "allow"
	case elemVideoUploader:
		if info := d.attr("info"); info != "" {
			d.video().UploaderURL = d.url([]byte(info))
		}
	}
}

// attr returns an attribute of the tag just read.
func (d *decoder) attr(want string) string {
	attrs := d.scan.attrs
	for {
		name, value, rest, ok := nextAttr(attrs)
		if !ok {
			return ""
		}
		if string(name) == want {
			value, _ = appendText(nil, value)
			return string(bytes.TrimSpace(value))
		}
		attrs = rest
	}
}

// image and video return the item that is being read.
func (d *decoder) image() *Image { return &d.entry.Images[len(d.entry.Images)-1] }
func (d *decoder) video() *Video { return &d.entry.Videos[len(d.entry.Videos)-1] }

// extensionValue takes the text of a leaf of an extension.
func (d *decoder) extensionValue(el elem, text []byte) {
	switch {
	case len(text) == 0:
	case el <= elemImageLicense:
		d.imageValue(el, text)
	case el <= elemVideoPlatforms:
		d.videoValue(el, text)
	default:
		d.newsValue(el, text)
	}
}

func (d *decoder) imageValue(el elem, text []byte) {
	m := d.image()
	switch el {
	case elemImageLoc:
		m.Loc = d.url(text)
	case elemImageTitle:
		m.Title = d.text(text)
	case elemImageCaption:
		m.Caption = d.text(text)
	case elemImageGeo:
		m.GeoLocation = d.text(text)
	case elemImageLicense:
		m.License = d.url(text)
	}
}

func (d *decoder) videoValue(el elem, text []byte) {
	v := d.video()
	switch el {
	case elemVideoThumbnail:
		v.ThumbnailLoc = d.url(text)
	case elemVideoTitle:
		v.Title = d.text(text)
	case elemVideoDescription:
		v.Description = d.text(text)
	case elemVideoContent:
		v.ContentLoc = d.url(text)
	case elemVideoPlayer:
		v.PlayerLoc = d.url(text)
	case elemVideoDuration:
		v.Duration = time.Duration(d.count(text, 1<<31)) * time.Second
	case elemVideoPublished:
		v.Published = d.date(text)
	case elemVideoExpires:
		v.Expires = d.date(text)
	case elemVideoRating:
		var ok bool
		if v.Rating, ok = decimal(text, 5); !ok {
			d.report(BadExtension, text, nil)
		}
	case elemVideoViews:
		v.Views = d.count(text, 1<<62)
	case elemVideoTag:
		if d.room(len(v.Tags), maxTags, 0) {
			v.Tags = append(v.Tags, d.text(text))
		}
	case elemVideoCategory:
		v.Category = d.text(text)
	case elemVideoUploader:
		v.Uploader = d.text(text)
	case elemVideoFamily:
		v.NotFamilyFriendly = bytes.EqualFold(text, []byte("no"))
	case elemVideoSubscription:
		v.RequiresSubscription = bytes.EqualFold(text, []byte("yes"))
	case elemVideoLive:
		v.Live = bytes.EqualFold(text, []byte("yes"))
	case elemVideoCountries:
		v.Countries.Values = strings.Fields(d.text(text))
	case elemVideoPlatforms:
		v.Platforms.Values = strings.Fields(d.text(text))
	}
}

func (d *decoder) newsValue(el elem, text []byte) {
	n := d.entry.News
	switch el {
	case elemNewsName:
		n.Publication = d.text(text)
	case elemNewsLanguage:
		n.Language = d.text(text)
	case elemNewsTitle:
		n.Title = d.text(text)
	case elemNewsPublished:
		n.Published = d.date(text)
	case elemNewsKeywords:
		n.Keywords = d.text(text)
	case elemNewsGenres:
		n.Genres = d.text(text)
	case elemNewsTickers:
		n.Tickers = d.text(text)
	case elemNewsAccess:
		n.Access = d.text(text)
	}
}

// text keeps a value as valid UTF-8 with line breaks as XML has them.
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

// word keeps a value that many entries of a file have in common.
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

// url keeps a value as a URL, or leaves it out.
func (d *decoder) url(b []byte) string {
	if !d.room(0, 1, len(b)) {
		return ""
	}
	loc, err := location(b)
	if err != nil {
		d.report(BadExtension, b, err)
	}
	return loc
}

// date keeps a value as a time, or leaves it out.
func (d *decoder) date(b []byte) time.Time {
	t, ok := parseW3C(b)
	if !ok {
		d.report(BadExtension, b, nil)
	}
	return t
}

// count keeps a value as a number from 0 to limit, or leaves it out.
func (d *decoder) count(b []byte, limit int64) int64 {
	n, err := strconv.ParseInt(string(b), 10, 64)
	if err != nil || n < 0 || n > limit {
		d.report(BadExtension, b, nil)
		return 0
	}
	return n
}
