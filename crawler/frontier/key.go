package frontier

import (
	"fmt"
	"strings"
)

// A Kind says what a URL is in the frontier for. The frontier does not interpret it. The empty Kind is
// an ordinary page. A kind has lower-case letters and hyphens, and begins and ends with a letter.
type Kind string

// A Key identifies an item. A frontier has one item for each key.
type Key struct {
	Kind Kind
	// URL is canonical and absolute, without fragment. The frontier compares bytes.
	URL string
	// Owner tells items of the same kind and URL apart, such as the checks of different
	// recrawls. Mostly empty. It has lower-case letters, digits, hyphens and number signs, and
	// begins with a letter or digit.
	Owner string
}

// String returns the text by which stores keep the item: the URL, with kind and owner as its
// fragment. The text of an ordinary page is its URL.
func (k Key) String() string {
	switch {
	case k.Kind == "" && k.Owner == "":
		return k.URL
	case k.Owner == "":
		return k.URL + "#" + string(k.Kind)
	case isDigit(rune(k.Owner[0])):
		return k.URL + "#" + string(k.Kind) + "-" + k.Owner
	}
	return k.URL + "#" + string(k.Kind) + "#" + k.Owner
}

// ParseKey is the inverse of Key.String. If a fragment is not one of String, it remains in the
// URL of the key.
func ParseKey(text string) Key {
	url, fragment, ok := strings.Cut(text, "#")
	if !ok {
		return Key{URL: text}
	}
	owner := strings.TrimLeftFunc(fragment, func(c rune) bool { return isLetter(c) || c == '-' })
	kind := fragment[:len(fragment)-len(owner)]
	if after, ok := strings.CutPrefix(owner, "#"); ok {
		owner = after
	} else if owner != "" {
		kind = strings.TrimSuffix(kind, "-")
	}
	if k := (Key{Kind(kind), url, owner}); k.validate() == nil && k.String() == text {
		return k
	}
	return Key{URL: text}
}

// validate returns ErrInvalid if two keys could have the text of k.
func (k Key) validate() error {
	isOther := func(c rune) bool { return !isLetter(c) && c != '-' }
	isOtherOwner := func(c rune) bool { return isOther(c) && !isDigit(c) && c != '#' }
	switch kind, owner := string(k.Kind), k.Owner; {
	case strings.IndexByte(k.URL, '#') >= 0:
		return fmt.Errorf("%w: URL %q has a fragment", ErrInvalid, k.URL)
	case strings.ContainsFunc(kind, isOther) || strings.HasPrefix(kind, "-") || strings.HasSuffix(kind, "-"):
		return fmt.Errorf("%w: kind %q of URL %q: not lower-case letters with hyphens between them", ErrInvalid, kind, k.URL)
	case strings.ContainsFunc(owner, isOtherOwner) || strings.HasPrefix(owner, "-") || strings.HasPrefix(owner, "#"):
		return fmt.Errorf("%w: owner %q of URL %q: not lower-case letters, digits, hyphens and number signs", ErrInvalid, owner, k.URL)
	}
	return nil
}

func isLetter(c rune) bool { return 'a' <= c && c <= 'z' }
func isDigit(c rune) bool  { return '0' <= c && c <= '9' }
