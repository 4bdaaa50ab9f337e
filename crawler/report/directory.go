package report

import "strings"

// A Directory counts the pages whose URLs begin with its own.
type Directory struct {
	URL     string `json:"url"` // ends with a slash
	Pages   int    `json:"pages"`
	Errors  int    `json:"errors"` // pages with status 4xx or 5xx, and URLs without a response
	Noindex int    `json:"noindex"`
	Bytes   int64  `json:"bytes"` // that the crawl read; 0 for status 304
}

// maxDirectoryBytes limits the memory of the directories that are counted, and maxLevels those of one URL.
const (
	maxDirectoryBytes = 128 << 20
	maxLevels         = 32
)

// directoryOverhead is the size of a directory without its URL, in bytes.
const directoryOverhead = 150

// directories count the pages of each directory, with those below.
type directories struct {
	rows    int
	limit   int // of their memory, in bytes
	bytes   int
	omitted int // times that a directory beyond the limits was not counted
	byURL   map[string]*Directory
}

func newDirectories(rows int) *directories {
	return &directories{rows: rows, limit: maxDirectoryBytes, byURL: make(map[string]*Directory)}
}

// each calls f for the directories of a URL.
func (d *directories) each(url string, f func(*Directory)) {
	origin := len(originOf(url))
	path, _, _ := strings.Cut(url[origin:], "#")
	path, _, _ = strings.Cut(path, "?")
	for end, levels := 0, 0; ; levels++ {
		next := strings.IndexByte(path[end:], '/')
		if next < 0 {
			return
		}
		end += next + 1
		dir := url[:origin+end]
		known := d.byURL[dir]
		if known == nil {
			if d.bytes += len(dir) + directoryOverhead; levels >= maxLevels || d.bytes > d.limit {
				d.omitted++
				return
			}
			known = &Directory{URL: strings.Clone(dir)}
			d.byURL[known.URL] = known
		}
		f(known)
	}
}

func (d *directories) page(v *pageView) {
	d.each(v.URL, func(dir *Directory) {
		dir.Pages++
		dir.Bytes += int64(v.BytesRead())
		if broken(v.status) {
			dir.Errors++
		}
		if v.fact.has(noindex) {
			dir.Noindex++
		}
	})
}

func (d *directories) list() List[Directory] {
	list := make([]Directory, 0, len(d.byURL))
	for _, dir := range d.byURL {
		list = append(list, *dir)
	}
	return listOf(d.rows, list, func(a, b Directory) int { return strings.Compare(a.URL, b.URL) })
}
