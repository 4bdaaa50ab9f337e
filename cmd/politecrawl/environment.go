package main

import (
	"slices"
	"strings"
)

// envPrefix begins the environment variable of each key: POLITECRAWL_MAX_PAGES.
const envPrefix = "POLITECRAWL"

// variable is the environment variable of a key.
func variable(key string) string {
	return envPrefix + "_" + strings.ToUpper(strings.ReplaceAll(key, "-", "_"))
}

// unknownVariables has a line for each variable that looks like ours and sets no
// key: a misspelt limit is no limit. It is no error, because the environment may
// have been made for another version.
func (s *settings) unknownVariables(environ []string) []string {
	keys := s.names()
	var warnings []string
	for _, v := range slices.Sorted(slices.Values(environ)) {
		name, value, _ := strings.Cut(v, "=")
		key, ours := strings.CutPrefix(name, envPrefix+"_")
		if key = strings.ToLower(strings.ReplaceAll(key, "_", "-")); !ours || value == "" ||
			slices.Contains(keys, key) && name == variable(key) || slices.Contains(cobraVariables, name) {
			continue
		}
		warning := "the environment variable " + name + " sets nothing"
		if best := nearest(key, keys); best != "" {
			warning += " (did you mean " + variable(best) + "?)"
		}
		warnings = append(warnings, warning)
	}
	return warnings
}

// cobraVariables are read by the completion that cobra provides.
var cobraVariables = []string{envPrefix + "_ACTIVE_HELP", envPrefix + "_COMPLETION_DESCRIPTIONS"}
