package robotstxt

import (
	"net/url"
	"strings"
)

// Sitemap is a Sitemap line.
type Sitemap struct {
	URL  string // absolute, as written but for octets that no URL may hold
	Line int    // from 1
}

// sitemapSet knows which sitemaps a file has named.
type sitemapSet struct {
	base *url.URL
	seen map[string]bool
}

func newSitemapSet(base string) sitemapSet {
	u, err := url.Parse(base)
	if base == "" || err != nil {
		u = nil
	}
	return sitemapSet{base: u, seen: map[string]bool{}}
}

// add returns the URL of a new sitemap, or the reason why there is none.
func (s *sitemapSet) add(value string) (string, Kind) {
	u, err := url.Parse(value)
	if err != nil {
		return "", KindSitemapRelative
	}
	if s.base != nil {
		u = s.base.ResolveReference(u)
	}
	switch {
	case !u.IsAbs() || u.Host == "" && u.Opaque == "":
		return "", KindSitemapRelative
	case u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "ftp":
		return "", KindSitemapScheme
	}
	out := value
	if s.base != nil {
		out = u.String()
	}
	w := escaper{}
	for i := 0; i < len(out); i++ {
		if class[out[i]]&escaped != 0 {
			w.escape(out[i])
		} else {
			w.out = append(w.out, out[i])
		}
	}
	out = string(w.out)
	key := strings.ToLower(u.Scheme+"://"+u.Host) + canonicalPath(pathAndQuery(out, false))
	if s.seen[key] {
		return "", KindSitemapTwice
	}
	s.seen[key] = true
	return out, ""
}
