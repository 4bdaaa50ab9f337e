package robotstag

import (
	"strconv"
	"strings"

	"github.com/dunglas/httpsfv"

	"github.com/politecrawl/politecrawl/robotsext/headerlist"
)

// structured parses a line of the draft header Robots-Tag: a list of product tokens, or "*"
// for all crawlers, with rules as parameters (ROB-PAG-10):
//
//	Robots-Tag: *;nosnippet, ExampleBot;noindex;max-snippet=50
//
// RFC 9651 requires to ignore a structured field with a syntax error. Here the members before
// the error count, because they can only restrict. As in the draft, rules may have any case.
func (d *Directives) structured(line string, source Source) {
	for member := range headerlist.Elements(strings.ToLower(line)) {
		list, err := httpsfv.UnmarshalList([]string{member})
		if err != nil || len(list) == 0 {
			return
		}
		if agent, ok := list[0].(httpsfv.Item); ok {
			d.member(agent, source)
		}
	}
}

// member adds the rules of one member of a Robots-Tag header.
func (d *Directives) member(agent httpsfv.Item, source Source) {
	switch name := agent.Value.(type) {
	case httpsfv.Token:
		source.Agent = everyone(string(name))
	case string:
		source.Agent = everyone(name)
	default:
		return
	}
	for _, rule := range agent.Params.Names() {
		value, _ := agent.Params.Get(rule)
		text := "" // no rule has a value of another type
		switch value := value.(type) {
		case int64:
			text = strconv.FormatInt(value, 10)
		case httpsfv.Token:
			text = string(value)
		case string:
			text = value
		case bool:
			if !value {
				continue
			}
		}
		d.take(rule, text, source)
	}
}
