package main

import (
	"fmt"
	"strings"

	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// An agent is a crawler as --agent names it: product tokens in the order in which
// it looks for its group (ROB-UA-04). With none, only the group * can be its own.
type agent struct {
	tokens []string
}

// parseAgent reads A, A+B or *. A name such as MJ12bot, with digits or dots in it,
// is no product token but is in use, and may be asked for (ROB-UA-11).
func parseAgent(text string) (agent, error) {
	if text == "*" {
		return agent{}, nil
	}
	var a agent
	for token := range strings.SplitSeq(text, "+") {
		if token == "" || strings.Trim(token, tokenCharacters) != "" {
			hint := ""
			if guess, err := robotstxt.ProductToken(token); err == nil {
				hint = fmt.Sprintf("; the product token of this one is %q", guess)
			}
			return agent{}, fmt.Errorf("%q is not the name of a crawler (letters, digits, -, _ and .)%s", token, hint)
		}
		a.tokens = append(a.tokens, token)
	}
	return a, nil
}

const tokenCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."

func (a agent) String() string {
	if len(a.tokens) == 0 {
		return "*"
	}
	return strings.Join(a.tokens, "+")
}
