package report

import "strings"

// A Directory counts the pages whose URLs begin with its own.
type Directory struct {
	URL     string `json:"url"` // ends with a slash
	Pages   int    `json:"pages"`
	Errors  int    `json:"errors"` // pages with status 4xx or 5xx, and URLs without a response
	Noindex int    `json:"noindex"`
	Bytes   int64  `json:"bytes"`
}

// maxDirectories limits the directories that are counted. The pages of others count for one above.
const maxDirectories = 1 << 20

// directories count the pages of each directory, without those below.
type directories struct {
	rows  int
	byURL map[string]*Directory
}

// of returns the directory of a URL. If there are too many, it is one above.
func (d *directories) of(url string) *Directory {
	origin := originOf(url)
	path := url[len(origin):]
	if end := strings.IndexAny(path, "?#"); end >= 0 {
		path = path[:end]
	}
	dir := url[:len(origin)+strings.LastIndexByte(path, '/')+1]
	for {
		if known := d.byURL[dir]; known != nil {
			return known
		}
		above, nested := parentOf(dir)
		if len(d.byURL) < maxDirectories || !nested {
			dir = strings.Clone(dir)
			d.byURL[dir] = &Directory{URL: dir}
			return d.byURL[dir]
		}
		dir = above
	}
}

// parentOf returns the directory with a directory.
func parentOf(dir string) (above string, nested bool) {
	origin := originOf(dir)
	end := strings.LastIndexByte(strings.TrimSuffix(dir[len(origin):], "/"), '/')
	if end < 0 {
		return "", false
	}
	return dir[:len(origin)+end+1], true
}

func (d *directories) page(v *pageView) {
	dir := d.of(v.URL)
	dir.Pages++
	dir.Bytes += int64(v.Bytes)
	if broken(v.status) {
		dir.Errors++
	}
	if v.fact.has(noindex) {
		dir.Noindex++
	}
}

// list returns the directories with what is below them.
func (d *directories) list() List[Directory] {
	sums := make(map[string]*Directory, len(d.byURL))
	for _, of := range d.byURL {
		for dir, nested := of.URL, true; nested; dir, nested = parentOf(dir) {
			sum := sums[dir]
			if sum == nil {
				sum = &Directory{URL: dir}
				sums[dir] = sum
			}
			sum.Pages += of.Pages
			sum.Errors += of.Errors
			sum.Noindex += of.Noindex
			sum.Bytes += of.Bytes
		}
	}
	list := make([]Directory, 0, len(sums))
	for _, sum := range sums {
		list = append(list, *sum)
	}
	return listOf(d.rows, list, func(a, b Directory) int { return strings.Compare(a.URL, b.URL) })
}
