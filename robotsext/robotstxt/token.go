package robotstxt

import (
	"errors"
	"fmt"
	"strings"
)

// ErrToken is matched by all errors about the names of crawlers, with errors.Is.
var ErrToken = errors.New("no product token")

// ValidToken reports whether token is a valid product token: one or more of A-Z a-z -
// _ (RFC 9309 section 2.2.1).
func ValidToken(token string) bool {
	n, _ := agentToken(token)
	return n > 0 && n == len(token)
}

// ProductToken guesses the product token from the value of a User-Agent header. It
// takes the first product inside "(compatible; …)", or else the first product that is
// not a browser's. A text that is one name is that token, even of a browser. The names of
// some crawlers, such as MJ12bot, have digits or dots, which RFC 9309 does not allow;
// ProductToken returns them whole. It fails with ErrToken.
func ProductToken(userAgent string) (string, error) {
	if isName(userAgent) {
		return userAgent, nil
	}
	token := compatibleProduct(userAgent)
	if token == "" {
		token = firstProduct(userAgent)
	}
	if token == "" {
		return "", fmt.Errorf("%w in %q: it needs a crawler's name of letters, digits, dots, - and _, such as ExampleBot/1.0", ErrToken, userAgent)
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
			if name := productName(trimSpace(rest[len(compatible):])); name != "" {
				return name
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
		name := productName(word)
		switch strings.ToLower(name) {
		case "", "mozilla", "applewebkit", "chrome", "safari", "gecko":
		default:
			return name
		}
	}
	return ""
}

// productName returns the name at the beginning of s, up to white space or a delimiter
// (RFC 9110 section 5.6.2). It is empty if that is no name. A part of it would be the name
// of another crawler.
func productName(s string) string {
	if i := strings.IndexAny(s, " \t\v\f\r\n\"(),/:;<=>?@[\\]{}"); i >= 0 {
		s = s[:i]
	}
	if !isName(s) {
		return ""
	}
	return s
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
