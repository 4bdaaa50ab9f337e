package sitemap

import (
	"strconv"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/robotsext/secret"
	"github.com/politecrawl/politecrawl/robotsext/sitemap"
)

// A listedEntry is a page as JSON.
type listedEntry struct {
	Loc        string              `json:"loc"`
	IsSitemap  bool                `json:"is_sitemap,omitempty"` // loc is a sitemap that an index lists
	LastMod    time.Time           `json:"lastmod,omitzero"`
	ChangeFreq string              `json:"changefreq,omitempty"`
	Priority   float32             `json:"priority"`
	Alternates []sitemap.Alternate `json:"alternates,omitempty"`
	Images     []sitemap.Image     `json:"images,omitempty"`
	Videos     []listedVideo       `json:"videos,omitempty"`
	News       *sitemap.News       `json:"news,omitempty"`
	Sitemap    string              `json:"sitemap"` // the file that lists it
	Line       int                 `json:"line"`
}

type listedVideo struct {
	ThumbnailLoc         string               `json:"thumbnail_loc"`
	Title                string               `json:"title"`
	Description          string               `json:"description,omitempty"`
	ContentLoc           string               `json:"content_loc,omitempty"`
	PlayerLoc            string               `json:"player_loc,omitempty"`
	Duration             float64              `json:"duration,omitempty"` // seconds
	Published            time.Time            `json:"publication_date,omitzero"`
	Expires              time.Time            `json:"expiration_date,omitzero"`
	Rating               float32              `json:"rating,omitempty"`
	Views                int64                `json:"view_count,omitempty"`
	Tags                 []string             `json:"tags,omitempty"`
	Category             string               `json:"category,omitempty"`
	Uploader             string               `json:"uploader,omitempty"`
	UploaderURL          string               `json:"uploader_url,omitempty"`
	NotFamilyFriendly    bool                 `json:"not_family_friendly,omitempty"`
	RequiresSubscription bool                 `json:"requires_subscription,omitempty"`
	Live                 bool                 `json:"live,omitempty"`
	Countries            *sitemap.Restriction `json:"countries,omitempty"`
	Platforms            *sitemap.Restriction `json:"platforms,omitempty"`
}

func listedEntryOf(e sitemap.Entry) listedEntry {
	l := listedEntry{
		Loc: e.Loc, IsSitemap: e.Sitemap, LastMod: e.LastMod, ChangeFreq: e.ChangeFreq, Priority: e.Priority,
		Alternates: e.Alternates, Images: e.Images, News: e.News, Sitemap: e.File, Line: e.Line,
	}
	for _, v := range e.Videos {
		l.Videos = append(l.Videos, listedVideo{
			ThumbnailLoc: v.ThumbnailLoc, Title: v.Title, Description: v.Description,
			ContentLoc: v.ContentLoc, PlayerLoc: v.PlayerLoc,
			Duration: v.Duration.Seconds(), Published: v.Published, Expires: v.Expires,
			Rating: v.Rating, Views: v.Views, Tags: v.Tags, Category: v.Category,
			Uploader: v.Uploader, UploaderURL: v.UploaderURL,
			NotFamilyFriendly: v.NotFamilyFriendly, RequiresSubscription: v.RequiresSubscription, Live: v.Live,
			Countries: listedRestrictionOf(v.Countries), Platforms: listedRestrictionOf(v.Platforms),
		})
	}
	return l
}

func listedRestrictionOf(r sitemap.Restriction) *sitemap.Restriction {
	if len(r.Values) == 0 {
		return nil
	}
	return &r
}

// withoutUsers removes users and passwords from the URLs of an entry.
func withoutUsers(e *sitemap.Entry) {
	e.Loc = secret.StripUserinfo(e.Loc)
	for i := range e.Alternates {
		e.Alternates[i].Href = secret.StripUserinfo(e.Alternates[i].Href)
	}
	for i := range e.Images {
		image := &e.Images[i]
		image.Loc, image.License = secret.StripUserinfo(image.Loc), secret.StripUserinfo(image.License)
	}
	for i := range e.Videos {
		v := &e.Videos[i]
		v.ThumbnailLoc, v.UploaderURL = secret.StripUserinfo(v.ThumbnailLoc), secret.StripUserinfo(v.UploaderURL)
		v.ContentLoc, v.PlayerLoc = secret.StripUserinfo(v.ContentLoc), secret.StripUserinfo(v.PlayerLoc)
	}
}

// entryColumns are the columns of the table of pages. A cell with several URLs separates
// them by spaces.
var entryColumns = []string{"loc", "lastmod", "changefreq", "priority", "alternates", "images", "videos", "news", "sitemap", "line"}

func entryCells(e sitemap.Entry) []string {
	var lastmod, news string
	if !e.LastMod.IsZero() {
		lastmod = e.LastMod.Format(time.RFC3339)
	}
	if e.News != nil {
		news = e.News.Title
	}
	var alternates, images, videos []string
	for _, a := range e.Alternates {
		alternates = append(alternates, a.Href)
	}
	for _, i := range e.Images {
		images = append(images, i.Loc)
	}
	for _, v := range e.Videos {
		if v.ContentLoc == "" {
			v.ContentLoc = v.PlayerLoc
		}
		videos = append(videos, v.ContentLoc)
	}
	return []string{
		e.Loc, lastmod, e.ChangeFreq, strconv.FormatFloat(float64(e.Priority), 'g', -1, 32),
		strings.Join(alternates, " "), strings.Join(images, " "), strings.Join(videos, " "), news,
		e.File, strconv.Itoa(e.Line),
	}
}
