package demosite

import (
	"embed"
	"slices"
	"strings"
)

//go:embed robots
var robotsFiles embed.FS

const byteOrderMark = "\ufeff"

// robotsFile is the text of robots/NAME.txt.
func robotsFile(name string) string {
	text, err := robotsFiles.ReadFile("robots/" + name + ".txt")
	if err != nil {
		panic("demosite: " + err.Error()) // each host has one
	}
	return string(text)
}

const (
	agentUs  = "User-agent: " + Token
	agentAll = "User-agent: *"
)

// lineOf is the number of the line of a robots.txt of this site that holds rule in a group
// for a; 0: no such line. It matches nothing: which rule decides is declared with each
// route, and no group for a stands above the first that names it.
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

// namesStrangers reports whether a robots.txt has a group for a crawler by
// another name than ours.
func namesStrangers(text string) bool {
	return slices.ContainsFunc(lines(text), func(line string) bool {
		return strings.HasPrefix(line, "User-agent: ") && line != agentAll && !strings.HasPrefix(strings.ToLower(line), strings.ToLower(agentUs))
	})
}

// lines are the lines of text without byte order mark, comment and space around them.
func lines(text string) []string {
	lines := strings.Split(strings.TrimPrefix(text, byteOrderMark), "\n")
	for i, line := range lines {
		line, _, _ = strings.Cut(line, "#")
		lines[i] = strings.TrimSpace(line)
	}
	return lines
}

// sitemapsOf are the URLs of the Sitemap lines of a robots.txt of this site.
func sitemapsOf(text string) []string {
	var urls []string
	for _, line := range lines(text) {
		if u, ok := strings.CutPrefix(line, "Sitemap: "); ok {
			urls = append(urls, u)
		}
	}
	return urls
}
