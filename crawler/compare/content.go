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
	case !is.ok(): // another change
		return
	case !was.read || !is.read:
		c.NotCompared.Pages++
		return
	}
	sameBody, whole := was.hash == is.hash && was.hash != "", !was.cut && !is.cut
	found.text(typeChanged, u, was.contentType, is.contentType)
	if (was.noindex != "" || is.noindex == "") && (sameBody || whole) { // else page-noindex has it, or a meta element may be cut
		found.text(directivesChanged, u, was.directives, is.directives)
	}
	switch {
	case was.withheld || is.withheld:
		if was.noindex != "" && is.noindex != "" { // else it is another change
			c.NotCompared.Pages++
		}
		return
	case was.canonical != is.canonical && (is.canonical == "" || is.canonical != was.unmoved.canonical):
		c.unlisted = true
	}
	if sameBody && was.contentType == is.contentType { // by another type, a browser reads it otherwise
		return
	}
	if was.hash != is.hash && (was.hash != "" || !was.cut) && (is.hash != "" || !is.cut) { // an empty body has no hash
		c.BodiesChanged++
	}
	if !whole {
		c.NotCompared.Pages++
		return
	}
	if lost := lostContent(was, is); lost != "" {
		found.add(contentLost, report.Finding{URL: u, Detail: lost})
	}
	if is.title != "" { // else it is lost
		found.text(titleChanged, u, was.title, is.title)
	}
	if is.h1 != "" {
		found.text(h1Changed, u, was.h1, is.h1)
	}
	found.text(descriptionChanged, u, was.description, is.description)
}

// text adds a change of a text, if it is one.
func (c changes) text(rule, u, was, is string) {
	switch {
	case was == is:
	case is == "":
		c.add(rule, report.Finding{URL: u, Detail: "removed; it was " + quote(was)})
	case was == "":
		c.add(rule, report.Finding{URL: u, Detail: quote(is) + "; it had none"})
	default:
		c.add(rule, report.Finding{URL: u, Detail: quote(is) + "; it was " + quote(was)})
	}
}

// lostContent says what a page has lost, or "" if little or nothing.
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
