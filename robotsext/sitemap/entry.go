package sitemap

import "time"

// DefaultPriority is the priority of an entry without one.
const DefaultPriority = 0.5

// Entry is one entry of a sitemap: a page, or another sitemap in a sitemap index.
type Entry struct {
	// Loc is the absolute URL (http, https or ftp) in ASCII. Host names in other scripts
	// are converted to punycode; spaces and characters outside ASCII are percent-encoded.
	Loc string

	// Sitemap is true if Loc is a sitemap listed by an index, not a page.
	Sitemap bool

	// File is the URL of the sitemap that lists Loc. [Read] leaves it empty.
	File string

	// LastMod is the time of the last change in UTC, as claimed by the site. It is zero if it
	// is missing or invalid.
	LastMod time.Time

	// ChangeFreq is always, hourly, daily, weekly, monthly, yearly or never, or "" if it
	// is missing. It is a hint.
	ChangeFreq string

	// Priority is between 0 and 1, relative to other pages of the site; default
	// DefaultPriority. It is a hint.
	Priority float32

	Alternates []Alternate // the same page in other languages or for other devices
	Images     []Image     // images on the page
	Videos     []Video     // videos on the page
	News       *News       // set if the page is a news article

	// Index is the position of the entry in the file, from 0, counting skipped entries. To
	// resume an interrupted read, read the file again and skip the entries up to the last
	// Index.
	Index int

	// Line and Column are where the entry begins, from 1, as in a [Finding].
	Line, Column int
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
	ThumbnailLoc string // URL
	Title        string
	Description  string
	ContentLoc   string // URL of the media file; it or PlayerLoc is set
	PlayerLoc    string // URL of a player
	Duration     time.Duration
	Published    time.Time
	Expires      time.Time // zero if never
	Rating       float32   // 0 to 5
	Views        int64
	Tags         []string
	Category     string
	Uploader     string
	UploaderURL  string

	NotFamilyFriendly    bool
	RequiresSubscription bool
	Live                 bool

	Countries Restriction // countries that may show it, as ISO 3166 codes
	Platforms Restriction // platforms that may show it: web, mobile, tv
}

// Restriction allows a video only for the listed values, or for all others.
type Restriction struct {
	Allow  bool     `json:"allow"`  // only Values; if false, all but Values
	Values []string `json:"values"` // empty if there is no restriction
}

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
