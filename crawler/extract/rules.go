package extract

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// The limits of a field; the rest is left out. A selector may match more than its
// author meant, and every page of a crawl is kept.
const (
	maxMatches = 1000     // values of one field
	maxValue   = 64 << 10 // bytes of one value
	maxField   = 1 << 20  // bytes of all values of one field
)

// maxTime is how long fields may take on a page. A selector with ~ looks at all elements
// before each: four hundred thousand in a row take minutes.
const maxTime = 2 * time.Second

// maxFieldName is the longest name of a field, in bytes.
const maxFieldName = 64

// Rules are compiled rules by the names of their fields. They are safe for concurrent use.
// A nil *Rules has none.
type Rules struct {
	fields []field       // by name
	time   time.Duration // for the fields of a page
}

// Errors of [Rules.Fields]. ErrTooManyTags says that only the beginning of a page was searched.
// ErrTooSlow says that the search was stopped after two seconds. ErrTooLarge says that a field was
// truncated.
var (
	ErrTooManyTags = errors.New("the page has too many tags")
	ErrTooSlow     = errors.New("the page takes too long to search")
	ErrTooLarge    = errors.New("a field is too large")
)

type field struct {
	name    string
	rule    Rule
	matcher goquery.Matcher
}

// A FieldError describes a problem with the rule of a field.
type FieldError struct {
	Field string
	Err   error
}

// Error implements error.
func (e *FieldError) Error() string { return fmt.Sprintf("field %q: %v", e.Field, e.Err) }

// Unwrap returns e.Err.
func (e *FieldError) Unwrap() error { return e.Err }

// NewRules compiles rules. The error joins a [*FieldError] for each invalid rule.
func NewRules(rules map[string]Rule) (*Rules, error) {
	r := &Rules{time: maxTime}
	var wrong []error
	for _, name := range slices.Sorted(maps.Keys(rules)) {
		if err := checkField(name); err != nil {
			wrong = append(wrong, err)
			continue
		}
		matcher, err := rules[name].compile()
		if err != nil {
			wrong = append(wrong, &FieldError{Field: name, Err: err})
			continue
		}
		r.fields = append(r.fields, field{name: name, rule: rules[name], matcher: matcher})
	}
	if len(wrong) > 0 {
		return nil, errors.Join(wrong...)
	}
	return r, nil
}

// checkField checks the name of a field, which is a key in configuration files, in the
// environment and in the output.
func checkField(name string) error {
	for i := range len(name) {
		if c := name[i]; !isLower(c|0x20) && !isDigit(c) && c != '_' && c != '-' {
			return &FieldError{Field: name, Err: errors.New("a name has only letters, digits, _ and -")}
		}
	}
	if name == "" || len(name) > maxFieldName {
		return &FieldError{Field: name, Err: fmt.Errorf("a name has 1 to %d characters", maxFieldName)}
	}
	return nil
}

// Fields returns the fields of a page that was read, by name. A value is a string, or a []string if
// the rule has All. A field without a match is omitted. A rule with Attr matches only elements
// with this attribute. Scripts are not run, so the content of noscript counts.
//
// Fields returns partial results with these errors:
//
//   - [ErrTooLarge]: a value has more than 64 KiB, or a list more than 1,000 values or 1 MiB.
//   - [ErrTooManyTags]: the page has more than 400,000 tags. The others were not searched.
//   - [ErrTooSlow]: the search took more than two seconds. Complex selectors with ~ may take
//     longer, since the time is checked between elements.
//
// Other errors mean that elements are nested too deeply.
func (r *Rules) Fields(page *Document) (map[string]any, error) {
	if r == nil || len(r.fields) == 0 {
		return nil, nil
	}
	trees <- struct{}{}
	defer func() { <-trees }()
	root, whole, err := tree(page)
	if err != nil {
		return nil, err
	}
	found := make(map[string]any, len(r.fields))
	deadline := time.Now().Add(r.time)
	for _, f := range r.fields {
		values, limit := f.values(root, deadline)
		switch {
		case errors.Is(limit, ErrTooSlow):
			err = fmt.Errorf("%w: fields have what was found within %v", ErrTooSlow, r.time)
		case limit != nil && err == nil:
			err = fmt.Errorf("%w: the rest of %s is omitted", limit, f.name)
		}
		switch {
		case len(values) == 0:
		case f.rule.All:
			found[f.name] = values
		default:
			found[f.name] = values[0]
		}
	}
	if !whole && !errors.Is(err, ErrTooSlow) {
		err = fmt.Errorf("%w: only the first %d were read", ErrTooManyTags, maxTags)
	}
	return found, err
}

// values returns the values of f in page, one if f wants the first. The error is
// ErrTooSlow or ErrTooLarge, where these are not all.
func (f *field) values(page *html.Node, deadline time.Time) (values []string, err error) {
	size, looked := 0, 0
	for node := range page.Descendants() {
		if node.Type != html.ElementNode {
			continue
		}
		if looked++; looked%100 == 0 && time.Now().After(deadline) {
			return values, ErrTooSlow
		}
		if !f.matcher.Match(node) {
			continue
		}
		value, ok := f.value(node)
		if !ok {
			continue
		}
		if len(value) > maxValue {
			value, err = strings.ToValidUTF8(value[:maxValue], ""), ErrTooLarge
		}
		if size += len(value); size > maxField || len(values) == maxMatches {
			return values, ErrTooLarge
		}
		values = append(values, value)
		if !f.rule.All {
			break
		}
	}
	return values, err
}

// value returns what an element has for f. One longer than maxValue may not be all.
func (f *field) value(node *html.Node) (string, bool) {
	if f.rule.Attr == "" {
		return text(node), true
	}
	for _, a := range node.Attr {
		if strings.EqualFold(a.Key, f.rule.Attr) {
			return strings.TrimSpace(a.Val), true
		}
	}
	return "", false
}

// text returns the text in an element up to its limit, with white space collapsed. It ignores
// scripts and styles, unless node is one.
func text(node *html.Node) string {
	var b strings.Builder
	space := false
	for n := range node.Descendants() {
		if n.Type != html.TextNode || n.Parent != node && isCode(n.Parent) {
			continue
		}
		for _, c := range n.Data {
			if unicode.IsSpace(c) {
				space = true
				continue
			}
			if space && b.Len() > 0 {
				b.WriteByte(' ')
			}
			space = false
			b.WriteRune(c)
			if b.Len() > maxValue {
				return b.String()
			}
		}
	}
	return b.String()
}

func isCode(node *html.Node) bool {
	return node.DataAtom == atom.Script || node.DataAtom == atom.Style
}
