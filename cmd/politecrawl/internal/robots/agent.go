package robots

import (
	"strings"
)

// An agent is a crawler as --agent names it: product tokens in the order in which it looks
// for its group (ROB-UA-04). An agent without tokens obeys only the group *.
type agent []string

// names returns the names for robotstxt.File.Group.
func (a agent) names() []string {
	if len(a) == 0 {
		return []string{"*"}
	}
	return a
}

func (a agent) String() string { return strings.Join(a.names(), "+") }
