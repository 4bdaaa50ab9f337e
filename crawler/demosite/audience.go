package demosite

import "strings"

// namedToken is a product token that has its own groups in some robots.txt files of the site.
// Crawlers with any other token obey the groups for "*".
const namedToken = "politecrawl"

// audience is a set of crawlers that the site's robots.txt files treat alike. The site
// declares which URLs each audience may fetch. It does not parse its own robots.txt: a judge
// that shared a parser with the crawler would share its bugs.
type audience uint8

const (
	us     audience = 1 << iota // crawlers with namedToken
	others                      // crawlers that no group names

	nobody   audience = 0
	everyone          = us | others
)

func audienceOf(token string) audience {
	if strings.EqualFold(token, namedToken) {
		return us
	}
	return others
}

// has reports whether set contains the audience a.
func (set audience) has(a audience) bool { return set&a != 0 }
