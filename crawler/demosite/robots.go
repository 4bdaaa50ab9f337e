package demosite

import "strings"

const byteOrderMark = "\ufeff"

// lineOf is the number of the line of a robots.txt of this site that holds
// rule in a group for a, as a verdict is expected to name it; 0: no such line.
// It finds a line that is known to be there and does not match anything: which
// rule decides is declared with each route.
func lineOf(text, rule string, a audience) int {
	if rule == "" {
		return 0
	}
	want := "*"
	if a == us && namesUs(text) {
		want = Token
	}
	var in, ruled bool // in a group of want; a rule has closed its agent lines
	for i, line := range strings.Split(text, "\n") {
		line = plain(line)
		if agent, ok := agentOf(line); ok {
			if ruled {
				in, ruled = false, false
			}
			in = in || strings.EqualFold(agent, want)
			continue
		}
		if !isRule(line) {
			continue
		}
		ruled = true
		if in && line == rule {
			return i + 1
		}
	}
	return 0
}

func namesUs(text string) bool {
	for line := range strings.SplitSeq(text, "\n") {
		if agent, ok := agentOf(plain(line)); ok && strings.EqualFold(agent, Token) {
			return true
		}
	}
	return false
}

// namesStrangers reports whether a robots.txt has a group for a crawler by
// another name than ours.
func namesStrangers(text string) bool {
	for line := range strings.SplitSeq(text, "\n") {
		if agent, ok := agentOf(plain(line)); ok && agent != "*" && !strings.EqualFold(agent, Token) {
			return true
		}
	}
	return false
}

// plain is a line without byte order mark, comment and space around it.
func plain(line string) string {
	line, _, _ = strings.Cut(strings.TrimPrefix(line, byteOrderMark), "#")
	return strings.TrimSpace(line)
}

// agentOf returns the product token of a User-agent line, without its version.
func agentOf(line string) (agent string, ok bool) {
	value, ok := strings.CutPrefix(line, "User-agent: ")
	agent, _, _ = strings.Cut(value, "/")
	return agent, ok
}

func isRule(line string) bool {
	return strings.HasPrefix(line, "Allow:") || strings.HasPrefix(line, "Disallow:")
}

// sitemapsOf are the URLs of the Sitemap lines of a robots.txt of this site.
func sitemapsOf(text string) []string {
	var urls []string
	for line := range strings.SplitSeq(text, "\n") {
		if u, ok := strings.CutPrefix(plain(line), "Sitemap: "); ok {
			urls = append(urls, u)
		}
	}
	return urls
}
