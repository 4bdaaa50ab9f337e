// Package usagelabel has the labels by which robots.txt names the purposes of package usage.
package usagelabel

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
