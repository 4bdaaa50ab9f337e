package robotslint

import (
	"fmt"
	"strings"

	"github.com/politecrawl/politecrawl/robotsext/internal/clip"
	"github.com/politecrawl/politecrawl/robotsext/internal/fieldname"
	"github.com/politecrawl/politecrawl/robotsext/internal/oddity"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// parsed passes on what robotstxt has found, and says what to do about it.
func (l *linter) parsed() {
	for _, f := range l.file.Findings {
		if f.Kind == oddity.HTML {
			l.html()
		}
		r := l.source.at(f.Line)
		if f.Kind == oddity.HTML || r == nil || l.spoilt[f.Line] {
			continue
		}
		kind, severity := Kind(f.Kind), Kind(f.Kind).Severity()
		explain := func() (string, string) { return l.explain(f, r) }
		switch f.Kind {
		case oddity.TooLarge, oddity.NotUTF8, oddity.LongLine:
			continue // told by encoding
		case oddity.NoColon:
			if _, ok := withColon(f.Text); !ok {
				severity = Warning
			}
		case oddity.Misspelt:
			if field := fieldname.Nearest(f.Text); field == "crawl-delay" {
				severity = Warning
			}
		case oddity.AgentCut, oddity.BadAgent:
			severity = agentSeverity(f.Text)
		case oddity.NoSlash:
			if isFullURL(f.Text) {
				kind = kindFullURL
				severity = kind.Severity()
			}
		case oddity.SitemapScheme:
			l.spoilt[f.Line] = true
		case oddity.SitemapRelative:
			l.spoilt[f.Line] = true
			if strings.Contains(f.Text, "://") {
				kind = kindBadSitemap
			}
		}
		l.addAs(severity, f.Line, kind, f.Text, explain)
	}
}

func (l *linter) html() {
	l.add(1, oddity.HTML, "", func() (string, string) {
		return "this is an HTML page, not a robots.txt file; lines in it that look like rules count all the same",
			"serve a plain text file at /robots.txt, or answer 404 if there is none"
	})
}

// explain says what is wrong with a line and how to write it.
func (l *linter) explain(f robotstxt.Finding, r *record) (message, fix string) {
	switch f.Kind {
	case oddity.NoColon:
		return explainNoColon(f.Text)
	case oddity.NoField:
		return "there is nothing before the colon", "write the name of a field before it, such as Disallow, or remove the line"
	case oddity.BadField:
		return fmt.Sprintf("%s is not a field: crawlers skip the line", quote(f.Text)), "begin the line with # if it is a comment, or remove it"
	case oddity.Misspelt:
		field := properName(fieldname.Nearest(f.Text))
		message = fmt.Sprintf("crawlers do not know the field %s and skip the line; the nearest that they know is %s", quote(f.Text), field)
		switch {
		case field == "User-agent" && r.block >= 0:
			message += ". The rules below fall to the group above"
		case field == "User-agent":
			message += ". The rules below bind nobody"
		}
		return message, write(field + ": " + r.value)
	case oddity.Control:
		return fmt.Sprintf("the control character %#U makes the line void", rune(r.value[max(controlIn(r.value), 0)])), "remove it: " + quote(r.name+": "+withoutControls(r.value))
	case oddity.BadAgent:
		return explainBadAgent(f.Text)
	case oddity.AgentCut:
		return explainAgentCut(f.Text)
	case oddity.RuleBeforeGroup:
		return "the rule stands before the first User-agent line and binds nobody", `put a User-agent line before it, "User-agent: *" if it is for every crawler`
	case oddity.NoSlash:
		return explainNoSlash(r)
	case oddity.SitemapRelative, oddity.SitemapScheme, oddity.SitemapTwice:
		return l.explainSitemap(f)
	case oddity.ManyFields:
		return fmt.Sprintf("more than %d lines are none that matter for crawling: this one and those after it are ignored", robotstxt.DefaultMaxExtensions), "remove what is no rule"
	case oddity.NoEffect:
		return fmt.Sprintf("%s has no effect in robots.txt", r.name), fmt.Sprintf(
			`send "X-Robots-Tag: %s" with the pages, or put <meta name="robots" content="%[1]s"> into them; and let them be crawled, or nobody will see it`, strings.ToLower(r.name))
	case oddity.BadValue:
		return explainBadValue(r)
	case oddity.DelayCapped:
		most := robotstxt.DefaultMaxCrawlDelay.Seconds()
		return fmt.Sprintf("a delay of %s seconds is more than crawlers agree to: politecrawl waits %v s, and many ignore the field", clip.Text(r.value, mostQuoted), most),
			fmt.Sprintf("ask for %v seconds at most, or disallow what costs the server most", most)
	}
	return f.Kind.Message(), "remove the line, or make it a comment with #"
}

// knownFields are the fields that a line without a colon may begin with, in the
// order in which they are tried.
var knownFields = []string{"user-agent", "useragent", "user agent", "disallow", "allow", "sitemap", "crawl-delay", "noindex", "host", "clean-param"}

// separators are what people write in place of a colon, the longer ones first.
var separators = []string{"->", "=>", "：", "–", "=", ";", ",", ">", ".", "-"}

// valueAfter returns the value in what follows the name of a field. A separator
// before it is left out only if it cannot belong to it: a rule's path may begin with
// a separator, as in .gif, unless a slash or star comes next; and the value of another
// field with a dot or minus, as in .5.
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

// withColon guesses what a line without a colon was meant to be.
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
		return properName(name) + ": " + valueAfter(name, rest),
			rest == "" || strings.ContainsRune(between+"/*", rune(rest[0])) || rest[0] >= 0x80
	}
	name, value, _ := strings.Cut(text, " ")
	if field := fieldname.Nearest(name); field != "" && len(strings.Fields(value)) <= 1 {
		return properName(field) + ": " + strings.TrimSpace(value), true
	}
	return "", false
}

// properName writes the name of a field as most files do.
func properName(field string) string {
	if field == "" {
		return ""
	}
	return strings.ToUpper(field[:1]) + field[1:]
}

func explainNoColon(text string) (message, fix string) {
	if meant, ok := withColon(text); ok {
		return "there is no colon between field and value: crawlers skip the line", write(strings.TrimSpace(meant))
	}
	return fmt.Sprintf("%s is neither a field nor a comment: crawlers skip the line", quote(text)), "begin the line with # if it is a comment, or remove it"
}

// explainBadValue says of a field that robotstxt can read how it is written.
func explainBadValue(r *record) (message, fix string) {
	wants := map[string]string{
		"crawl-delay":    "a number of seconds that is not negative, such as 5 or 0.5",
		"request-rate":   "pages per seconds, such as 1/10 or 1/10m, and perhaps the time of day in UTC, such as 0600-0845",
		"visit-time":     "a time of the day in UTC, such as 0600-0845",
		"clean-param":    "names of parameters and perhaps the beginning of a path, such as ref&sort /shop/",
		"content-usage":  "perhaps a path, then preferences, such as train-ai=n",
		"content-signal": "words with their values, such as search=yes, ai-train=no",
	}[strings.ToLower(r.name)]
	return fmt.Sprintf("%s cannot be read as the value of %s, the line has no effect", quote(r.value), r.name), "give " + wants + ", or remove the line"
}

func withoutControls(value string) string {
	return strings.Map(func(c rune) rune {
		if c < ' ' && c != '\t' {
			return -1
		}
		return c
	}, value)
}
