package storetest

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

func (p *scriptRun) number(text string) int {
	n, err := strconv.Atoi(text)
	if text != "" && err != nil {
		p.Fatalf("not a number: %s", text)
	}
	return n
}

// moment parses a time: units from now, the name of a mark, or "-" or "" for the zero time.
func (p *scriptRun) moment(text string) time.Time {
	switch text {
	case "", "-":
		return time.Time{}
	case "past":
		return time.Now().Add(-time.Hour)
	case "far":
		return time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)
	}
	if at, ok := p.marks[text]; ok {
		return at
	}
	return p.in(p.number(text))
}

func (p *scriptRun) delayOf(text string) time.Duration {
	switch text {
	case "least":
		return time.Nanosecond
	case "most":
		return math.MaxInt64
	}
	return p.units(p.number(text))
}

// expand expands a/1 to http://a.test/1, and a/1~kind to the text of its key. It returns full URLs
// unchanged.
func expand(word string) string {
	if host, path, ok := strings.Cut(word, "/"); ok && !strings.Contains(word, ":") {
		return urlOf(hostOf(host), "/"+strings.ReplaceAll(path, "~", "#"))
	}
	return word
}

func hostOf(word string) frontier.Host { return frontier.Host(word + ".test") }

// mapped returns the results of f for each string of a list.
func mapped[T any](list []string, f func(string) T) (all []T) {
	for _, word := range list {
		all = append(all, f(word))
	}
	return all
}

// items parses items, in groups with the same options: "a/1 a/2; b/1 p=3".
func (p *scriptRun) items(text string) (items []frontier.Item) {
	for part := range strings.SplitSeq(text, ";") {
		w := split(part)
		for _, word := range w.list {
			it := itemOf(word, p.moment(w.opts["at"]))
			it.Priority = uint8(p.number(w.opts["p"]))
			if meta, ok := w.opts["m"]; ok {
				it.Meta = []byte(meta)
			}
			items = append(items, it)
		}
	}
	return items
}

// itemOf returns the item that a word names.
func itemOf(word string, notBefore time.Time) frontier.Item {
	key := frontier.ParseKey(expand(word))
	return frontier.Item{Kind: key.Kind, URL: key.URL, Owner: key.Owner, NotBefore: notBefore}
}
