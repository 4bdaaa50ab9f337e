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
	place   map[key]int // in files, by URL and via
	read    map[key]time.Time
	indexes map[key]bool
	pages   int // that they list
	faults  map[key]int
}

func newSitemapFiles(rows int) *sitemapFiles {
	return &sitemapFiles{
		rows: rows, place: make(map[key]int), read: make(map[key]time.Time), indexes: make(map[key]bool), faults: make(map[key]int),
	}
}

func (s *sitemapFiles) learn(m *output.Sitemap) {
	k := keyOf(m.URL)
	s.place[placeOf(m.URL, m.Via)] = len(s.files)
	s.files = append(s.files, SitemapFile{
		URL: m.URL, Status: m.Status, Host: m.Host, Via: m.Via, Pages: m.Pages, Sitemaps: m.Sitemaps, Detail: clip(m.Detail),
	})
	s.pages += m.Pages
	if m.FetchedAt.After(s.read[k]) {
		s.read[k] = m.FetchedAt
	}
	if m.Sitemaps > 0 {
		s.indexes[k] = true
	}
}

// unread counts the files that could not be read to their end, but for those that
// are not there, and those that redirect to one that was asked for.
func (s *sitemapFiles) unread() int {
	led := make(map[string]bool) // somewhere else
	for _, f := range s.files {
		led[f.Via] = true
	}
	n := 0
	for _, f := range s.files {
		switch {
		case f.Detail != "":
			n++
		case fine(f.Status), f.Status == 404, f.Status == 410, redirected(f.Status) && led[f.URL]:
		default:
			n++
		}
	}
	return n
}

// rejected tells whether what was left alone is a sitemap file, not a page: it stands
// in sitemaps.jsonl too, or, of an older crawl, a robots.txt or an index lists it.
func (s *sitemapFiles) rejected(r *output.Rejection) bool {
	_, known := s.place[placeOf(r.URL, r.Via)]
	return known || r.Source == "sitemap" && (s.indexes[keyOf(r.Via)] || r.Via == originOf(r.Via)+"/robots.txt")
}

// placeOf stands for a sitemap file as it is listed in one place.
func placeOf(url, via string) key { return keyOf(url + "\n" + via) }

// reject is rejected, and takes up what there is to know of the file.
func (s *sitemapFiles) reject(r *output.Rejection) bool {
	if !s.rejected(r) {
		return false
	}
	detail := clip(string(r.Reason) + because(r))
	if i, known := s.place[placeOf(r.URL, r.Via)]; known {
		s.files[i].Detail = detail
		return true
	}
	s.files = append(s.files, SitemapFile{URL: r.URL, Host: originOf(r.Via), Via: r.Via, Detail: detail})
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
		return cmp.Or(cmp.Compare(b.Faults, a.Faults), cmp.Compare(a.URL, b.URL), cmp.Compare(a.Host, b.Host), cmp.Compare(a.Via, b.Via))
	})
	for _, f := range s.files {
		f.Faults = s.faults[keyOf(f.URL)]
		files.add(f)
	}
	return files.list()
}
