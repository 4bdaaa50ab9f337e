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
	sitemap.Entry
	Videos []listedVideo `json:"videos,omitempty"`
}

type listedVideo struct {
	sitemap.Video
	Duration float64 `json:"duration,omitempty"` // seconds
}

func listedEntryOf(e sitemap.Entry) listedEntry {
	l := listedEntry{Entry: e}
	for _, v := range e.Videos {
		l.Videos = append(l.Videos, listedVideo{v, v.Duration.Seconds()})
	}
	return l
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
