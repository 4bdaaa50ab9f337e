package robotslint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// agentName returns the name in a User-agent line: a product token, "*", or ""
// (ROB-UA-03, ROB-UA-12).
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

// identities returns the names, in lower case, by which crawlers may recognize a
// User-agent line: the product token, the name with digits or dots (ROB-UA-11), and
// the whole value without version. It is unknown which one a crawler with digits
// or spaces in its name uses.
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

// isEverybody reports whether a value is a word for all crawlers, such as "all".
func isEverybody(value string) bool {
	return slices.Contains([]string{"all", "any", "everyone", "everybody", "everything"}, strings.ToLower(value))
}

// browsers are products that every browser's User-Agent contains, so no crawler has
// these names.
var browsers = []string{"mozilla", "applewebkit", "chrome", "safari", "gecko"}

func isBrowser(token string) bool { return slices.Contains(browsers, strings.ToLower(token)) }

// agentSeverity returns the severity of a value that is not a valid name as a whole. Crawlers
// with digits or dots in their names still recognize themselves.
func agentSeverity(value string) Severity {
	token := agentName(value)
	own := value != "" && !strings.ContainsAny(value, " \t/*;,()[]<>\"'")
	switch {
	case own:
		return Note
	case token == "" || isBrowser(token) || strings.ContainsAny(value, ",;"):
		return Error
	}
	return Warning
}

func (l *linter) explainBadAgent(r *record) (message, fix string) {
	value := r.value
	if isEverybody(value) {
		return fmt.Sprintf("no crawler has the name %s; * means every crawler", quote(value)), l.rewrite(r, "User-agent: *")
	}
	const every = `write the crawler's product token, such as Googlebot, or "User-agent: *" for every crawler`
	if value == "" {
		return "the crawler's name is missing, so the rules below apply to no crawler", every
	}
	if agentSeverity(value) == Note {
		return fmt.Sprintf("%s is not a valid name: RFC 9309 allows only letters, - and _; only a crawler that accepts other characters recognizes it", quote(value)),
			"keep the line if the crawler's documentation uses this name"
	}
	message = fmt.Sprintf("%s is not a valid name: a name has only letters, - and _, or is a single *. The rules below apply to no crawler", quote(value))
	if token := agentName(strings.TrimLeft(value, "*\"'`<[( ")); token != "" && token != "*" {
		return message, l.rewrite(r, "User-agent: "+token)
	}
	return message, every
}

func (l *linter) explainAgentCut(r *record) (message, fix string) {
	value := r.value
	token := agentName(value)
	message = fmt.Sprintf("crawlers read only the name %[2]s in %[1]s", quote(value), token)
	rewrite := l.rewrite(r, "User-agent: "+token)
	switch {
	case isBrowser(token):
		message += ", which every browser sends and no crawler uses"
		if token, err := robotstxt.ProductToken(value); err == nil {
			return message, l.rewrite(r, "User-agent: "+token)
		}
		return message, "write the crawler's product token from its documentation, such as Googlebot"
	case agentSeverity(value) == Note:
		return message + "; the crawler with the whole name still recognizes it", "keep the line if the crawler's documentation uses this name"
	case strings.ContainsAny(value, ",;"):
		return message + ", and ignore the other names", rewrite + " and one more User-agent line for each other name"
	case len(identities(value)) > 1: // more than a version is lost
		return message, fmt.Sprintf("write the product token from the crawler's documentation: one word, perhaps %s", token)
	}
	return message, rewrite
}
