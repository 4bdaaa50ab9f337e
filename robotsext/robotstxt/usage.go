package robotstxt

import (
	"strings"
	"sync"

	"github.com/dunglas/httpsfv"

	"github.com/politecrawl/politecrawl/robotsext/internal/usagelabel"
)

// Usage says what content may be used for, by category such as "search" or "train-ai".
// True grants the use and false refuses it. A category without an entry has no
// preference.
type Usage map[string]bool

// maxUsage limits the bytes of preferences, since parsing needs about a hundred times as much.
const maxUsage = 64 << 10

// ParseUsage parses usage preferences (draft-ietf-aipref-vocab), which are a Structured
// Fields Dictionary (RFC 9651) with the tokens y and n. The values are the lines of a
// Content-Usage header, or the preferences of one Content-Usage line of robots.txt. If a
// category is repeated, its last value counts. A value other than y and n states no
// preference. ParseUsage returns nil if values are empty, longer than 64 KiB together, or
// no valid dictionary.
func ParseUsage(values ...string) Usage {
	value := strings.Join(values, ", ")
	if len(value) > maxUsage {
		return nil
	}
	dict, err := httpsfv.UnmarshalDictionary([]string{value})
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

// ContentUsage returns the Content-Usage lines of the group that apply to the content at
// a path (IETF draft aipref-attach): those with the longest path that matches, in file
// order. Lines with equal paths apply together, and the most restrictive preference
// counts. For a disallowed path it returns none.
func (g *Group) ContentUsage(pathAndQuery string) []UsageLine {
	if g.set == nil {
		return nil
	}
	lines := readLines(g, &g.list().usage, "content-usage", func(e Extension, prefs string) (UsageLine, bool) {
		usage := ParseUsage(prefs)
		return UsageLine{e.Line, e.Value, usage}, usage != nil
	})
	if len(lines) == 0 || !g.Match(pathAndQuery).Allowed {
		return nil
	}
	return deciding(lines, pathAndQuery)
}

// Signal is one key-value pair of a Content-Signal line (Cloudflare). The keys "search",
// "ai-input" and "ai-train" have the value "yes", which grants the use, or "no", which
// refuses it. The experimental key "use" has the value "immediate", "reference" or
// "full". A missing key neither grants nor refuses.
type Signal struct{ Key, Value string }

// SignalLine is a Content-Signal line with at least one signal.
type SignalLine struct {
	Line    int      // from 1
	Text    string   // its value as written
	Signals []Signal // callers must not modify it
}

// ContentSignals returns the Content-Signal lines of the group that apply to a path, in
// file order. Most lines have no path and apply to all. If lines have paths, those
// with the longest path that matches apply, as in ContentUsage.
func (g *Group) ContentSignals(pathAndQuery string) []SignalLine {
	if g.set == nil {
		return nil
	}
	return deciding(readLines(g, &g.list().signals, "content-signal", func(e Extension, pairs string) (SignalLine, bool) {
		signals := parseSignals(pairs)
		return SignalLine{e.Line, e.Value, signals}, signals != nil
	}), pathAndQuery)
}

func parseSignals(pairs string) []Signal {
	var signals []Signal
	for pair := range strings.SplitSeq(pairs, ",") {
		key, value, ok := strings.Cut(pair, "=")
		key, value = trimSpace(key), trimSpace(value)
		if ok && key != "" {
			signals = append(signals, Signal{key, value})
		}
	}
	return signals
}

// pathLines holds the lines of a group that have one field and an optional path, parsed
// on first use.
type pathLines[T any] struct {
	once sync.Once
	list []pathLine[T]
}

type pathLine[T any] struct {
	pattern
	length int
	line   T
}

// readLines returns the lines with a field, without those that parse refuses. Parse gets
// the value after the path.
func readLines[T any](g *Group, lines *pathLines[T], field string, parse func(e Extension, rest string) (T, bool)) []pathLine[T] {
	lines.once.Do(func() {
		for e := range g.extensions(field) {
			path, rest := usagelabel.SplitPath(e.Value)
			if line, ok := parse(e, rest); ok {
				p, length := writtenPattern(path)
				lines.list = append(lines.list, pathLine[T]{p, length, line})
			}
		}
	})
	return lines.list
}

// deciding returns the lines with the longest path that matches.
func deciding[T any](lines []pathLine[T], pathAndQuery string) []T {
	if len(lines) == 0 {
		return nil
	}
	path := canonicalPath(pathAndQuery, 0)
	var longest []T
	length := 0
	for i := range lines {
		l := &lines[i]
		if l.length < length || !l.match(path) {
			continue
		}
		if l.length > length {
			length, longest = l.length, nil
		}
		longest = append(longest, l.line)
	}
	return longest
}
