// Package params removes from URLs the query parameters that do not change the page.
//
// Many sites add such parameters to their URLs: campaigns (utm_source=newsletter) or sessions
// (sid=4711). Each value makes another URL, and a crawler fetches the page once for each. The
// user can name such parameters with [New], and the site with Clean-param lines in robots.txt.
// [Rules.Clean] applies both, and removes no other parameters.
//
// Request the cleaned URL, and match it against robots.txt.
package params

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// Rules name query parameters that do not change a page. They are safe for
// concurrent use. A nil *Rules names none.
type Rules struct {
	names []name
}

// A name matches one parameter, or all with a prefix, a suffix or a substring.
type name struct {
	text          string
	before, after bool // a * stands before, after text
}

// New returns rules that remove the named parameters on every page. Names are compared as
// they are written in a URL, with escapes, and are case-sensitive. A * at the beginning or
// the end of a name matches any text: utm_*.
func New(drop []string) (*Rules, error) {
	r := &Rules{}
	for _, written := range drop {
		n := name{text: written}
		n.text, n.before = strings.CutPrefix(n.text, "*")
		n.text, n.after = strings.CutSuffix(n.text, "*")
		switch {
		case written == "":
			return nil, errors.New("the name of a parameter is empty")
		case strings.ContainsAny(n.text, "&=?# \t\r\n"):
			return nil, fmt.Errorf("%q is not the name of a query parameter", written)
		case strings.Contains(n.text, "*"):
			return nil, fmt.Errorf("%q has a * inside; use * only at the beginning or the end", written)
		}
		r.names = append(r.names, n)
	}
	return r, nil
}

func (n name) matches(param string) bool {
	switch {
	case n.before && n.after:
		return strings.Contains(param, n.text)
	case n.before:
		return strings.HasSuffix(param, n.text)
	case n.after:
		return strings.HasPrefix(param, n.text)
	}
	return param == n.text
}

// Clean returns rawURL without the parameters that the rules name, and without those that
// Clean-param lines of file name for its path; file may be nil. Other parameters keep their
// text and order. A query that becomes empty is removed with its question mark.
func (r *Rules) Clean(rawURL string, file *robotstxt.File) string {
	page, query, fragment := split(rawURL)
	if query == "" {
		return rawURL
	}
	var lines []robotstxt.CleanParam
	if file != nil {
		lines = file.CleanParams()
	}
	var ours, theirs bool
	for pair := range strings.SplitSeq(query, "&") {
		param, _, _ := strings.Cut(pair, "=")
		ours = ours || r.drops(param)
		theirs = theirs || named(lines, param)
	}
	if !ours && !theirs { // nearly always
		return rawURL
	}
	if ours {
		query = r.clean(query)
	}
	if theirs {
		_, query, _ = split(file.CleanURL(page + "?" + query))
	}
	if query != "" {
		query = "?" + query
	}
	return page + query + fragment
}

// split cuts a URL before its query and before its fragment. The fragment keeps its #.
func split(rawURL string) (page, query, fragment string) {
	page = rawURL
	if i := strings.IndexByte(page, '#'); i >= 0 {
		page, fragment = page[:i], page[i:]
	}
	page, query, _ = strings.Cut(page, "?")
	return page, query, fragment
}

// named reports whether a line names param, for whatever paths.
func named(lines []robotstxt.CleanParam, param string) bool {
	return slices.ContainsFunc(lines, func(c robotstxt.CleanParam) bool { return slices.Contains(c.Params, param) })
}

// drops reports whether the rules name param.
func (r *Rules) drops(param string) bool {
	return r != nil && slices.ContainsFunc(r.names, func(n name) bool { return n.matches(param) })
}

// clean returns query without what the rules name.
func (r *Rules) clean(query string) string {
	return strings.Join(slices.DeleteFunc(strings.Split(query, "&"), func(pair string) bool {
		param, _, _ := strings.Cut(pair, "=")
		return r.drops(param)
	}), "&")
}
