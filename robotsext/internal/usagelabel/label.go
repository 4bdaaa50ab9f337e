// Package usagelabel has the labels by which robots.txt names the purposes of package usage.
package usagelabel

import "strings"

// Label names one purpose.
type Label struct {
	Purpose string // usage.Purpose
	Usage   string // in Content-Usage (draft-ietf-aipref-vocab, section 6.1)
	Signal  string // in Content-Signal (contentsignals.org)
}

// All are the purposes that have a label in both fields.
var All = [...]Label{
	{"search", "search", "search"},
	{"ai-input", "ai-use", "ai-input"},
	{"train-ai", "train-ai", "ai-train"},
}

// SplitPath separates an optional path from the rest of a value of Content-Usage or Content-Signal.
func SplitPath(value string) (path, rest string) {
	if !strings.HasPrefix(value, "/") {
		return "", value
	}
	if end := strings.IndexAny(value, " \t"); end >= 0 {
		return value[:end], strings.Trim(value[end:], " \t\v\f\r\n")
	}
	return value, ""
}
