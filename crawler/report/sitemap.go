package report

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/redirection"
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
func (f *SitemapFile) read() bool { return f.Status/100 == 2 && f.Detail == "" }

// missing reports whether the file does not exist.
func (f *SitemapFile) missing() bool { return f.Detail == "" && (f.Status == 404 || f.Status == 410) }

// sitemapFiles are the sitemap files of a crawl.
type sitemapFiles struct {
	rows     int
	files    []SitemapFile
	place    map[key]int // in files, by sitemapKey
	readAt   map[key]time.Time
	indexes  map[key]bool
	problems map[key]int // entries in a list of discrepancies

	limited     map[key]bool              // by sitemapKey: a limit of the crawl ended the reading
	rejections  map[key]*output.Rejection // by sitemapKey
	redirecting map[key]int               // files that redirect, in files
	faulty      map[string]bool           // origins with a file that may list more pages than were read
}

func newSitemapFiles(rows int) *sitemapFiles {
	return &sitemapFiles{
		rows: rows, place: make(map[key]int), readAt: make(map[key]time.Time), indexes: make(map[key]bool), problems: make(map[key]int),
		limited: make(map[key]bool), rejections: make(map[key]*output.Rejection), redirecting: make(map[key]int), faulty: make(map[string]bool),
	}
}

func (s *sitemapFiles) add(m *output.Sitemap) {
	k := keyOf(m.URL)
	s.place[sitemapKey(m.URL, m.FoundOn)] = len(s.files)
	s.files = append(s.files, SitemapFile{
		URL: m.URL, Status: m.Status, Origin: m.Origin, FoundOn: m.FoundOn, Pages: m.Pages, Sitemaps: m.Sitemaps, Detail: clip(m.Detail),
	})
	if m.Reason == output.MaxSitemapEntries {
		s.limited[sitemapKey(m.URL, m.FoundOn)] = true
	}
	if _, known := s.redirecting[k]; redirected(m.Status) && (!known || m.FoundOn != "") {
		s.redirecting[k] = len(s.files) - 1
	}
	if m.FetchedAt.After(s.readAt[k]) {
		s.readAt[k] = m.FetchedAt
	}
	if m.Sitemaps > 0 {
		s.indexes[k] = true
	}
}

// named reports whether a robots.txt or an index names a file, directly or by a redirect. The crawl
// probes other files, which may not exist.
func (s *sitemapFiles) named(f *SitemapFile) bool {
	for range redirection.Max {
		from, redirects := s.redirecting[keyOf(f.FoundOn)]
		if f.FoundOn == "" || !redirects {
			break
		}
		f = &s.files[from]
	}
	return f.FoundOn != ""
}

// A sitemapFault is what is wrong with a file.
type sitemapFault int

const (
	fileFine sitemapFault = iota
	fileUnreadable
	fileIncomplete
)

// fault returns the fault of a file. A limit of the crawl is no fault.
func (s *sitemapFiles) fault(f *SitemapFile) sitemapFault {
	k := sitemapKey(f.URL, f.FoundOn)
	if r := s.rejections[k]; r != nil {
		switch r.Reason {
		case output.Disallowed, output.Failed, output.InvalidURL, output.TooManyRedirects:
			if s.named(f) {
				return fileUnreadable
			}
		}
		return fileFine
	}
	switch {
	case s.limited[k], f.read(), redirected(f.Status): // the target has a line of its own
		return fileFine
	case f.Pages+f.Sitemaps > 0:
		return fileIncomplete
	case s.named(f):
		return fileUnreadable
	}
	return fileFine
}

// conclude finds the origins of faulty files, when all are known.
func (s *sitemapFiles) conclude() {
	for i := range s.files {
		if f := &s.files[i]; s.fault(f) != fileFine && !f.missing() {
			s.faulty[f.Origin], s.faulty[originOf(f.URL)] = true, true // other origins may list it too
		}
	}
}

// firstWeb is when the first website went up.
var firstWeb = time.Date(1991, 8, 6, 0, 0, 0, 0, time.UTC)

// maxAhead allows for dates without a time zone: some days start 14 hours before UTC.
const maxAhead = 14 * time.Hour

// invalidLastmod says why the date of an entry is invalid, or "" if it is valid.
func (s *sitemapFiles) invalidLastmod(e *output.Entry) string {
	read := s.readAt[keyOf(e.Sitemap)]
	switch {
	case e.LastMod.IsZero():
		return ""
	case e.LastMod.Before(firstWeb):
		return "before the first website"
	case !read.IsZero() && e.LastMod.After(read.Add(maxAhead)):
		return "later than the fetch on " + read.UTC().Format(time.DateOnly)
	}
	return ""
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
		switch r := s.rejections[sitemapKey(f.URL, f.FoundOn)]; {
		case r != nil && r.Reason == output.Disallowed:
			disallowed++
		case s.files[i].read():
		case s.files[i].missing():
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

// rejected reports whether a rejection is of a sitemap file, not a page: sitemaps.jsonl, a
// robots.txt or an index lists the file.
func (s *sitemapFiles) rejected(r *output.Rejection) bool {
	_, known := s.place[sitemapKey(r.URL, r.FoundOn)]
	return known || r.Source == "sitemap" && (s.indexes[keyOf(r.FoundOn)] || r.FoundOn == originOf(r.FoundOn)+"/robots.txt")
}

// sitemapKey stands for a sitemap file as it is listed in one place or by one host.
func sitemapKey(url, lister string) key { return keyOf(url + "\n" + lister) }

// reject records the rejection of a sitemap file. It reports false for a page.
func (s *sitemapFiles) reject(r *output.Rejection) bool {
	if !s.rejected(r) {
		return false
	}
	k, detail := sitemapKey(r.URL, r.FoundOn), clip(string(r.Reason)+detailText(cmp.Or(r.Rule, r.Detail)))
	s.rejections[k] = r
	if i, known := s.place[k]; known {
		s.files[i].Detail = detail
	} else {
		s.files = append(s.files, SitemapFile{URL: r.URL, Origin: originOf(r.FoundOn), FoundOn: r.FoundOn, Detail: detail})
	}
	return true
}

// list returns the files, and the number of those that were read completely.
func (s *sitemapFiles) list() (list List[SitemapFile], read int) {
	for i := range s.files {
		f := &s.files[i]
		f.DiscrepantEntries = s.problems[keyOf(f.URL)]
		if f.read() {
			read++
		}
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
	}), read
}
