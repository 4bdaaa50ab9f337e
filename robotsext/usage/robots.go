package usage

import (
	"maps"
	"slices"
	"strings"

	"github.com/politecrawl/politecrawl/robotsext/internal/usagelabel"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// categories and signals are the labels of Content-Usage and of Content-Signal.
var categories, signals = purposesByLabel()

func purposesByLabel() (categories, signals map[string]Purpose) {
	categories, signals = map[string]Purpose{}, map[string]Purpose{}
	for _, label := range usagelabel.All {
		categories[label.Usage], signals[label.Signal] = Purpose(label.Purpose), Purpose(label.Purpose)
	}
	return categories, signals
}

// signalValues are the values of Content-Signal.
var signalValues = map[string]Value{"yes": Allowed, "no": Disallowed}

// FromRobots returns the statements of a robots.txt file about a path: the Content-Usage
// and Content-Signal lines of the group that apply to it, and all License lines of the
// file. License lines are for every crawler, and only name a license file; see ParseRSL.
// Hash is the Hash of the file; it may be empty.
func FromRobots(f *robotstxt.File, g *robotstxt.Group, hash, pathAndQuery string) []Statement {
	var c collector
	source := func(name string, line int) Source { return Source{InRobots, name, line, hash} }
	for _, line := range g.ContentUsage(pathAndQuery) {
		s := Statement{Kind: KindContentUsage, Source: source("Content-Usage", line.Line), Raw: line.Text}
		s.setUsage(line.Usage)
		c.add(s)
	}
	for _, line := range g.ContentSignals(pathAndQuery) {
		s := Statement{Kind: KindContentSignal, Source: source("Content-Signal", line.Line), Raw: line.Text}
		for _, signal := range line.Signals {
			if purpose, ok := signals[strings.ToLower(signal.Key)]; ok {
				s.set(signalValues[strings.ToLower(signal.Value)], purpose)
			} else {
				s.label(signal.Key, signal.Value)
			}
		}
		c.add(s)
	}
	for i := range f.Extensions {
		if e := &f.Extensions[i]; strings.EqualFold(e.Field, "License") {
			c.add(Statement{Kind: KindRSL, Source: source("License", e.Line), Raw: e.Value, URL: e.Value})
		}
	}
	return c.list
}

// setUsage records usage preferences, in a fixed order so that the same labels are kept.
func (s *Statement) setUsage(usage robotstxt.Usage) {
	for _, label := range slices.Sorted(maps.Keys(usage)) {
		value, word := Disallowed, "n"
		if usage[label] {
			value, word = Allowed, "y"
		}
		if purpose, ok := categories[label]; ok {
			s.set(value, purpose)
		} else {
			s.label(label, word)
		}
	}
}
