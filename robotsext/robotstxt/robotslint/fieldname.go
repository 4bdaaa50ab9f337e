package robotslint

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"github.com/politecrawl/politecrawl/robotsext/internal/fieldname"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// knownFields are the fields that a line without a colon may begin with, in the
// order in which they are tried.
var knownFields = []string{"user-agent", "useragent", "user agent", "disallow", "allow", "sitemap", "crawl-delay", "noindex", "host", "clean-param", "content-usage", "content-signal", "license"}

// separators are what people write in place of a colon, the longer ones first.
var separators = []string{"->", "=>", "：", "–", "=", ";", ",", ">", ".", "-"}

// valueAfter returns the value in the text after the name of a field. It drops a
// separator before the value only if the value cannot begin with it. A rule's path may
// begin with a separator, as in .gif, unless a slash or star comes next. The value of
// another field may begin with a dot or minus, as in .5.
func valueAfter(field, rest string) string {
	value := strings.TrimSpace(rest)
	for _, separator := range separators {
		after, ok := strings.CutPrefix(value, separator)
		if !ok {
			continue
		}
		path := field == "allow" || field == "disallow"
		if after == "" || strings.ContainsRune(" \t/*", rune(after[0])) || !path && separator != "." && separator != "-" {
			return strings.TrimSpace(after)
		}
		break
	}
	return value
}

// withColon guesses the intended form of a line without a colon between field and value.
func withColon(text string) (meant string, ok bool) {
	const between = " \t=;.,：-–>"
	for _, name := range knownFields {
		if len(text) < len(name) || !strings.EqualFold(text[:len(name)], name) {
			continue
		}
		rest := text[len(name):]
		if strings.HasPrefix(name, "user") {
			name = "user-agent"
		}
		longer := len(rest) > 1 && rest[0] == '-' && robotstxt.ValidToken(rest[1:2])
		return properName(name) + ": " + valueAfter(name, rest),
			rest == "" || strings.ContainsRune(between+"/*", rune(rest[0])) && !longer || rest[0] >= 0x80
	}
	name, value := text, ""
	if i := strings.IndexAny(text, " \t"); i >= 0 {
		name, value = text[:i], text[i:]
	}
	if field := fieldname.Nearest(name); field != "" && len(strings.Fields(value)) <= 1 {
		return properName(field) + ": " + strings.TrimSpace(value), true
	}
	return "", false
}

// rewrite returns the fix of replacing a line. A fix that begins with "write" disallows no URL
// that the line leaves allowed, neither for parsers that accept misspelled fields and missing
// colons (ROB-FMT-12) nor for others. Anything else is for the author to decide.
func (l *linter) rewrite(r *record, line string) string {
	now, meant := lenient(*r), lenient(parseLine(line))
	known := now.field == r.field // to all parsers
	safe, condition := true, "if you want to disallow these URLs, "
	switch meant.field {
	case agentField:
		safe = known && now.field == agentField && strings.EqualFold(agentName(now.value), agentName(meant.value))
		condition = "if you want the rules below to apply, "
	case allowField, disallowField:
		loses := now.field == allowField && now.usable()
		safe = known && now.field == meant.field && now.value == meant.value || !loses && (meant.field == allowField || !meant.usable())
		switch {
		case meant.field == allowField:
			condition = "if you want to allow these URLs, "
		case meant.value == "/":
			condition = "if you want to disallow all URLs, "
		}
		if !known || !now.field.isRule() {
			safe = safe && !l.inAgents(r)
			l.unclearRule = cmp.Or(l.unclearRule, r.line)
		}
	}
	if safe {
		condition = ""
	}
	return condition + "write " + quoteAll(line)
}

// inAgents reports whether a line that is no rule precedes a User-agent line of its block. A rule
// in its place would end the block.
func (l *linter) inAgents(r *record) bool {
	rest := l.source.records[l.source.index(r.line)+1:]
	for i := range rest {
		switch {
		case rest[i].block != r.block || rest[i].field.isRule():
			return false
		case lenient(rest[i]).field == agentField:
			return true
		}
	}
	return false
}

// lenient returns a line as parsers read it that accept misspelled and longer names of fields,
// and two words without a colon (ROB-FMT-12).
func lenient(r record) record {
	if words := strings.Fields(r.text); r.field == noColon && len(words) == 2 {
		r.name, r.value = words[0], words[1]
	} else if r.field != otherField {
		return r
	}
	r.field = cmp.Or(knownNames[fieldname.Lenient(r.name)], r.field)
	return r
}

// fieldName reports a line if its first colon belongs to its value, and a longer field name
// that begins with a known one.
func (l *linter) fieldName(r *record) {
	meant, ok := withColon(r.text)
	if ok && r.field == noColon {
		return // parsed reports it
	}
	if ok && r.field == otherField && beginsValue.MatchString(parseLine(meant).value) && parseLine(meant).field != agentField {
		l.reported[r.line] = true
		l.add(r.line, Kind(robotstxt.KindNoColon), r.text, func() (string, string) { return l.explainNoColon(r) })
		return
	}
	now := lenient(*r)
	if now.field == r.field || fieldname.Nearest(now.name) != "" {
		return
	}
	l.reported[r.line] = true
	l.add(r.line, KindUnknownField, r.text, func() (string, string) {
		return fmt.Sprintf("unknown field %s: no known crawler obeys it, but Google's parser may take it for %s",
			quote(now.name), properName(fieldname.Lenient(now.name))), ""
	})
}

// beginsValue matches the beginning of a path or URL.
var beginsValue = regexp.MustCompile(`^(?i:https?:|ftp:|[/*])`)

func (l *linter) explainNoColon(r *record) (message, fix string) {
	if meant, ok := withColon(r.text); ok {
		return "the colon between field and value is missing, so crawlers skip the line", l.rewrite(r, strings.TrimSpace(meant))
	}
	return fmt.Sprintf("%s is neither a field nor a comment, so crawlers skip the line", quote(r.text)), "begin the line with # if it is a comment, or remove it"
}

const fieldNames = `(?:user[- ]?agent|dis+all?ow|allow|sitemap|crawl-delay|request-rate|visit-time|clean-param|noindex|host|content-usage|content-signal)`

var (
	firstField = regexp.MustCompile(`(?i)^` + fieldNames + `(?:[^\w-]|$)`)
	// secondField matches a field within a value, after white space or before a typical value.
	secondField = regexp.MustCompile(`(?i)(?:^|[ \t])` + fieldNames + `[ \t]*:|` +
		`(?:user[- ]?agent[ \t]*:[ \t]*[a-z*]|(?:dis+all?ow|allow|noindex|sitemap)[ \t]*:[ \t]*(?:[/*]|https?:)|` +
		`(?:crawl-delay|request-rate|visit-time)[ \t]*:[ \t]*[0-9.]|(?:clean-param|content-usage|content-signal)[ \t]*:)`)
	// fieldInAgent matches any field, since the name of a crawler has no colon.
	fieldInAgent = regexp.MustCompile(`(?i)` + fieldNames + `[ \t]*:`)
)

// mostFields limits the fields into which a line is split.
const mostFields = 10

// splitFields returns the lines that a line with several fields should be.
func splitFields(r record) (lines []string) {
	for len(lines) < mostFields {
		name := r.name
		if r.field == noColon || r.field == otherField && fieldname.Nearest(name) == "" {
			if name = firstField.FindString(r.text); name == "" {
				break
			}
			name = name[:max(len(name)-1, 0)]
		}
		second := secondField
		if strings.EqualFold(name[:min(len(name), len("user"))], "user") {
			second = fieldInAgent
		}
		at := second.FindStringIndex(r.text[len(name):])
		if at == nil {
			break
		}
		end := len(name) + at[0]
		lines = append(lines, correctName(parseLine(strings.TrimRight(r.text[:end], space+",;|"))))
		r = parseLine(r.text[end:])
	}
	return append(lines, correctName(r))
}

// correctName returns a line with the proper name of its field and a colon.
func correctName(r record) string {
	if meant, ok := withColon(r.text); ok && r.field == noColon {
		return strings.TrimSpace(meant)
	}
	if field := fieldname.Nearest(r.name); field != "" && r.field == otherField {
		return properName(field) + ": " + r.value
	}
	return r.text
}

// twoFields reports a line with several fields.
func (l *linter) twoFields(r *record, lines []string) {
	l.reported[r.line] = true
	l.add(r.line, KindTwoFields, r.text, func() (string, string) {
		first, _, _ := strings.Cut(lines[0], ":")
		first = strings.Trim(quoteAll(first), `"`) // it may have control characters
		quoted := make([]string, len(lines))
		for i, line := range lines {
			quoted[i] = quoteAll(line)
		}
		return fmt.Sprintf("%d fields are on one line: crawlers read all that follows %s as its value", len(lines), first),
			"if you mean each of them, put it on a line of its own: " + strings.Join(quoted, " and ")
	})
}
