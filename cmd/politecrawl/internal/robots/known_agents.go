package robots

import "strings"

// A purpose is what a crawler fetches pages for.
type purpose string

const (
	forSearch   purpose = "search"
	forTraining purpose = "training"
	forAnswers  purpose = "answers"
	forUser     purpose = "user"
	forOther    purpose = "other"
)

// purposes are the headings of the matrix, in their order.
var purposes = []struct {
	purpose purpose
	heading string
}{
	{forSearch, "Search engines"},
	{forTraining, "AI: model training"},
	{forAnswers, "AI: search and answers"},
	{forUser, "AI: user requests"},
	{forOther, "Others"},
}

// A knownAgent is a crawler that many robots.txt files name.
type knownAgent struct {
	name     string
	operator string
	purpose  purpose
	general  string // the token that it uses if the file does not name it
	ownOnly  bool   // ignores the group of * (ROB-UA-09)

	tokens []string // of a crawler that is not in the list below
}

// knownAgents are the crawlers that "robots agents" shows, as their operators described them
// in 2026. Google-Extended and Applebot-Extended are not crawlers. Sites use these tokens to
// say how their pages may be used.
var knownAgents = []knownAgent{
	{name: "Googlebot", operator: "Google", purpose: forSearch},
	{name: "Googlebot-Image", operator: "Google", purpose: forSearch, general: "Googlebot"},
	{name: "Googlebot-News", operator: "Google", purpose: forSearch, general: "Googlebot"},
	{name: "Bingbot", operator: "Microsoft", purpose: forSearch},
	{name: "Applebot", operator: "Apple", purpose: forSearch, general: "Googlebot"},
	{name: "DuckDuckBot", operator: "DuckDuckGo", purpose: forSearch},
	{name: "YandexBot", operator: "Yandex", purpose: forSearch, general: "Yandex"},
	{name: "Baiduspider", operator: "Baidu", purpose: forSearch},
	{name: "PetalBot", operator: "Huawei", purpose: forSearch},
	{name: "SeznamBot", operator: "Seznam", purpose: forSearch},

	{name: "GPTBot", operator: "OpenAI", purpose: forTraining},
	{name: "ClaudeBot", operator: "Anthropic", purpose: forTraining},
	{name: "anthropic-ai", operator: "Anthropic, formerly", purpose: forTraining},
	{name: "Google-Extended", operator: "Google", purpose: forTraining},
	{name: "Applebot-Extended", operator: "Apple", purpose: forTraining},
	{name: "Meta-ExternalAgent", operator: "Meta", purpose: forTraining},
	{name: "Amazonbot", operator: "Amazon", purpose: forTraining},
	{name: "Bytespider", operator: "ByteDance", purpose: forTraining},
	{name: "CCBot", operator: "Common Crawl", purpose: forTraining},

	{name: "OAI-SearchBot", operator: "OpenAI", purpose: forAnswers},
	{name: "Claude-SearchBot", operator: "Anthropic", purpose: forAnswers},
	{name: "PerplexityBot", operator: "Perplexity", purpose: forAnswers},
	{name: "DuckAssistBot", operator: "DuckDuckGo", purpose: forAnswers},
	{name: "Meta-WebIndexer", operator: "Meta", purpose: forAnswers},

	{name: "ChatGPT-User", operator: "OpenAI", purpose: forUser},
	{name: "Claude-User", operator: "Anthropic", purpose: forUser},
	{name: "Perplexity-User", operator: "Perplexity", purpose: forUser},
	{name: "MistralAI-User", operator: "Mistral", purpose: forUser},
	{name: "Meta-ExternalFetcher", operator: "Meta", purpose: forUser},

	{name: "AdsBot-Google", operator: "Google", purpose: forOther, ownOnly: true},
	{name: "politecrawl", operator: "its user", purpose: forOther},
	{name: "*", operator: "anybody", purpose: forOther},
}

// agent returns the names by which the crawler looks for its group.
func (k knownAgent) agent() agent {
	switch {
	case k.tokens != nil:
		return agent{k.tokens}
	case k.name == "*":
		return agent{}
	case k.general != "":
		return agent{[]string{k.name, k.general}}
	}
	return agent{[]string{k.name}}
}

// known returns the known crawler with these tokens, or a new one.
func known(a agent) knownAgent {
	for _, k := range knownAgents {
		if strings.EqualFold(k.name, a.String()) {
			return k
		}
	}
	return knownAgent{name: a.String(), tokens: a.tokens}
}
