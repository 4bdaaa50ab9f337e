package robots

import (
	"strings"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/site"
)

// An agent is a crawler as --agent names it: product tokens in the order in which it looks
// for its group (ROB-UA-04). An agent without tokens obeys only the group *.
type agent struct {
	tokens []string
}

func parseAgent(text string) (agent, error) {
	tokens, err := site.ParseAgent(text)
	return agent{tokens}, err
}

// names returns the names for robotstxt.File.Group.
func (a agent) names() []string {
	if len(a.tokens) == 0 {
		return []string{"*"}
	}
	return a.tokens
}

func (a agent) String() string { return strings.Join(a.names(), "+") }
