// Package params tells addresses of one page apart from addresses of two, as far
// as query parameters go.
//
// Many sites put into a URL what does not change the page: where a visitor comes
// from (utm_source=newsletter), which session is his (sid=4711). Each value makes
// another URL, and a crawler that does not know fetches the page once for each.
// Two parties can know: the person who crawls, who names such parameters as
// [New] takes them, and the site, with Clean-param lines in its robots.txt
// (ROB-EXT-03). [Rules.Clean] follows both. Nothing is guessed, and without a word
// of either a URL stays as it is.
//
// A cleaned URL is a URL of its own: it is the one to be asked for, and the one
// about which robots.txt is asked.
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

// A name is that of a parameter, or of all that begin, end or go on like it.
type name struct {
	text          string
	before, after bool // a * stands before, after text
}

// New returns rules that drop the parameters named, wherever they stand. Names
// are compared as they are written in a URL, escapes and all, and have a case. A *
// at the beginning or the end of a name, or both, stands for anything: utm_*.
func New(drop []string) (*Rules, error) {
	r := &Rules{}
	for _, written := range drop {
		n := name{text: written}
		n.text, n.before = strings.CutPrefix(n.text, "*")
		n.text, n.after = strings.CutSuffix(n.text, "*")
		switch {
		case written == "":
			return nil, errors.New("a parameter without a name")
		case strings.ContainsAny(n.text, "&=?# \t\r\n"):
			return nil, fmt.Errorf("%q is no name of a query parameter", written)
		case strings.Contains(n.text, "*"):
			return nil, fmt.Errorf("%q has a * inside; it can stand at the beginning and at the end", written)
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

// Clean returns rawURL without the parameters that the rules name, and without
// those that the Clean-param lines of file name for its path; a nil file has no
// such lines. What is left of the query stays as it was written, in its order. A
// query of which nothing is left goes with its question mark.
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

// split cuts a URL before its query and before its fragment, which keeps its #.
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
	var kept []string
	for pair := range strings.SplitSeq(query, "&") {
		if param, _, _ := strings.Cut(pair, "="); !r.drops(param) {
			kept = append(kept, pair)
		}
	}
	return strings.Join(kept, "&")
}
