package scope

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
)

// Patterns are regular expressions on canonical URLs.
type Patterns []*regexp.Regexp

// ParsePatterns compiles regular expressions. Its error names the part that is invalid.
func ParsePatterns(texts []string) (Patterns, error) {
	all := make(Patterns, len(texts))
	for i, text := range texts {
		if text == "" {
			return nil, errors.New("an expression is empty, which matches every URL")
		}
		var err error
		if all[i], err = regexp.Compile(text); err != nil {
			return nil, patternError(text, err)
		}
	}
	return all, nil
}

// patternError says where a regular expression is invalid. The parser names only the part.
func patternError(text string, err error) error {
	invalid, ok := errors.AsType[*syntax.Error](err)
	if !ok {
		return err
	}
	where := ""
	switch part := invalid.Expr; {
	case invalid.Code == syntax.ErrMissingParen:
		where = " at the end"
	case invalid.Code == syntax.ErrUnexpectedParen:
		where = fmt.Sprintf(" at byte %d", unexpectedParen(text))
	case part != "" && part != text:
		where = fmt.Sprintf(" in %#q", part)
		if strings.Count(text, part) == 1 {
			where += fmt.Sprintf(" at byte %d", strings.Index(text, part)+1)
		}
	}
	return fmt.Errorf("%#q is not a regular expression: %s%s", text, invalid.Code, where)
}

// unexpectedParen returns the place, from 1, of the parenthesis that closes none.
func unexpectedParen(text string) int {
	for i := range len(text) {
		if _, err := syntax.Parse(text[:i+1], syntax.Perl); err != nil && text[i] == ')' {
			if invalid, ok := errors.AsType[*syntax.Error](err); ok && invalid.Code == syntax.ErrUnexpectedParen {
				return i + 1
			}
		}
	}
	return len(text)
}

// match returns the first pattern that matches a URL, or nil if none does.
func (p Patterns) match(url string) *regexp.Regexp {
	for _, pattern := range p {
		if pattern.MatchString(url) {
			return pattern
		}
	}
	return nil
}

// Excluded returns the pattern that excludes a URL, or "" if none does.
func (b *Bounds) Excluded(url string) string {
	if pattern := b.Exclude.match(url); pattern != nil {
		return `matches --exclude "` + pattern.String() + `"`
	}
	if len(b.Include) > 0 && b.Include.match(url) == nil {
		return "matches no --include"
	}
	return ""
}
