package site

import (
	"fmt"
	"strings"

	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// ParseAgent returns the product tokens of a crawler, as --agent names it: A, A+B or *, which has
// none. They are in the order in which the crawler looks for its group (ROB-UA-04). ParseAgent
// accepts names with digits or dots, such as MJ12bot, which are not product tokens but are in use
// (ROB-UA-11).
func ParseAgent(text string) (tokens []string, err error) {
	if text == "*" {
		return nil, nil
	}
	for token := range strings.SplitSeq(text, "+") {
		if token == "" || strings.Trim(token, TokenCharacters) != "" {
			return nil, fmt.Errorf("%q is not a product token (letters, digits, -, _ and .)%s", token, tokenHint(token))
		}
		tokens = append(tokens, token)
	}
	return tokens, nil
}

// tokenHint says what to write instead of a text that is not a product token.
func tokenHint(text string) string {
	if guess, err := robotstxt.ProductToken(text); err == nil {
		return fmt.Sprintf("; its product token is %q", guess)
	}
	// Of what begins like a product, only the names of browsers are no tokens.
	if name, _, ok := strings.Cut(text, "/"); ok && name != "" && strings.Trim(name, TokenCharacters) == "" {
		return fmt.Sprintf("; %q is the product token of browsers; give the name of the crawler, such as Googlebot", name)
	}
	return "; write the name that robots.txt files use, such as Googlebot"
}

// TokenCharacters are the characters of the names that ParseAgent accepts.
const TokenCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."
