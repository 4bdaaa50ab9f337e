package robotslint

import (
	"fmt"
	"strings"

	"github.com/politecrawl/politecrawl/robotsext/internal/clip"
	"github.com/politecrawl/politecrawl/robotsext/internal/fieldname"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// parsed adds the findings of robotstxt, with fixes.
func (l *linter) parsed() {
	for _, f := range l.file.Findings {
		if f.Kind == robotstxt.KindHTML {
			l.html()
		}
		r := l.source.at(f.Line)
		if f.Kind == robotstxt.KindHTML || r == nil || l.reported[f.Line] {
			continue
		}
		kind, severity := Kind(f.Kind), Kind(f.Kind).Severity()
		explain := func() (string, string) { return l.explain(f, r) }
		switch f.Kind {
		case robotstxt.KindTooLarge, robotstxt.KindNotUTF8, robotstxt.KindLongLine:
			continue // reported by encoding
		case robotstxt.KindNoColon:
			if _, ok := withColon(f.Text); !ok {
				severity = Warning
			}
		case robotstxt.KindMisspelled:
			if field := fieldname.Nearest(f.Text); field == "crawl-delay" {
				severity = Warning
			}
		case robotstxt.KindAgentCut, robotstxt.KindBadAgent:
			severity = agentSeverity(f.Text)
		case robotstxt.KindNoSlash:
			if isFullURL(f.Text) {
				kind = KindFullURL
				severity = kind.Severity()
			}
		case robotstxt.KindSitemapScheme:
			l.reported[f.Line] = true
		case robotstxt.KindSitemapRelative:
			l.reported[f.Line] = true
			if strings.Contains(f.Text, "://") {
				kind = KindBadSitemap
			}
		}
		l.addAs(severity, f.Line, kind, f.Text, explain)
	}
}

func (l *linter) html() {
	l.add(1, Kind(robotstxt.KindHTML), "", func() (string, string) {
		return "this is an HTML page, not a robots.txt file; lines that look like rules still count",
			"serve a plain text file at /robots.txt, or status 404 if there is none"
	})
}

// explain returns the message and the fix of a finding.
func (l *linter) explain(f robotstxt.Finding, r *record) (message, fix string) {
	switch f.Kind {
	case robotstxt.KindNoColon:
		return l.explainNoColon(r)
	case robotstxt.KindNoField:
		return "the field name before the colon is missing", "add a field name such as Disallow, or remove the line"
	case robotstxt.KindBadField:
		return fmt.Sprintf("%s is not a field, so crawlers skip the line", quote(f.Text)), "begin the line with # if it is a comment, or remove it"
	case robotstxt.KindMisspelled:
		field := properName(fieldname.Nearest(f.Text))
		message = fmt.Sprintf("unknown field %s: most crawlers ignore the line; the most similar field is %s", quote(f.Text), field)
		switch {
		case field == "User-agent" && r.block >= 0:
			message += ". The rules below become part of the group above"
		case field == "User-agent":
			message += ". The rules below apply to no crawler"
		}
		return message, l.rewrite(r, field+": "+r.value)
	case robotstxt.KindControl:
		return fmt.Sprintf("the control character %#U makes the line invalid", rune(r.value[max(controlIn(r.value), 0)])), l.rewrite(r, r.name+": "+withoutControls(r.value))
	case robotstxt.KindBadAgent:
		return l.explainBadAgent(r)
	case robotstxt.KindAgentCut:
		return l.explainAgentCut(r)
	case robotstxt.KindRuleBeforeGroup:
		return "the rule is before the first User-agent line and applies to no crawler", `add a User-agent line before it, such as "User-agent: *" for every crawler`
	case robotstxt.KindNoSlash:
		return l.explainNoSlash(r)
	case robotstxt.KindSitemapRelative, robotstxt.KindSitemapScheme, robotstxt.KindSitemapTwice:
		return l.explainSitemap(f, r)
	case robotstxt.KindManyFields:
		return fmt.Sprintf("more than %d lines are neither rules nor sitemaps: this one and all later ones are ignored", robotstxt.DefaultMaxExtensions), "remove lines that are not rules"
	case robotstxt.KindPageDirective:
		return fmt.Sprintf("%s has no effect in robots.txt", r.name), fmt.Sprintf(
			`send "X-Robots-Tag: %s" with the pages, or add <meta name="robots" content="%[1]s"> to them; allow crawling them, because otherwise no crawler sees it`, strings.ToLower(r.name))
	case robotstxt.KindBadValue:
		return explainBadValue(r)
	case robotstxt.KindDelayCapped:
		most := robotstxt.DefaultMaxCrawlDelay.Seconds()
		return fmt.Sprintf("a delay of %s seconds is longer than crawlers accept: politecrawl waits %v s, and many ignore the field", clip.Text(r.value, mostQuoted), most),
			fmt.Sprintf("use at most %v seconds, or disallow the pages that cost the server most", most)
	}
	return f.Kind.Message(), "remove the line, or begin it with #"
}

// properName returns the usual spelling of a field.
func properName(field string) string {
	if field == "" {
		return ""
	}
	if name, ok := strings.CutPrefix(field, "content-"); ok {
		return "Content-" + properName(name)
	}
	return strings.ToUpper(field[:1]) + field[1:]
}

// explainBadValue explains the syntax of a field that robotstxt parses.
func explainBadValue(r *record) (message, fix string) {
	wants := map[string]string{
		"crawl-delay":    "a number of seconds, such as 5 or 0.5",
		"request-rate":   "pages per seconds, such as 1/10 or 1/10m, and optionally a time of day in UTC, such as 0600-0845",
		"visit-time":     "a time of the day in UTC, such as 0600-0845",
		"clean-param":    "parameter names and optionally a path prefix, such as ref&sort /shop/",
		"content-usage":  "an optional path, then preferences, such as train-ai=n",
		"content-signal": "keys with values, such as search=yes, ai-train=no",
	}[strings.ToLower(r.name)]
	return fmt.Sprintf("%s is not a valid value of %s, so the line has no effect", quote(r.value), r.name), "write " + wants + ", or remove the line"
}

func withoutControls(value string) string {
	return strings.Map(func(c rune) rune {
		if isControl(c) {
			return -1
		}
		return c
	}, value)
}
