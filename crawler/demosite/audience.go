package demosite

import "strings"

// Token is the product token that some of the site's robots.txt files name.
// Crawlers with any other token obey the groups for "*".
const Token = "politecrawl"

// audience tells crawlers apart as the site's robots.txt files do. The site
// declares for each audience what it may fetch and never reads its own
// robots.txt to find out: a judge that shared a parser with the crawler would
// share its mistakes.
type audience uint8

const (
	us     audience = 1 << iota // crawlers whose product token is Token
	others                      // crawlers that no group names

	nobody   audience = 0
	everyone          = us | others
)

func audienceOf(token string) audience {
	if strings.EqualFold(token, Token) {
		return us
	}
	return others
}

// has reports whether a, a single audience, is among those of set.
func (set audience) has(a audience) bool { return set&a != 0 }
