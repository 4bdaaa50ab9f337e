package site

import (
	"fmt"
	"strings"

	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// ParseAgent returns the product tokens of a crawler, as --agent names it: A, A+B or *, which has
// none. They are in the order in which the crawler looks for its group (ROB-UA-04). A and B are
// product tokens such as Googlebot or MJ12bot, or User-Agent headers (ROB-UA-15).
func ParseAgent(text string) (tokens []string, err error) {
	if text == "*" {
		return nil, nil
	}
	names := []string{text}
	if !strings.Contains(text, "(") { // the comment of a User-Agent header often holds a +
		names = strings.Split(text, "+")
	}
	for _, name := range names {
		token, err := robotstxt.ProductToken(name)
		switch {
		case err != nil:
			return nil, err
		case token != name && !strings.Contains(name, "/"): // no User-Agent header
			return nil, fmt.Errorf("%q is not a product token; write the one word that robots.txt files use, such as %s", name, token)
		}
		tokens = append(tokens, token)
	}
	return tokens, nil
}
