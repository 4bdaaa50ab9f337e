package scope

import (
	"fmt"
	"strings"

	"github.com/politecrawl/politecrawl/crawler/internal/provenance"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// maxBlock is the largest number of segments that are checked for repetition as a group. A
// site with a wrong relative link repeats two or three.
const maxBlock = 8

// Bounds are the limits of single URLs.
type Bounds struct {
	MaxDepth   int // links from a start URL or a sitemap entry; -1 means no limit
	MaxURL     int // bytes
	MaxParams  int // query parameters; 0 means no limit
	MaxRepeats int // repetitions in a row of a part of the path of a linked URL; 0 means no limit

	Include Patterns // a URL must match one of them; empty means no limit
	Exclude Patterns // a URL must match none of them
}

// TooDeep reports whether a depth is more links away than the crawl follows.
func (s *Scope) TooDeep(depth int) bool {
	return s.bounds.MaxDepth >= 0 && depth > s.bounds.MaxDepth
}

// Excluded returns the pattern that excludes a URL, or "" if none does.
func (s *Scope) Excluded(url string) string { return s.bounds.Excluded(url) }

// ExcludedCheck returns the expression in Exclude that matches a URL, or "" if none does. Include
// does not apply to URLs that are only checked.
func (s *Scope) ExcludedCheck(url string) string {
	only := Bounds{Exclude: s.bounds.Exclude}
	return only.Excluded(url)
}

// Exceeded returns the limit on single URLs that a URL exceeds, with details, or "" if none. The
// limit on repetitions does not apply to sitemap entries and their redirects.
func (s *Scope) Exceeded(url string, t provenance.Provenance) (output.Reason, string) {
	if why := s.Excluded(url); why != "" {
		return output.Excluded, why
	}
	if len(url) > s.bounds.MaxURL {
		return output.TooLong, fmt.Sprintf("it has %d bytes (max-url %d)", len(url), s.bounds.MaxURL)
	}
	page, query, _ := strings.Cut(url, "?")
	if n := weburl.Segments(page); n > weburl.MaxSegments {
		return output.TooLong, fmt.Sprintf("its path has %d segments, more than %d", n, weburl.MaxSegments)
	}
	if most := s.bounds.MaxParams; most > 0 && len(query) > most {
		if n := 1 + strings.Count(query, "&"); n > most {
			return output.TooLong, fmt.Sprintf("it has %d parameters (max-params %d)", n, most)
		}
	}
	if most := s.bounds.MaxRepeats; most > 0 && !t.IsEntry() {
		if block := repeated(page, most); block != "" {
			return output.RepeatedSegment, fmt.Sprintf("%s repeats more than %d times in a row in its path (max-repeats)", block, most)
		}
	}
	return "", ""
}

// repeated returns the segments of a path that repeat in a row more than most times, such as /a/b
// in /a/b/a/b/a/b, or "" if none do. Numbers may repeat, as in dates and map coordinates.
func repeated(page string, most int) string {
	_, path, _ := strings.Cut(page, "://")
	if strings.Count(path, "/") <= most { // nearly always
		return ""
	}
	parts := strings.Split(path, "/")[1:]
	for size := 1; size <= maxBlock && size*(most+1) <= len(parts); size++ {
		same := 0 // parts in a row that equal those one block before
		for i := size; i < len(parts); i++ {
			if parts[i] != parts[i-size] {
				same = 0
				continue
			}
			if same++; same < size*most {
				continue
			}
			if block := strings.Join(parts[i-size+1:i+1], "/"); strings.Trim(block, "0123456789/") != "" || block == "" {
				return "/" + block
			}
		}
	}
	return ""
}
