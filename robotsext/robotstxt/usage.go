package robotstxt

import (
	"strings"
	"sync"

	"github.com/dunglas/httpsfv"
)

// Usage says what content may be used for, by category such as "search" or "train-ai".
// True grants the use and false refuses it. A category without an entry has no
// preference.
type Usage map[string]bool

// ParseUsage parses usage preferences (draft-ietf-aipref-vocab), which are a Structured
// Fields Dictionary (RFC 9651) with the tokens y and n. The values are the lines of a
// Content-Usage header, or the preferences of one Content-Usage line of robots.txt. If a
// category is repeated, its last value counts. A value other than y and n states no
// preference. ParseUsage returns nil if values are empty or no valid dictionary.
func ParseUsage(values ...string) Usage {
	dict, err := httpsfv.UnmarshalDictionary(values)
	if err != nil || len(dict.Names()) == 0 {
		return nil
	}
	usage := Usage{}
	for _, category := range dict.Names() {
		member, _ := dict.Get(category)
		if item, ok := member.(httpsfv.Item); ok && (item.Value == httpsfv.Token("y") || item.Value == httpsfv.Token("n")) {
			usage[category] = item.Value == httpsfv.Token("y")
		}
	}
	return usage
}

// UsageLine is a valid Content-Usage line.
type UsageLine struct {
	Line  int    // from 1
	Text  string // its value as written: path and preferences
	Usage Usage  // callers must not modify it
}

// usages holds the Content-Usage lines of a group, parsed on first use.
type usages struct {
	once  sync.Once
	lines []usageLine
}

type usageLine struct {
	pattern
	length int
	UsageLine
}

func (g *Group) usages() []usageLine {
	u := &g.compiled().usage
	u.once.Do(func() {
		for e := range g.extensions("content-usage") {
			path, prefs := splitUsage(e.Value)
			if said := ParseUsage(prefs); said != nil {
				p, length := writtenPattern(path)
				u.lines = append(u.lines, usageLine{p, length, UsageLine{e.Line, e.Value, said}})
			}
		}
	})
	return u.lines
}

// ContentUsage returns the Content-Usage lines of the group that apply to the content at
// a path (IETF draft aipref-attach): those with the longest path that matches, in file
// order. Lines with equal paths apply together, and the most restrictive preference
// counts. For a disallowed path it returns none.
func (g *Group) ContentUsage(pathAndQuery string) []UsageLine {
	if g.set == nil || len(g.usages()) == 0 || !g.Match(pathAndQuery).Allowed {
		return nil
	}
	path := canonicalPath(pathAndQuery, 0)
	var deciding []UsageLine
	longest := -1
	for _, line := range g.usages() {
		if line.length < longest || !line.match(path) {
			continue
		}
		if line.length > longest {
			longest, deciding = line.length, deciding[:0]
		}
		deciding = append(deciding, line.UsageLine)
	}
	return deciding
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
}

// SignalLine is a Content-Signal line with at least one signal.
type SignalLine struct {
	Line    int    // from 1
	Text    string // its value as written
	Signals []Signal
}

// ContentSignals returns the Content-Signal lines of the group in file order.
func (g *Group) ContentSignals() []SignalLine {
	var lines []SignalLine
	for e := range g.extensions("content-signal") {
		if signals := parseSignals(e.Value); signals != nil {
			lines = append(lines, SignalLine{e.Line, e.Value, signals})
		}
	}
	return lines
}

func parseSignals(value string) []Signal {
	var signals []Signal
	for pair := range strings.SplitSeq(value, ",") {
		key, value, ok := strings.Cut(pair, "=")
		key, value = trimSpace(key), trimSpace(value)
		if ok && key != "" {
			signals = append(signals, Signal{key, value})
		}
	}
	return signals
}
