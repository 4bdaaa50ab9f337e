package robotstxt

import (
	"strings"
	"sync"

	"github.com/politecrawl/politecrawl/robotsext/internal/sfv"
)

// Usage says what content may be used for, by category such as "search" or "train-ai".
// True grants the use and false refuses it. A category without an entry has no
// preference.
type Usage map[string]bool

// usages holds the Content-Usage lines of a group, parsed on first use.
type usages struct {
	once  sync.Once
	lines []usageLine
}

type usageLine struct {
	pattern
	length int
	said   Usage
}

func (g *Group) usages() []usageLine {
	u := &g.compiled().usage
	u.once.Do(func() {
		for e := range g.extensions("content-usage") {
			path, prefs := splitUsage(e.Value)
			if said := sfv.Usage(prefs); said != nil {
				p, length := writtenPattern(path)
				u.lines = append(u.lines, usageLine{p, length, said})
			}
		}
	})
	return u.lines
}

// ContentUsage returns the preferences of the group's Content-Usage lines for the
// content at a path (IETF draft aipref-attach). The line with the longest path that
// matches counts. Among lines with equal paths the most restrictive preference counts.
// For a disallowed path it returns no preferences.
func (g *Group) ContentUsage(pathAndQuery string) Usage {
	if g.set == nil || !g.Match(pathAndQuery).Allowed {
		return nil
	}
	path := canonicalPath(pathAndQuery, 0)
	var usage Usage
	longest := -1
	for _, line := range g.usages() {
		if line.length < longest || !line.match(path) {
			continue
		}
		if line.length > longest {
			longest, usage = line.length, Usage{}
		}
		for category, granted := range line.said {
			if before, ok := usage[category]; !ok || before {
				usage[category] = granted
			}
		}
	}
	return usage
}

// splitUsage separates an optional leading path from the preferences.
func splitUsage(value string) (path, prefs string) {
	if !strings.HasPrefix(value, "/") {
		return "", value
	}
	end := strings.IndexAny(value, " \t")
	if end < 0 {
		return value, ""
	}
	return value[:end], trimSpace(value[end:])
}

// Signal is one key-value pair of a Content-Signal line (Cloudflare). The keys "search",
// "ai-input" and "ai-train" have the value "yes", which grants the use, or "no", which
// refuses it. The experimental key "use" has the value "immediate", "reference" or
// "full". A missing key neither grants nor refuses.
type Signal struct {
	Key, Value string
	Line       int
}

// ContentSignals returns the signals of the group's Content-Signal lines in file order.
func (g *Group) ContentSignals() []Signal {
	var signals []Signal
	for e := range g.extensions("content-signal") {
		signals = append(signals, parseSignals(e.Value, e.Line)...)
	}
	return signals
}

func parseSignals(value string, line int) []Signal {
	var signals []Signal
	for pair := range strings.SplitSeq(value, ",") {
		key, value, ok := strings.Cut(pair, "=")
		key, value = trimSpace(key), trimSpace(value)
		if ok && key != "" {
			signals = append(signals, Signal{key, value, line})
		}
	}
	return signals
}
