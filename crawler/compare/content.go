package compare

import (
	"fmt"
	"strings"

	"github.com/politecrawl/politecrawl/crawler/report"
)

// maxLoss is how many times as many words or links a page had before its content counts as lost.
const maxLoss = 5

// content compares the content of a page that both crawls fetched.
func (c *Comparison) content(found changes, u string, was, is page) {
	switch {
	case !is.ok() || was.noindex != "" || is.noindex != "": // another change, or nothing is recorded
		return
	case !was.read || !is.read:
		c.NotCompared.Pages++
		return
	case was.hash == is.hash && was.hash != "":
		return
	}
	if was.hash != "" && is.hash != "" {
		c.BodiesChanged++
	}
	if was.cut || is.cut {
		c.NotCompared.Pages++
		return
	}
	if lost := lostContent(was, is); lost != "" {
		found.add(contentLost, report.Finding{URL: u, Detail: lost})
	}
	for _, text := range []struct{ rule, was, is string }{
		{titleChanged, was.title, is.title}, {h1Changed, was.h1, is.h1}, {descriptionChanged, was.description, is.description},
	} {
		switch {
		case text.was == text.is, text.is == "" && text.rule != descriptionChanged: // it is lost
		case text.is == "":
			found.add(text.rule, report.Finding{URL: u, Detail: "removed; it was " + quote(text.was)})
		case text.was == "":
			found.add(text.rule, report.Finding{URL: u, Detail: quote(text.is) + "; it had none"})
		default:
			found.add(text.rule, report.Finding{URL: u, Detail: quote(text.is) + "; it was " + quote(text.was)})
		}
	}
}

// lostContent says what a page has lost; empty: little or nothing.
func lostContent(was, is page) string {
	var lost []string
	for _, text := range []struct{ name, was, is string }{{"title", was.title, is.title}, {"h1", was.h1, is.h1}} {
		if text.was != "" && text.is == "" {
			lost = append(lost, fmt.Sprintf("the %s %s vanished", text.name, quote(text.was)))
		}
	}
	for _, n := range []struct {
		noun    string
		was, is int
	}{{"word", was.words, is.words}, {"link", was.links, is.links}} {
		if n.is*maxLoss < n.was {
			lost = append(lost, fmt.Sprintf("%s, now %d", quantity(n.was, n.noun), n.is))
		}
	}
	return strings.Join(lost, "; ")
}

// maxQuote is the number of characters of a text in a detail.
const maxQuote = 80

func quote(text string) string {
	if runes := []rune(text); len(runes) > maxQuote {
		text = string(runes[:maxQuote-1]) + "…"
	}
	return fmt.Sprintf("%q", text)
}
