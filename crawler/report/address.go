package report

import (
	"net/url"
	"strings"

	whatwg "github.com/nlnwa/whatwg-url/url"
)

// addresses reads references as the crawler does, so that the target of a redirect
// is found under the URL that the crawl has for it.
var addresses = whatwg.NewParser(whatwg.WithPercentEncodeSinglePercentSign())

// maxAddress is the longest reference that is read, in bytes.
const maxAddress = 8 << 10

// resolve returns the URL that a reference stands for in the document at base,
// without a fragment; empty: it is none.
func resolve(base, ref string) string {
	if len(ref) > maxAddress {
		return ""
	}
	u, err := addresses.ParseRef(base, ref)
	if err != nil {
		return ""
	}
	u.SetUsername("")
	u.SetPassword("")
	parsed, err := url.Parse(u.Href(true)) // what was requested is in the form of net/url
	if err != nil {
		return ""
	}
	return parsed.String()
}

// originOf returns scheme, host and port of a URL in canonical form.
func originOf(url string) string {
	_, rest, ok := strings.Cut(url, "://")
	if !ok {
		return ""
	}
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	return url[:len(url)-len(rest)+end]
}
