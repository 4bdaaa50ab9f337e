package robotslint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// agentName returns whom a User-agent line names: a product token, "*", or ""
// for nobody (ROB-UA-03, ROB-UA-12).
func agentName(value string) string {
	if strings.HasPrefix(value, "*") {
		if len(value) == 1 || strings.IndexByte(space, value[1]) >= 0 {
			return "*"
		}
		return ""
	}
	for i := 1; i <= len(value); i++ {
		if !robotstxt.ValidToken(value[i-1 : i]) {
			return value[:i-1]
		}
	}
	return value
}

// identities returns the names, in lower case, by which crawlers may take a line
// for theirs: the product token, what Options.WideTokens of robotstxt reads, and
// the whole value without a version. Nobody knows which of them a crawler with
// digits or spaces in its name looks for.
func identities(value string) []string {
	whole, _, _ := strings.Cut(value, "/")
	wide := value
	if i := strings.IndexAny(value, space+"/*"); i > 0 {
		wide = value[:i]
	}
	var names []string
	for _, name := range []string{agentName(value), wide, strings.TrimRight(whole, "*"+space)} {
		if name = strings.ToLower(name); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// isEverybody reports whether a value is what people write who mean "*".
func isEverybody(value string) bool {
	return slices.Contains([]string{"all", "any", "everyone", "everybody", "everything"}, strings.ToLower(value))
}

// browsers are what everybody calls himself: no crawler goes by these names.
var browsers = []string{"mozilla", "applewebkit", "chrome", "safari", "gecko"}

func isBrowser(token string) bool { return slices.Contains(browsers, strings.ToLower(token)) }

// agentSeverity tells how bad it is that no more than the beginning of a value, or
// nothing, counts as a name. Crawlers with digits or dots in their names know
// themselves, whatever others read.
func agentSeverity(value string) Severity {
	token := agentName(value)
	own := value != "" && !strings.ContainsAny(value, " \t/*;,()[]<>\"'")
	switch {
	case own:
		return Note // of a name that no RFC knows, too
	case token == "" || isBrowser(token) || strings.ContainsAny(value, ",;"):
		return Error
	}
	return Warning
}

func explainBadAgent(value string) (message, fix string) {
	if isEverybody(value) {
		return fmt.Sprintf("no crawler is called %s: every crawler is *", quote(value)), write("User-agent: *")
	}
	const every = `name a crawler by its product token, such as Googlebot, or every crawler by "User-agent: *"`
	if value == "" {
		return "no crawler is named: the rules below bind nobody", every
	}
	if agentSeverity(value) == Note {
		return fmt.Sprintf("%s is no name by RFC 9309, which has letters, - and _ alone: only a crawler that does not care for that can know itself", quote(value)),
			"nothing, if that crawler's documentation gives the name so"
	}
	message = fmt.Sprintf("%s names no crawler: a name has only letters, - and _, and a star stands alone. The rules below bind nobody", quote(value))
	if token := agentName(strings.TrimLeft(value, "*\"'`<[( ")); token != "" && token != "*" {
		return message, write("User-agent: " + token)
	}
	return message, every
}

func explainAgentCut(value string) (message, fix string) {
	token := agentName(value)
	message = fmt.Sprintf("of %s crawlers read no more than the name %s", quote(value), token)
	rewrite := write("User-agent: " + token)
	switch {
	case isBrowser(token):
		message += ", which every browser has and no crawler goes by"
		if token, err := robotstxt.ProductToken(value); err == nil {
			return message, write("User-agent: " + token)
		}
		return message, "name the crawler by its product token, such as Googlebot, as its documentation gives it"
	case agentSeverity(value) == Note:
		return message + "; the crawler that has the whole name will know it all the same", "nothing, if that crawler's documentation gives the name so"
	case strings.ContainsAny(value, ",;"):
		return message + ", the others are not named", rewrite + " and a User-agent line for each of the others"
	case len(identities(value)) > 1: // more than a version is lost
		return message, fmt.Sprintf("give the product token that the crawler's documentation names: one word, which this line takes to be %s", token)
	}
	return message, rewrite
}
