package robotstxt

import (
	"errors"
	"fmt"
	"strings"
)

// ErrToken is matched by all errors of ProductToken, with errors.Is.
var ErrToken = errors.New("no product token")

// ValidToken reports whether token is a valid product token: one or more of A-Z a-z -
// _ (RFC 9309 section 2.2.1).
func ValidToken(token string) bool {
	n, _ := agentToken(token)
	return n > 0 && n == len(token)
}

// ProductToken guesses the product token from the value of a User-Agent header. It
// takes the first product inside "(compatible; …)", or else the first product that is
// not a browser's, and cuts it to token characters. It fails with ErrToken.
func ProductToken(userAgent string) (string, error) {
	token := compatibleProduct(userAgent)
	if token == "" {
		token = firstProduct(userAgent)
	}
	if token == "" {
		return "", fmt.Errorf("%w in user agent %q: it needs a name of letters, - and _, such as ExampleBot/1.0", ErrToken, userAgent)
	}
	return token, nil
}

// compatibleProduct returns the product after "compatible;" in a comment, at its beginning
// or after another part.
func compatibleProduct(userAgent string) string {
	const compatible = "compatible;"
	depth, first := 0, false // depth of nested comments; at the beginning of a part
	for i := 0; i < len(userAgent); i++ {
		rest := userAgent[i:]
		if depth > 0 && first && len(rest) >= len(compatible) && equalFold(rest[:len(compatible)], compatible) {
			product := trimSpace(rest[len(compatible):])
			if n, _ := agentToken(product); n > 0 {
				return product[:n]
			}
		}
		switch b := userAgent[i]; {
		case b == '(':
			depth, first = depth+1, true
		case b == ')':
			depth, first = max(depth-1, 0), false
		case b == ';':
			first = true
		case !isSpace(b):
			first = false
		}
	}
	return ""
}

// firstProduct returns the first product outside of comments that is not a browser's.
func firstProduct(userAgent string) string {
	depth := 0
	for word := range strings.FieldsSeq(userAgent) {
		opened := depth > 0 || word[0] == '('
		depth = max(depth+strings.Count(word, "(")-strings.Count(word, ")"), 0)
		if opened {
			continue
		}
		n, _ := agentToken(word)
		switch strings.ToLower(word[:n]) {
		case "", "mozilla", "applewebkit", "chrome", "safari", "gecko":
		default:
			return word[:n]
		}
	}
	return ""
}

// WithParents returns token and its shorter forms, cut at hyphens, most specific
// first: Googlebot-Image, Googlebot. Use it for a crawler that obeys the more generic
// group if it has no group of its own.
func WithParents(token string) []string {
	tokens := []string{token}
	for {
		i := strings.LastIndexByte(token, '-')
		if i <= 0 {
			return tokens
		}
		token = token[:i]
		tokens = append(tokens, token)
	}
}
