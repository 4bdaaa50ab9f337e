package sitemap

import "time"

// DefaultPriority is the priority of an entry without one.
const DefaultPriority = 0.5

// Entry is one entry of a sitemap: a page, or another sitemap in a sitemap index.
type Entry struct {
	// Loc is the absolute URL (http, https or ftp) in ASCII. Host names in other scripts
	// are converted to punycode; spaces and characters outside ASCII are percent-encoded.
	Loc string `json:"loc"`

	// Sitemap is true if Loc is a sitemap listed by an index, not a page.
	Sitemap bool `json:"is_sitemap,omitempty"`

	// LastMod is the time of the last change in UTC, as claimed by the site. It is zero if it
	// is missing or invalid.
	LastMod time.Time `json:"lastmod,omitzero"`

	// ChangeFreq is always, hourly, daily, weekly, monthly, yearly or never, or "" if it
	// is missing. It is a hint.
	ChangeFreq string `json:"changefreq,omitempty"`

	// Priority is between 0 and 1, relative to other pages of the site; default
	// DefaultPriority. It is a hint.
	Priority float32 `json:"priority"`

	Alternates []Alternate `json:"alternates,omitempty"` // the same page in other languages or for other devices
	Images     []Image     `json:"images,omitempty"`     // images on the page
	Videos     []Video     `json:"videos,omitempty"`     // videos on the page
	News       *News       `json:"news,omitempty"`       // set if the page is a news article

	// File is the URL of the sitemap that lists Loc. [Read] leaves it empty.
	File string `json:"sitemap"`

	// Index is the position of the entry in the file, from 0, counting skipped entries. To
	// resume an interrupted read, read the file again and skip the entries up to the last
	// Index.
	Index int `json:"-"`

	// Line and Column are where the entry begins, from 1, as in a [Finding].
	Line   int `json:"line"`
	Column int `json:"-"`
}

// Alternate is another version of a page, from an xhtml:link with rel="alternate".
type Alternate struct {
	Href  string `json:"href"`               // absolute URL, in the form of Entry.Loc
	Lang  string `json:"hreflang,omitempty"` // "de", "en-GB", "x-default"; may be empty
	Media string `json:"media,omitempty"`    // a CSS media query for a version for other devices; may be empty
}

// Image is an image of a page (namespace sitemap-image/1.1).
type Image struct {
	Loc         string `json:"loc"` // absolute URL, in the form of Entry.Loc
	Title       string `json:"title,omitempty"`
	Caption     string `json:"caption,omitempty"`
	GeoLocation string `json:"geo_location,omitempty"`
	License     string `json:"license,omitempty"` // URL
}

// Video is a video of a page (namespace sitemap-video/1.1).
type Video struct {
	ThumbnailLoc string        `json:"thumbnail_loc"` // URL
	Title        string        `json:"title"`
	Description  string        `json:"description,omitempty"`
	ContentLoc   string        `json:"content_loc,omitempty"` // URL of the media file; it or PlayerLoc is set
	PlayerLoc    string        `json:"player_loc,omitempty"`  // URL of a player
	Duration     time.Duration `json:"duration,omitempty"`
	Published    time.Time     `json:"publication_date,omitzero"`
	Expires      time.Time     `json:"expiration_date,omitzero"` // zero if never
	Rating       float32       `json:"rating,omitempty"`         // 0 to 5
	Views        int64         `json:"view_count,omitempty"`
	Tags         []string      `json:"tags,omitempty"`
	Category     string        `json:"category,omitempty"`
	Uploader     string        `json:"uploader,omitempty"`
	UploaderURL  string        `json:"uploader_url,omitempty"`

	NotFamilyFriendly    bool `json:"not_family_friendly,omitempty"`
	RequiresSubscription bool `json:"requires_subscription,omitempty"`
	Live                 bool `json:"live,omitempty"`

	Countries Restriction `json:"countries,omitzero"` // countries that may show it, as ISO 3166 codes
	Platforms Restriction `json:"platforms,omitzero"` // platforms that may show it: web, mobile, tv
}

// Restriction allows a video only for the listed values, or for all others.
type Restriction struct {
	Allow  bool     `json:"allow"`  // only Values; if false, all but Values
	Values []string `json:"values"` // empty if there is no restriction
}

// IsZero reports whether there is no restriction.
func (r Restriction) IsZero() bool { return len(r.Values) == 0 }

// News describes a news article (namespace sitemap-news/0.9).
type News struct {
	Publication string    `json:"publication"`        // name of the newspaper
	Language    string    `json:"language,omitempty"` // ISO 639: "en", "zh-cn"
	Title       string    `json:"title"`
	Published   time.Time `json:"publication_date,omitzero"`
	Keywords    string    `json:"keywords,omitempty"`
	Genres      string    `json:"genres,omitempty"`
	Tickers     string    `json:"stock_tickers,omitempty"` // stock symbols
	Access      string    `json:"access,omitempty"`        // Subscription or Registration; empty if free
}
