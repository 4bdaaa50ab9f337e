package crawler

import (
	"fmt"
	"strings"

	"github.com/politecrawl/politecrawl/crawler/internal/provenance"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// maxBlock is how many parts of a path are looked at together for whether they are
// repeated. A site that links by a relative path where an absolute one was meant has
// two or three.
const maxBlock = 8

// bound says which limit of single URLs keeps one out, and how; empty: none does.
// What a site lists itself, and where that redirects to, may be written as it likes.
func (c *Crawler) bound(url string, t provenance.Provenance) (output.Reason, string) {
	if len(url) > c.cfg.MaxURL {
		return output.TooLong, fmt.Sprintf("it has %d bytes (max-url %d)", len(url), c.cfg.MaxURL)
	}
	page, query, _ := strings.Cut(url, "?")
	if n := weburl.Segments(page); n > weburl.MaxSegments {
		return output.TooLong, fmt.Sprintf("its path has %d parts, the longest that is taken up has %d", n, weburl.MaxSegments)
	}
	if most := c.cfg.MaxParams; most > 0 && len(query) > most {
		if n := 1 + strings.Count(query, "&"); n > most {
			return output.TooLong, fmt.Sprintf("it has %d parameters (max-params %d)", n, most)
		}
	}
	if most := c.cfg.MaxRepeats; most > 0 && !t.IsEntry() {
		if block := repeated(page, most); block != "" {
			return output.Repeating, fmt.Sprintf("%s stands in its path more than %d times in a row (max-repeats)", block, most)
		}
	}
	return "", ""
}

// repeated returns the part of a URL's path that stands there more often in a row than
// most times, as /a/b in /a/b/a/b/a/b; empty: there is none. Numbers alone may: dates
// and the coordinates of maps do.
func repeated(page string, most int) string {
	_, path, _ := strings.Cut(page, "://")
	if strings.Count(path, "/") <= most { // nearly always
		return ""
	}
	parts := strings.Split(path, "/")[1:]
	for size := 1; size <= maxBlock && size*(most+1) <= len(parts); size++ {
		same := 0 // parts in a row that stand a block further on too
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
