package robotstxt

import (
	"strings"
	"sync"
)

// CleanParam is a Clean-param line, a Yandex extension. It lists query parameters that
// do not change a page, and applies to the whole file.
type CleanParam struct {
	Params []string
	Path   string // only for paths with this prefix, in which * matches anything; "" for every path
	Line   int
}

// cleanParams holds the Clean-param lines of a file, parsed on first use.
type cleanParams struct {
	once     sync.Once
	lines    []CleanParam
	patterns []pattern // parallel to lines
}

// CleanParams returns the Clean-param lines of all groups, in file order. Callers must
// not modify the slice.
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

// CleanURL removes the query parameters that the Clean-param lines list, so that two
// URLs of one page become equal. Call Check with the URL that you request, cleaned or
// not: a rule may match only one of them.
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
