package robotstag

import "strings"

// structured reads a line of the draft header Robots-Tag: a list of product tokens,
// or "*" for everyone, with the rules for each as its parameters (ROB-PAG-10):
//
//	Robots-Tag: *;nosnippet, ExampleBot;noindex;max-snippet=50
//
// A structured field has to be ignored as a whole when it breaks off or is wrong
// anywhere. Here the members before that place count: they can only restrict. The
// rules are read in any case, as the draft has it.
func (d *Directives) structured(line string, source Source) {
	f := &field{strings.ToLower(strings.Trim(line, " "))}
	for more := f.rest != ""; more; {
		agent, rules, ok := f.member()
		if !ok {
			return
		}
		if more, ok = f.next(); !ok && f.rest != "" {
			return // this member was not over
		}
		if agent.kind != 't' && agent.kind != 's' {
			continue
		}
		source.Agent = everyone(agent.text)
		for _, rule := range rules {
			value := rule.value.text
			switch rule.value.kind {
			case 'n', 't', 's':
			case 'b':
				if value == "0" {
					continue
				}
				fallthrough
			default:
				value = "" // it is there, but has no value that a rule could have
			}
			d.take(rule.key, value, source)
		}
	}
}
