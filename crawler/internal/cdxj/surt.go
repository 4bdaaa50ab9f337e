package cdxj

import (
	"regexp"
	"slices"
	"strings"

	whatwg "github.com/nlnwa/whatwg-url/url"
)

var (
	urls = whatwg.NewParser()
	www  = regexp.MustCompile(`^(https?://)www[0-9]*\.`)
)

// maxURL is where SURT stops to parse: the parser takes quadratic time.
const maxURL = 8 << 10

// SURT returns the key of a URL in an index, its sort-friendly URI reordering transform: the host in reverse order
// without www, then path and query in lower case, the parameters sorted. It equals getSurt of the npm package warcio.
// Other URLs than those of http and https are their own keys.
func SURT(url string) string {
	if !strings.HasPrefix(url, "https:") && !strings.HasPrefix(url, "http:") {
		return url
	}
	url = www.ReplaceAllString(url, "$1")
	if len(url) > maxURL {
		return url
	}
	u, err := urls.Parse(strings.ToLower(url))
	if err != nil {
		return url
	}
	labels := strings.Split(u.Hostname(), ".")
	slices.Reverse(labels)
	key := strings.Join(labels, ",")
	if port := u.Port(); port != "" {
		key += ":" + port
	}
	key += ")" + u.Pathname()
	if query := strings.TrimPrefix(u.Search(), "?"); query != "" {
		parameters := strings.Split(query, "&")
		slices.Sort(parameters)
		key += "?" + strings.Join(parameters, "&")
	}
	return key
}
