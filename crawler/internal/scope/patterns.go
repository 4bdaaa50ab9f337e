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
	if part := invalid.Expr; part != "" && part != text {
		where = fmt.Sprintf(" in %#q", part)
		if strings.Count(text, part) == 1 {
			where += fmt.Sprintf(" at byte %d", strings.Index(text, part)+1)
		}
	}
	return fmt.Errorf("%#q is not a regular expression: %s%s", text, invalid.Code, where)
}

// match returns the first pattern that matches a URL; nil: none.
func (p Patterns) match(url string) *regexp.Regexp {
	for _, pattern := range p {
		if pattern.MatchString(url) {
			return pattern
		}
	}
	return nil
}

// Excluded returns the pattern that excludes a URL; empty: none.
func (b *Bounds) Excluded(url string) string {
	if pattern := b.Exclude.match(url); pattern != nil {
		return `matches --exclude "` + pattern.String() + `"`
	}
	if len(b.Include) > 0 && b.Include.match(url) == nil {
		return "matches no --include"
	}
	return ""
}
