package sitemap

import "time"

// DefaultPriority is the priority of an entry that states none.
const DefaultPriority = 0.5

// Entry is one thing that a sitemap lists: a page, or, in a sitemap index,
// another sitemap.
type Entry struct {
	// Loc is the absolute URL (http, https or ftp), in ASCII: a host name
	// in another script is in punycode, spaces and characters outside
	// ASCII are percent-encoded, all else is as written.
	Loc string

	// Sitemap tells that Loc is a sitemap listed by an index, not a page.
	Sitemap bool

	// File is the URL of the sitemap that lists Loc, as far as whoever
	// fetched it says so: [Read], which does not know it, leaves it empty.
	File string

	// LastMod is when Loc last changed, in UTC, as the site states it.
	// The zero time: not stated, or not readable.
	LastMod time.Time

	// ChangeFreq is always, hourly, daily, weekly, monthly, yearly or
	// never; "" if not stated. A hint.
	ChangeFreq string

	// Priority is between 0 and 1, relative to the other pages of the
	// site; DefaultPriority if not stated. A hint.
	Priority float32

	Alternates []Alternate // the same page in other languages or for other devices
	Images     []Image     // images on the page
	Videos     []Video     // videos on the page
	News       *News       // set if the page is a news article

	// Index is the place of the entry among all of the file, from 0;
	// entries that were skipped count. Whoever stops half-way and reads
	// the file again can go on behind the last Index seen.
	Index int

	// Line is the line on which the entry begins, from 1.
	Line int
}

// Alternate is another version of a page: an xhtml:link with rel="alternate".
type Alternate struct {
	Href  string `json:"href"`               // absolute URL, of the same form as Entry.Loc
	Lang  string `json:"hreflang,omitempty"` // "de", "en-GB", "x-default"; may be empty
	Media string `json:"media,omitempty"`    // a CSS media query, for a version meant for other devices; may be empty
}

// Image is an image that a page shows (namespace sitemap-image/1.1).
type Image struct {
	Loc         string `json:"loc"` // absolute URL, of the same form as Entry.Loc
	Title       string `json:"title,omitempty"`
	Caption     string `json:"caption,omitempty"`
	GeoLocation string `json:"geo_location,omitempty"`
	License     string `json:"license,omitempty"` // URL
}

// Video is a video that a page shows (namespace sitemap-video/1.1).
type Video struct {
	ThumbnailLoc string // URL
	Title        string
	Description  string
	ContentLoc   string // URL of the media file; it or PlayerLoc is there
	PlayerLoc    string // URL of a player
	Duration     time.Duration
	Published    time.Time
	Expires      time.Time // not to be shown afterwards; zero: never expires
	Rating       float32   // 0 to 5
	Views        int64
	Tags         []string
	Category     string
	Uploader     string
	UploaderURL  string

	NotFamilyFriendly    bool
	RequiresSubscription bool
	Live                 bool

	Countries Restriction // where it may be shown, as ISO 3166 codes
	Platforms Restriction // on what it may be shown: web, mobile, tv
}

// Restriction allows a video for the listed values only, or for all others.
type Restriction struct {
	Allow  bool     `json:"allow"`  // true: only Values; false: all but Values
	Values []string `json:"values"` // empty: no restriction
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
	Access      string    `json:"access,omitempty"`        // Subscription, Registration; empty: open
}
