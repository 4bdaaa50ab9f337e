package report

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// A SitemapFile is a sitemap that was requested.
type SitemapFile struct {
	URL               string `json:"url"`
	Status            int    `json:"status"`
	Origin            string `json:"origin"`             // the origin whose robots.txt lists it, directly or through an index
	FoundOn           string `json:"found_on,omitempty"` // the robots.txt or index that lists it
	Pages             int    `json:"pages"`
	Sitemaps          int    `json:"sitemaps"`
	DiscrepantEntries int    `json:"discrepant_entries"` // entries with a discrepancy
	Detail            string `json:"detail,omitempty"`
}

// read reports whether the whole file was read.
func (f *SitemapFile) read() bool { return succeeded(f.Status) && f.Detail == "" }

// sitemapFiles are the sitemap files of a crawl.
type sitemapFiles struct {
	rows     int
	files    []SitemapFile
	place    map[key]int // in files, by sitemapKey
	readAt   map[key]time.Time
	indexes  map[key]bool
	problems map[key]int // entries in a list of discrepancies

	disallowed map[key]bool // by sitemapKey
}

func newSitemapFiles(rows int) *sitemapFiles {
	return &sitemapFiles{
		rows: rows, place: make(map[key]int), readAt: make(map[key]time.Time), indexes: make(map[key]bool), problems: make(map[key]int),
		disallowed: make(map[key]bool),
	}
}

func (s *sitemapFiles) add(m *output.Sitemap) {
	k := keyOf(m.URL)
	s.place[sitemapKey(m.URL, m.FoundOn)] = len(s.files)
	s.files = append(s.files, SitemapFile{
		URL: m.URL, Status: m.Status, Origin: m.Origin, FoundOn: m.FoundOn, Pages: m.Pages, Sitemaps: m.Sitemaps, Detail: clip(m.Detail),
	})
	if m.FetchedAt.After(s.readAt[k]) {
		s.readAt[k] = m.FetchedAt
	}
	if m.Sitemaps > 0 {
		s.indexes[k] = true
	}
}

// unread says how many files were not read completely, and why. It is empty if all of these do
// not exist, or redirect to one that was requested.
func (s *sitemapFiles) unread() string {
	redirects := make(map[string]bool)
	for _, f := range s.files {
		redirects[f.FoundOn] = true
	}
	var disallowed, missing, followed, others int
	for i, f := range s.files {
		switch {
		case s.disallowed[sitemapKey(f.URL, f.FoundOn)]:
			disallowed++
		case s.files[i].read():
		case f.Detail == "" && (f.Status == 404 || f.Status == 410):
			missing++
		case f.Detail == "" && redirected(f.Status) && redirects[f.URL]:
			followed++
		default:
			others++
		}
	}
	if disallowed+others == 0 {
		return ""
	}
	var reasons []string
	add := func(n int, reason string) {
		if n > 0 {
			reasons = append(reasons, fmt.Sprintf("%d %s", n, reason))
		}
	}
	add(disallowed, "disallowed")
	add(others, "skipped, failed or incomplete")
	add(missing, "not found")
	add(followed, "redirected")
	n, verb := disallowed+others+missing+followed, "were"
	if n == 1 {
		verb = "was"
	}
	return fmt.Sprintf("%d of %s not read completely: %s", n, subject(len(s.files), "sitemap file", verb, verb), strings.Join(reasons, ", "))
}

// rejected reports whether a rejection is of a sitemap file, not a page: sitemaps.jsonl has
// it too, or a robots.txt or an index lists it.
func (s *sitemapFiles) rejected(r *output.Rejection) bool {
	_, known := s.place[sitemapKey(r.URL, r.FoundOn)]
	return known || r.Source == "sitemap" && (s.indexes[keyOf(r.FoundOn)] || r.FoundOn == originOf(r.FoundOn)+"/robots.txt")
}

// sitemapKey stands for a sitemap file as it is listed in one place or by one host.
func sitemapKey(url, lister string) key { return keyOf(url + "\n" + lister) }

// reject records the rejection of a sitemap file. It reports false for that of a page.
func (s *sitemapFiles) reject(r *output.Rejection) bool {
	if !s.rejected(r) {
		return false
	}
	detail := clip(string(r.Reason) + detailOf(r))
	if r.Reason == output.Disallowed {
		s.disallowed[sitemapKey(r.URL, r.FoundOn)] = true
	}
	if i, known := s.place[sitemapKey(r.URL, r.FoundOn)]; known {
		s.files[i].Detail = detail
	} else {
		s.files = append(s.files, SitemapFile{URL: r.URL, Origin: originOf(r.FoundOn), FoundOn: r.FoundOn, Detail: detail})
	}
	return true
}

// detailOf is what a rejection says beside its reason.
func detailOf(r *output.Rejection) string {
	if detail := cmp.Or(r.Rule, r.Detail); detail != "" {
		return ": " + detail
	}
	return ""
}

// read counts the files that were read completely.
func (s *sitemapFiles) read() (n int) {
	for i := range s.files {
		if s.files[i].read() {
			n++
		}
	}
	return n
}

func (s *sitemapFiles) list() List[SitemapFile] {
	for i := range s.files {
		s.files[i].DiscrepantEntries = s.problems[keyOf(s.files[i].URL)]
	}
	unreadFirst := func(f SitemapFile) int {
		if f.read() {
			return 1
		}
		return 0
	}
	return listOf(s.rows, s.files, func(a, b SitemapFile) int {
		return cmp.Or(unreadFirst(a)-unreadFirst(b), cmp.Compare(b.DiscrepantEntries, a.DiscrepantEntries),
			cmp.Compare(a.URL, b.URL), cmp.Compare(a.Origin, b.Origin), cmp.Compare(a.FoundOn, b.FoundOn))
	})
}
