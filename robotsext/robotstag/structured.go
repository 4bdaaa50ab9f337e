package robotstag

import (
	"strings"

	"github.com/politecrawl/politecrawl/robotsext/internal/sfv"
)

// structured parses a line of the draft header Robots-Tag: a list of product tokens, or "*"
// for all crawlers, with rules as parameters (ROB-PAG-10):
//
//	Robots-Tag: *;nosnippet, ExampleBot;noindex;max-snippet=50
//
// RFC 9651 requires to ignore a structured field with a syntax error. Here the members before
// the error count, because they can only restrict. As in the draft, rules may have any case.
func (d *Directives) structured(line string, source Source) {
	f := &sfv.Reader{Rest: strings.ToLower(strings.Trim(line, " "))}
	for more := f.Rest != ""; more; {
		agent, rules, ok := f.Member()
		if !ok {
			return
		}
		if more, ok = f.Next(); !ok && f.Rest != "" {
			return // the member is incomplete
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
				value = "" // no rule has a value of this type
			}
			d.take(rule.Key, value, source)
		}
	}
}
