package robots

import (
	"fmt"
	"strings"

	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// An agent is a crawler as --agent names it: product tokens in the order in which it looks
// for its group (ROB-UA-04). An agent without tokens obeys only the group *.
type agent struct {
	tokens []string
}

// parseAgent reads A, A+B or *. It accepts names with digits or dots, such as MJ12bot,
// which are not product tokens but are in use (ROB-UA-11).
func parseAgent(text string) (agent, error) {
	if text == "*" {
		return agent{}, nil
	}
	var a agent
	for token := range strings.SplitSeq(text, "+") {
		if token == "" || strings.Trim(token, tokenCharacters) != "" {
			return agent{}, fmt.Errorf("%q is not a product token (letters, digits, -, _ and .)%s", token, tokenHint(token))
		}
		a.tokens = append(a.tokens, token)
	}
	return a, nil
}

// tokenHint says what to write instead of a text that is not a product token.
func tokenHint(text string) string {
	if guess, err := robotstxt.ProductToken(text); err == nil {
		return fmt.Sprintf("; its product token is %q", guess)
	}
	// Of what begins like a product, only the names of browsers are no tokens.
	if name, _, ok := strings.Cut(text, "/"); ok && name != "" && strings.Trim(name, tokenCharacters) == "" {
		return fmt.Sprintf("; %q is the product token of browsers; give the name of the crawler, such as Googlebot", name)
	}
	return "; write the name that robots.txt files use, such as Googlebot"
}

const tokenCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."

func (a agent) String() string {
	if len(a.tokens) == 0 {
		return "*"
	}
	return strings.Join(a.tokens, "+")
}
