package robotslint

import (
	"cmp"
	"fmt"
	"iter"
	"net/url"
	"slices"
	"strings"

	"github.com/dunglas/httpsfv"

	"github.com/politecrawl/politecrawl/robotsext/headerlist"
	"github.com/politecrawl/politecrawl/robotsext/internal/usagelabel"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// fieldLabels are the labels of a field with their values, and the words of the other field that
// people write in it.
type fieldLabels struct {
	values map[string][]string
	words  map[string]string
}

// usageLabels and signalLabels are the labels of Content-Usage (ROB-EXT-05) and Content-Signal
// (ROB-EXT-06).
var usageLabels, signalLabels = tables()

func tables() (usages, signals fieldLabels) {
	usages = fieldLabels{map[string][]string{}, map[string]string{"yes": "y", "no": "n", "?1": "y", "?0": "n", "1": "y", "0": "n"}}
	signals = fieldLabels{map[string][]string{"use": {"immediate", "reference", "full"}}, map[string]string{"y": "yes", "n": "no"}}
	for _, label := range usagelabel.All {
		usages.values[label.Usage], signals.values[label.Signal] = []string{"y", "n"}, []string{"yes", "no"}
		usages.words[label.Signal], signals.words[label.Usage] = label.Usage, label.Signal
	}
	return usages, signals
}

// usageLine reports preferences of a Content-Usage line that no crawler knows, or that are repeated.
func (l *linter) usageLine(e robotstxt.Extension) {
	_, prefs := usagelabel.SplitPath(e.Value)
	dict, err := httpsfv.UnmarshalDictionary([]string{prefs})
	if err != nil {
		return // robotstxt reports it
	}
	for _, label := range dict.Names() {
		member, _ := dict.Get(label)
		if item, ok := member.(httpsfv.Item); ok { // crawlers ignore its parameters
			l.parameters(e, label, item.Params)
			member = httpsfv.NewItem(item.Value)
		}
		value, _ := httpsfv.Marshal(member) // it was parsed, so it has a text
		l.preference(e, KindUnknownUsage, label, value, &usageLabels)
	}
	l.repeatedLabels(e, headerlist.Elements(prefs), "crawlers ignore all but the last value")
}

// parameters reports preferences that follow a semicolon, which makes them parameters of another one.
func (l *linter) parameters(e robotstxt.Extension, label string, params *httpsfv.Params) {
	for _, name := range params.Names() {
		if usageLabels.values[name] != nil {
			l.add(e.Line, KindUnknownUsage, e.Field+": "+e.Value, func() (string, string) {
				return fmt.Sprintf("%s follows a semicolon, so it is a parameter of %s, and crawlers ignore it", quote(name), quote(label)), "separate preferences with commas"
			})
		}
	}
}

// repeatedLabels reports labels that pairs of a line repeat.
func (l *linter) repeatedLabels(e robotstxt.Extension, pairs iter.Seq[string], effect string) {
	count := map[string]int{}
	for pair := range pairs {
		label, _, _ := strings.Cut(pair, "=")
		label, _, _ = strings.Cut(label, ";")
		label = strings.ToLower(strings.Trim(label, space))
		if count[label]++; label != "" && count[label] == 2 {
			l.add(e.Line, KindRepeatedUsage, e.Field+": "+e.Value, func() (string, string) {
				return fmt.Sprintf("%s is repeated: %s", quote(label), effect), "write it once, with the value that you intend"
			})
		}
	}
}

// signalLine reports pairs of a Content-Signal line that no crawler knows, or that are repeated.
func (l *linter) signalLine(e robotstxt.Extension) {
	_, pairs := usagelabel.SplitPath(e.Value)
	for pair := range strings.SplitSeq(pairs, ",") {
		key, value, _ := strings.Cut(pair, "=")
		key, value = strings.ToLower(strings.Trim(key, space)), strings.ToLower(strings.Trim(value, space))
		if key != "" || value != "" {
			l.preference(e, KindUnknownSignal, key, value, &signalLabels)
		}
	}
	l.repeatedLabels(e, strings.SplitSeq(pairs, ","), "crawlers may obey either value")
}

// preference reports a preference with a label or value that no crawler knows.
func (l *linter) preference(e robotstxt.Extension, kind Kind, label, value string, of *fieldLabels) {
	values := of.values[label]
	if slices.Contains(values, value) {
		return
	}
	l.add(e.Line, kind, e.Field+": "+e.Value, func() (message, fix string) {
		message = fmt.Sprintf("%s is not a value of %s in %s, so crawlers ignore it", quote(value), quote(label), e.Field)
		if values == nil {
			message = fmt.Sprintf("%s is not a label of %s, so crawlers ignore it", quote(label), e.Field)
			if better := of.words[label]; better != "" {
				label, values = better, of.values[better]
			}
		}
		if better := of.words[value]; slices.Contains(values, better) {
			value = better
		}
		switch {
		case slices.Contains(values, value):
			return message, "replace it with " + quoteAll(label+"="+value)
		case values != nil:
			return message, "replace it with " + quoteAll(label+"="+strings.Join(values, " or "+label+"="))
		}
		return message, "remove it, or write a label that crawlers know, such as search"
	})
}

// license reports a License line without an absolute URL (RSL 1.0).
func (l *linter) license(e robotstxt.Extension) {
	if u, err := url.Parse(e.Value); err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" {
		return
	}
	l.add(e.Line, KindBadLicense, e.Field+": "+e.Value, func() (string, string) {
		message := fmt.Sprintf("%s is not the URL of a license file, so crawlers ignore it", quote(e.Value))
		if base, err := url.Parse(l.opts.URL); err == nil && l.opts.URL != "" && strings.HasPrefix(e.Value, "/") {
			if u, err := base.Parse(e.Value); err == nil {
				return message, "write " + quoteAll("License: "+u.String())
			}
		}
		return message, "write the whole URL, such as https://www.example.com/license.xml"
	})
}

// usage checks the Content-Usage and Content-Signal lines of each group.
func (l *linter) usage() {
	if l.source.html || !slices.ContainsFunc(l.file.Extensions, isUsage) {
		return
	}
	c := usageChecks{linter: l, steps: l.steps, groups: map[int]int{}, useless: map[int]int{}, conflicts: map[conflict]int{}}
	for _, names := range l.file.AgentSets() {
		if c.steps < 0 {
			break
		}
		c.group(l.file.Group(names...))
	}
	for i := range l.file.Extensions {
		e := &l.file.Extensions[i]
		if c.useless[e.Line] > 0 && c.useless[e.Line] == c.groups[e.Line] {
			l.add(e.Line, KindUselessUsage, e.Field+": "+e.Value, func() (string, string) {
				return "the group disallows all URLs of the line, and preferences apply only to URLs that crawlers may fetch", "remove the line, or allow crawling the URLs"
			})
		}
		c.contradictions(e)
	}
	l.notInherited()
}

func isUsage(e robotstxt.Extension) bool {
	return e.Agents != nil && (strings.EqualFold(e.Field, "content-usage") || strings.EqualFold(e.Field, "content-signal"))
}

// usageChecks checks the lines of groups, until no steps remain in a hostile file.
type usageChecks struct {
	*linter

	steps     int
	groups    map[int]int      // in how many groups is a line?
	useless   map[int]int      // in how many has it no effect?
	conflicts map[conflict]int // the first line with the opposite value
}

// conflict is a label's value in a line. An earlier line of the group has the opposite value.
type conflict struct {
	line    int
	label   usagelabel.Label
	allowed bool
}

// group checks the lines of a merged group.
func (c *usageChecks) group(g *robotstxt.Group) {
	lines := slices.DeleteFunc(slices.Clone(g.Extensions()), func(e robotstxt.Extension) bool { return !isUsage(e) })
	size := 0
	for _, e := range lines {
		size += len(e.Value)
	}
	compared := map[string]bool{}
	for _, e := range lines {
		path, _ := usagelabel.SplitPath(e.Value)
		path = cmp.Or(path, "/")
		c.groups[e.Line]++
		if strings.EqualFold(e.Field, "content-usage") && c.disallowed(g, path) {
			c.useless[e.Line]++
			continue
		}
		if compared[path] {
			continue
		}
		compared[path] = true
		if c.steps -= 2 * size * (1 + len(path)); c.steps < 0 {
			return
		}
		written, anchored := strings.CutSuffix(path, "$")
		c.compare(g, strings.ReplaceAll(written, "*", ""))
		if !anchored { // a line about the shortest URL alone, such as /$, hides others there
			written += "*"
		}
		c.compare(g, strings.ReplaceAll(written, "*", "x~"))
	}
}

// disallowed reports whether a group disallows all URLs that a path matches. In case of doubt it
// returns false.
func (c *usageChecks) disallowed(g *robotstxt.Group, path string) bool {
	want := newPattern(path, false)
	highest := -1 // rank of the Disallow rules for all these URLs
	var allow []pattern
	for _, r := range g.Rules() {
		if c.steps -= 10 + len(r.Pattern); c.steps < 0 {
			return false
		}
		switch p := newPattern(r.Pattern, r.Allow); {
		case r.Allow:
			allow = append(allow, p)
		case p.covers(&want, &c.steps):
			highest = max(highest, p.rank)
		}
	}
	return highest >= 0 && !slices.ContainsFunc(allow, func(p pattern) bool {
		a, b := p.beginning(), want.beginning()
		return p.rank > highest && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a))
	})
}

// compare finds the lines of a group that contradict each other for a path.
func (c *usageChecks) compare(g *robotstxt.Group, path string) {
	usages, signals := g.ContentUsage(path), g.ContentSignals(path)
	for _, label := range usagelabel.All {
		lines := map[bool][]int{} // that allow it, or not
		for _, line := range usages {
			if allowed, ok := line.Usage[label.Usage]; ok {
				lines[allowed] = append(lines[allowed], line.Line)
			}
		}
		for _, line := range signals {
			for _, signal := range line.Signals {
				if value := strings.ToLower(signal.Value); strings.EqualFold(signal.Key, label.Signal) && (value == "yes" || value == "no") {
					lines[value == "yes"] = append(lines[value == "yes"], line.Line)
				}
			}
		}
		for allowed, same := range lines {
			if len(lines[!allowed]) == 0 {
				continue
			}
			first := slices.Min(lines[!allowed])
			for _, line := range same {
				at := conflict{line, label, allowed}
				if other := c.conflicts[at]; first < line && (other == 0 || first < other) {
					c.conflicts[at] = first
				}
			}
		}
	}
}

// contradictions reports the values of a line that contradict an earlier line.
func (c *usageChecks) contradictions(e *robotstxt.Extension) {
	for _, label := range usagelabel.All {
		for _, allowed := range []bool{true, false} {
			other := c.conflicts[conflict{e.Line, label, allowed}]
			if other == 0 {
				continue
			}
			c.add(e.Line, KindContradictingUsage, e.Field+": "+e.Value, func() (string, string) {
				here := "refused here and allowed"
				if allowed {
					here = "allowed here and refused"
				}
				return fmt.Sprintf("%s is %s in line %d: the refusal counts", label.Usage, here, other),
					fmt.Sprintf("decide which of the two you intend, and correct line %d or line %d", other, e.Line)
			})
		}
	}
}

// notInherited reports groups of named crawlers without preferences, if the group of "*" has
// some. A crawler with a group of its own ignores "*" (ROB-UA-08).
func (l *linter) notInherited() {
	everybody := l.file.Group("*")
	all := everybody.Extensions()
	i := slices.IndexFunc(all, isUsage)
	if i < 0 || everybody.Name() != "*" {
		return
	}
	lines := map[string]*record{} // the first User-agent line of each name
	for at := range l.source.records {
		r := &l.source.records[at]
		if name := strings.ToLower(agentName(r.value)); r.field == agentField && lines[name] == nil {
			lines[name] = r
		}
	}
	for _, names := range l.file.AgentSets() {
		g, r := l.file.Group(names...), lines[strings.ToLower(names[0])]
		if r == nil || slices.Contains(names, "*") || slices.ContainsFunc(g.Extensions(), isUsage) || disallowsAll(g) {
			continue
		}
		l.add(r.line, KindUsageNotInherited, r.text, func() (string, string) {
			line := all[i].Field + ": " + all[i].Value
			return fmt.Sprintf(`%s has a group of its own, so %s in line %d of the group of "*" does not apply to it`, names[0], quote(line), all[i].Line),
				"repeat the preferences in this group, such as " + quote(line)
		})
	}
}

// disallowsAll reports whether a group disallows every URL.
func disallowsAll(g *robotstxt.Group) bool {
	all := false
	for _, r := range g.Rules() {
		if r.Allow {
			return false
		}
		all = all || r.Pattern == "/" || r.Pattern == "/*" || r.Pattern == "*"
	}
	return all
}
