package report

import (
	"cmp"
	"time"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// A SitemapFile is a sitemap that was asked for.
type SitemapFile struct {
	URL      string `json:"url"`
	Status   int    `json:"status"`
	Host     string `json:"host"`          // whose robots.txt lists it, by itself or by an index
	Via      string `json:"via,omitempty"` // the robots.txt or index that lists it
	Pages    int    `json:"pages"`
	Sitemaps int    `json:"sitemaps"`
	Faults   int    `json:"faults"` // entries that are in a list of what is wrong
	Detail   string `json:"detail,omitempty"`
}

// sitemapFiles knows the sitemap files of a crawl.
type sitemapFiles struct {
	rows    int
	files   []SitemapFile
	read    map[key]time.Time
	indexes map[key]bool
	faults  map[key]int
	unread  int // that could not be read, but for those that are not there
}

func newSitemapFiles(rows int) *sitemapFiles {
	return &sitemapFiles{
		rows: rows, read: make(map[key]time.Time), indexes: make(map[key]bool), faults: make(map[key]int),
	}
}

func (s *sitemapFiles) learn(m *output.Sitemap) {
	k := keyOf(m.URL)
	s.files = append(s.files, SitemapFile{
		URL: m.URL, Status: m.Status, Host: m.Host, Via: m.Via, Pages: m.Pages, Sitemaps: m.Sitemaps, Detail: clip(m.Detail),
	})
	s.read[k] = m.FetchedAt
	if m.Sitemaps > 0 {
		s.indexes[k] = true
	}
	if m.Detail != "" || !fine(m.Status) && m.Status != 404 && m.Status != 410 {
		s.unread++ // wholly
	}
}

// rejected tells whether what was left alone is a sitemap file, not a page. What a
// robots.txt or an index lists is one.
func (s *sitemapFiles) rejected(r *output.Rejection) bool {
	return r.Source == "sitemap" && (s.indexes[keyOf(r.Via)] || r.Via == originOf(r.Via)+"/robots.txt")
}

// reject is rejected, and counts the file.
func (s *sitemapFiles) reject(r *output.Rejection) bool {
	if !s.rejected(r) {
		return false
	}
	s.unread++
	s.files = append(s.files, SitemapFile{
		URL: r.URL, Host: originOf(r.Via), Via: r.Via, Detail: clip(string(r.Reason) + because(r)),
	})
	return true
}

// because is what there is to say beside a reason.
func because(r *output.Rejection) string {
	switch {
	case r.Rule != "":
		return ": " + r.Rule
	case r.Detail != "":
		return ": " + r.Detail
	}
	return ""
}

func (s *sitemapFiles) list() List[SitemapFile] {
	files := newFirsts(s.rows, func(a, b SitemapFile) int {
		bad := func(f SitemapFile) bool { return !fine(f.Status) || f.Detail != "" }
		switch {
		case bad(a) != bad(b) && bad(a):
			return -1
		case bad(a) != bad(b):
			return 1
		}
		return cmp.Or(cmp.Compare(b.Faults, a.Faults), cmp.Compare(a.URL, b.URL), cmp.Compare(a.Host, b.Host))
	})
	for _, f := range s.files {
		f.Faults = s.faults[keyOf(f.URL)]
		files.add(f)
	}
	return files.list()
}
