package robots

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/site"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// A purpose is what a crawler fetches pages for.
type purpose string

const (
	forSearch   purpose = "search"
	forTraining purpose = "training"
	forAnswers  purpose = "answers"
	forUser     purpose = "user"
	forAI       purpose = "ai"
	forOther    purpose = "other"
)

// purposes have the order of the matrix.
var purposes = []purpose{forSearch, forTraining, forAnswers, forUser, forAI, forOther}

// headings are the headings of the matrix.
var headings = map[purpose]string{
	forSearch:   "Search engines",
	forTraining: "AI: model training",
	forAnswers:  "AI: search and answers",
	forUser:     "AI: user requests",
	forAI:       "AI: other or unknown use",
	forOther:    "Others",
}

// A knownAgent is a crawler that many robots.txt files name.
type knownAgent struct {
	name     string
	operator string
	purpose  purpose
	ownOnly  bool // ignores the group of * (ROB-UA-09)
	tokens   agent
}

// agentTable has the crawlers that "robots agents" shows: search engines as their operators
// described them, and the names in github.com/ai-robots-txt/ai.robots.txt, in 2026. To renew it,
// compare it with robots.json of that project. Google-Extended and Applebot-Extended are not
// crawlers. Sites use these tokens to say how their pages may be used.
//
//go:embed agents.json
var agentTable []byte

// parseAgents reads a table of crawlers: a JSON object with an entry for each name. The JSON of
// ai.robots.txt has this form. Names with the same token, as in "Foo" and "Foo/2.0", count as one.
func parseAgents(table []byte) ([]knownAgent, error) {
	dec := json.NewDecoder(bytes.NewReader(table))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, fmt.Errorf("not a JSON object")
	}
	var agents []knownAgent
	seen := map[string]bool{}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return nil, err
		}
		var entry struct {
			Operator string `json:"operator"`
			Function string `json:"function"`
			General  string `json:"general"`
			OwnOnly  bool   `json:"own_only"`
		}
		if err := dec.Decode(&entry); err != nil {
			return nil, fmt.Errorf("%q: %w", name, err)
		}
		k := knownAgent{name: name.(string), operator: operatorName(entry.Operator), purpose: purposeOf(entry.Function), ownOnly: entry.OwnOnly}
		own := k.name
		if own != "*" { // a name ends where a User-agent line ends it, as in "Foo Bot" and "Foo/2.0"
			own, _ = robotstxt.ProductToken(own) // ParseAgent rejects a name without one
		}
		if k.tokens, err = site.ParseAgent(strings.TrimSuffix(own+"+"+entry.General, "+")); err != nil {
			return nil, fmt.Errorf("%q: %w", name, err)
		}
		if token := strings.ToLower(k.tokens.String()); !seen[token] {
			seen[token] = true
			agents = append(agents, k)
		}
	}
	if _, err := dec.Token(); err != nil { // the end of the object
		return nil, err
	}
	if len(agents) == 0 {
		return nil, fmt.Errorf("it names no crawler")
	}
	slices.SortStableFunc(agents, func(a, b knownAgent) int {
		return slices.Index(purposes, a.purpose) - slices.Index(purposes, b.purpose)
	})
	return agents, nil
}

var markdownLink = regexp.MustCompile(`\[([^]]*)\]\([^)]*\)`)

// operatorName returns the name in an operator of ai.robots.txt, which may be a link.
func operatorName(text string) string {
	text = cli.OneLine(markdownLink.ReplaceAllString(text, "$1"))
	if text == "" || strings.HasPrefix(text, "Unclear") {
		return "unknown"
	}
	return cli.Clip(text, 60)
}

// functions are words in the functions of ai.robots.txt, the more specific ones first.
var functions = []struct {
	word    string
	purpose purpose
}{
	{"undocumented", forAI},
	{"search", forAnswers},
	{"train", forTraining},
	{"scrap", forTraining},
	{"dataset", forTraining},
	{"llm", forTraining},
	{"assistant", forUser},
	{"agent", forUser},
	{"prompt", forUser},
}

// purposeOf returns the purpose that a function names or describes.
func purposeOf(function string) purpose {
	if p := purpose(function); slices.Contains(purposes, p) {
		return p
	}
	function = strings.ToLower(function)
	for _, f := range functions {
		if strings.Contains(function, f.word) {
			return f.purpose
		}
	}
	return forAI
}

// known returns the crawler of the table with these tokens, or a new one.
func known(table []knownAgent, a agent) knownAgent {
	for _, k := range table {
		if first := k.tokens[:min(len(k.tokens), 1)]; strings.EqualFold(first.String(), a.String()) {
			return k
		}
	}
	return knownAgent{name: a.String(), tokens: a}
}
