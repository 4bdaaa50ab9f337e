package demosite

import (
	"embed"
	"slices"
	"strings"
)

//go:embed robots
var robotsFiles embed.FS

const byteOrderMark = "\ufeff"

// robotsFile returns the text of robots/NAME.txt.
func robotsFile(name string) string {
	text, err := robotsFiles.ReadFile("robots/" + name + ".txt")
	if err != nil {
		panic("demosite: " + err.Error()) // the file is missing
	}
	return string(text)
}

const (
	agentUs  = "User-agent: " + namedToken
	agentAll = "User-agent: *"
)

// lineOf returns the line number of a rule in the groups of a robots.txt for a, or 0 if there is
// none. The rule itself is declared with each route.
func lineOf(text, rule string, a audience) int {
	want := agentAll
	if a == us && slices.Contains(lines(text), agentUs) {
		want = agentUs
	}
	in := false
	for i, line := range lines(text) {
		in = in || line == want
		if in && rule != "" && line == rule {
			return i + 1
		}
	}
	return 0
}

// namesStrangers reports whether a robots.txt has a group for another product token.
func namesStrangers(text string) bool {
	return slices.ContainsFunc(lines(text), func(line string) bool {
		return strings.HasPrefix(line, "User-agent: ") && line != agentAll && !strings.HasPrefix(strings.ToLower(line), strings.ToLower(agentUs))
	})
}

// lines returns the lines of text without byte order mark, comments and surrounding space.
func lines(text string) []string {
	lines := strings.Split(strings.TrimPrefix(text, byteOrderMark), "\n")
	for i, line := range lines {
		line, _, _ = strings.Cut(line, "#")
		lines[i] = strings.TrimSpace(line)
	}
	return lines
}

// sitemapsOf returns the URLs of the Sitemap lines of a robots.txt.
func sitemapsOf(text string) []string {
	var urls []string
	for _, line := range lines(text) {
		if u, ok := strings.CutPrefix(line, "Sitemap: "); ok {
			urls = append(urls, u)
		}
	}
	return urls
}
