package robotstxt

import (
	"strings"
	"sync"
)

// CleanParam is a Clean-param line, Yandex's way to say that some query
// parameters do not change a page. It holds for the whole file.
type CleanParam struct {
	Params []string
	Path   string // only for paths that begin so, * standing for anything; "" is every path
	Line   int
}

// cleanParams are the Clean-param lines of a file that has some, read when they
// are first asked for.
type cleanParams struct {
	once     sync.Once
	lines    []CleanParam
	patterns []pattern // parallel to lines
}

// CleanParams returns the Clean-param lines in file order, whatever group they
// stand in. The slice is not to be written to.
func (f *File) CleanParams() []CleanParam {
	c := f.clean
	if c == nil {
		return nil
	}
	c.once.Do(func() {
		for _, e := range f.Extensions {
			if !equalFold(e.Field, "clean-param") {
				continue
			}
			if line, ok := parseCleanParam(e.Value); ok {
				line.Line = e.Line
				p, _ := writtenPattern(line.Path)
				c.lines, c.patterns = append(c.lines, line), append(c.patterns, p)
			}
		}
	})
	return c.lines
}

// parseCleanParam reads "p0&p1&… path".
func parseCleanParam(value string) (c CleanParam, ok bool) {
	words := strings.Fields(value)
	if len(words) == 0 || len(words) > 2 {
		return c, false
	}
	for param := range strings.SplitSeq(words[0], "&") {
		if param != "" {
			c.Params = append(c.Params, param)
		}
	}
	if len(words) == 2 {
		c.Path = words[1]
		if c.Path[0] != '/' && c.Path[0] != '*' {
			c.Path = "/" + c.Path
		}
	}
	return c, len(c.Params) > 0
}

// CleanURL drops from a URL the query parameters that the file says do not
// matter, so that two addresses of one page become the same. It is for telling
// pages apart, not for requests, and is nothing a verdict depends on.
func (f *File) CleanURL(rawURL string) string {
	base, fragment, hasFragment := strings.Cut(rawURL, "#")
	base, query, ok := strings.Cut(base, "?")
	if !ok {
		return rawURL
	}
	lines := f.CleanParams()
	if len(lines) == 0 {
		return rawURL
	}
	drop := map[string]bool{}
	path := canonicalPath(pathAndQuery(base, 0), 0)
	for i, c := range lines {
		if f.clean.patterns[i].match(path) {
			for _, param := range c.Params {
				drop[param] = true
			}
		}
	}
	var kept []string
	for pair := range strings.SplitSeq(query, "&") {
		if name, _, _ := strings.Cut(pair, "="); !drop[name] {
			kept = append(kept, pair)
		}
	}
	if len(kept) > 0 {
		base += "?" + strings.Join(kept, "&")
	}
	if hasFragment {
		base += "#" + fragment
	}
	return base
}
