package robotstag

import (
	"strings"

	"github.com/politecrawl/politecrawl/robotsext/internal/sfv"
)

// structured reads a line of the draft header Robots-Tag: a list of product tokens,
// or "*" for everyone, with the rules for each as its parameters (ROB-PAG-10):
//
//	Robots-Tag: *;nosnippet, ExampleBot;noindex;max-snippet=50
//
// A structured field has to be ignored as a whole when it breaks off or is wrong
// anywhere. Here the members before that place count: they can only restrict. The
// rules are read in any case, as the draft has it.
func (d *Directives) structured(line string, source Source) {
	f := &sfv.Reader{Rest: strings.ToLower(strings.Trim(line, " "))}
	for more := f.Rest != ""; more; {
		agent, rules, ok := f.Member()
		if !ok {
			return
		}
		if more, ok = f.Next(); !ok && f.Rest != "" {
			return // this member was not over
		}
		if agent.Kind != sfv.Token && agent.Kind != sfv.String {
			continue
		}
		source.Agent = everyone(agent.Text)
		for _, rule := range rules {
			value := rule.Value.Text
			switch rule.Value.Kind {
			case sfv.Number, sfv.Token, sfv.String:
			case sfv.Boolean:
				if value == "0" {
					continue
				}
				fallthrough
			default:
				value = "" // it is there, but has no value that a rule could have
			}
			d.take(rule.Key, value, source)
		}
	}
}
