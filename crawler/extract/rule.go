package extract

import (
	"errors"
	"fmt"
	"strings"

	"github.com/andybalholm/cascadia"
)

// A Rule says which part of a page is the value of a field.
//
// The text form is a CSS selector. It may be followed by @ and the name of an attribute, and by
// [] for all matches instead of the first:
//
//	.price           the text of the first element of class price
//	img@src          the src of the first img that has one
//	ul.tags li[]     the text of each such li, as a list
//	img.photo@src[]  the src of every such img
//
// This form is unambiguous: no selector ends with [], or with an unescaped @ and a name.
type Rule struct {
	Selector string `mapstructure:"selector"` // CSS
	Attr     string `mapstructure:"attr"`     // the attribute that is the value; if empty, the text, white space collapsed
	All      bool   `mapstructure:"all"`      // every match, as a list; otherwise the first
}

// ParseRule parses the text form of a rule. It fails if the selector is not valid.
func ParseRule(s string) (Rule, error) {
	var r Rule
	rest := trim(s)
	rest, r.All = strings.CutSuffix(rest, "[]")
	rest = trim(rest)
	r.Selector = rest
	if at := strings.LastIndexByte(rest, '@'); at > 0 && rest[at-1] != '\\' && isAttribute(trim(rest[at+1:])) {
		r.Selector, r.Attr = trim(rest[:at]), trim(rest[at+1:])
	}
	if _, err := r.compile(); err != nil {
		return Rule{}, fmt.Errorf("rule %q: %w", s, err)
	}
	return r, nil
}

// String returns the text form.
func (r Rule) String() string {
	s := r.Selector
	if r.Attr != "" {
		s += "@" + r.Attr
	}
	if r.All {
		s += "[]"
	}
	return s
}

// MarshalText implements [encoding.TextMarshaler].
func (r Rule) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler], so that configuration files can have
// the text form.
func (r *Rule) UnmarshalText(text []byte) error {
	parsed, err := ParseRule(string(text))
	if err == nil {
		*r = parsed
	}
	return err
}

// ParseField parses a rule with the name of its field, as in a flag: NAME=RULE.
func ParseField(s string) (name string, r Rule, err error) {
	name, rule, ok := strings.Cut(s, "=")
	name = trim(name)
	if !ok {
		return "", Rule{}, fmt.Errorf("%q is not of the form NAME=SELECTOR", s)
	}
	if err := checkField(name); err != nil {
		return "", Rule{}, err
	}
	r, err = ParseRule(rule)
	if err != nil {
		return "", Rule{}, &FieldError{Field: name, Err: errors.Unwrap(err)}
	}
	return name, r, nil
}

// compile checks the rule and returns what finds its elements.
func (r Rule) compile() (cascadia.Selector, error) {
	if trim(r.Selector) == "" {
		return nil, errors.New("no selector")
	}
	if r.Attr != "" && !isAttribute(r.Attr) {
		return nil, fmt.Errorf("%q is not the name of an attribute", r.Attr)
	}
	matcher, err := cascadia.Compile(r.Selector)
	if err != nil {
		return nil, fmt.Errorf("selector %q: %w", r.Selector, err)
	}
	return matcher, nil
}

// isAttribute reports whether s is the name of an attribute as pages have it.
func isAttribute(s string) bool {
	for i := range len(s) {
		c := s[i] | 0x20 // in lower case, if it is a letter
		if !isLower(c) && (i == 0 || !isDigit(s[i]) && s[i] != '-' && s[i] != '_' && s[i] != ':' && s[i] != '.') {
			return false
		}
	}
	return s != ""
}

// trim takes away the white space of CSS and HTML.
func trim(s string) string { return strings.Trim(s, " \t\n\r\f") }
