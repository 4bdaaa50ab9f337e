// Package secret takes what lets somebody in out of what is written or shown.
//
// A URL may have a user and a password before its host: http://user:password@host/.
// Sites write such URLs into pages, redirects and sitemaps, and people have such URLs of
// proxies. A crawl never sends those of a site, and nothing that it writes is to have
// either. In their place stands [Hidden], so that one sees that there was something.
//
// [Reference] is for what is one URL, and leaves all else of it as it is; [Doubtful] for
// what should have been one; [Users] for a text that may quote some, such as an error;
// [All] for a log, which is shown around: it knows secrets in queries and header fields
// too.
package secret

import (
	"net/url"
	"regexp"
	"strings"
)

// Hidden stands in place of what is secret.
const Hidden = "***"

// Reference returns a URL, or a reference as it stands in a document, without the user
// and the password. What stands before the host is found as browsers find it: with
// slashes of either kind, and as if there were no tabs and line breaks.
func Reference(ref string) string { return withUser(reference, ref, Hidden+"@") }

// Stripped is Reference for a URL that is to be used: nothing stands in place of them.
func Stripped(ref string) string { return withUser(reference, ref, "") }

// Doubtful returns what a person or a site gave for a URL and is none, without what may be
// a user and a password: where there is a scheme, all up to the last @. A mail address has
// none.
func Doubtful(raw string) string {
	if strings.HasPrefix(raw, "mailto:") {
		return Users(raw)
	}
	if doubtful.MatchString(unbroken.Replace(raw)) {
		return withUser(doubtful, raw, Hidden+"@")
	}
	return withUser(schemeless, raw, Hidden+"@")
}

// withUser puts other in the place of the user, the password and the @ behind them, which
// pattern matches after its first group.
func withUser(pattern *regexp.Regexp, ref, other string) string {
	if plain := unbroken.Replace(ref); hasAt(ref) && pattern.MatchString(plain) {
		return pattern.ReplaceAllString(plain, "${1}"+other)
	}
	return ref
}

// hasAt tells whether there may be a user in a text.
func hasAt(text string) bool {
	return strings.ContainsAny(text, "@＠﹫") || strings.Contains(text, "%40")
}

// All takes users and passwords, the values of telling parameters and header fields out
// of a text.
func All(text string) string {
	text = Users(text)
	if strings.ContainsRune(text, '=') {
		text = param.ReplaceAllStringFunc(text, withoutValue)
	}
	if strings.ContainsRune(text, ':') {
		text = header.ReplaceAllString(text, "$1: "+Hidden)
	}
	return text
}

// withoutValue takes the value out of a parameter whose name tells that it is secret,
// however that is written.
func withoutValue(param string) string {
	name, _, _ := strings.Cut(param[1:], "=")
	meant := name
	if plain, err := url.QueryUnescape(name); err == nil {
		meant = plain
	}
	if !secretParam.MatchString(meant) {
		return param
	}
	return param[:1] + name + "=" + Hidden
}

// Users takes users and passwords out of the URLs in a text. Without a scheme or slashes
// before it, nothing tells user:password@host from other words with an @ between them.
func Users(text string) string {
	if !hasAt(text) {
		return text
	}
	return users.ReplaceAllString(text, "${1}"+Hidden+"@")
}

// Error is err with a text that [Users] has gone over.
func Error(err error) error {
	if err == nil || Users(err.Error()) == err.Error() {
		return err
	}
	return discreet{err}
}

type discreet struct{ err error }

func (d discreet) Error() string { return Users(d.err.Error()) }

func (d discreet) Unwrap() error { return d.err }

// Name tells whether a word is the name of something that is secret as a whole, such as
// a header field.
func Name(word string) bool { return secretName.MatchString(word) }

const (
	at       = `(?:[@＠﹫]|%40)` // what is read as one before a host
	webStart = `(?:https?|ftp):[/\\]*`
)

// unbroken leaves out what browsers leave out of a URL.
var unbroken = strings.NewReplacer("\t", "", "\n", "", "\r", "")

// Patterns of what stands up to the last @ of an authority; the first group stays.
var (
	reference  = regexp.MustCompile(`(?i)^([\x00- ]*(?:` + webStart + `|(?:[a-z][a-z0-9+.-]*:)?[/\\]{2,}))[^/\\?#]*` + at)
	doubtful   = regexp.MustCompile(`(?is)^([\x00- ]*` + webStart + `|.*?://).*` + at)
	schemeless = regexp.MustCompile(`^((?:[/\\]{2,})?)[^/\\?#]*` + at)

	// users matches within a text. In a quoted text a quote is written with a backslash. Two
	// slashes within a word are those of a path; %20 and %09 are the space before a word in
	// the canonical form of a rule. A mail address has no colon before its @.
	users = regexp.MustCompile(`(?i)(\b` + webStart + `|\b(?:mailto|sips?):[^\s/?#"<>:@＠﹫]+:|[a-z][a-z0-9+.-]*:(?://|\\\\)|(?:^|[\s"'(<>=,;]|%20|%09)[/\\]{2,})(?:\\"|[^\s/?#"<>])*` + at)
)

var (
	// secretName matches the names of attributes that are secret as a whole.
	secretName = regexp.MustCompile(`(?i)^(proxy[-_]?)?(authorization|set-cookie2?|cookies?|passw(or)?d|secret|token)$|api[-_]?key$`)

	// header matches header fields that are secret, in a text that quotes them.
	header = regexp.MustCompile(`(?i)\b((?:proxy-)?authorization|set-cookie2?|cookie|api-?key|(?:x|api|access|auth|private|session)-(?:[a-z]+-)*(?:key|token|secret|password|session)):[^\r\n"]*`)

	// param matches a parameter of a URL.
	param = regexp.MustCompile(`[?&;#][^=&;?#\s"'<>]+=[^&;?#\s"']*`)

	// secretParam matches the names of those that let in whoever has them.
	secretParam = regexp.MustCompile(`(?i)(?:token|key|pass(?:w(?:or)?d|phrase)?|pwd|secret|signature|credentials?|session|sess(?:ion)?[_.-]?id|jwt|auth|authorization|` +
		`(?:^|[_.-])(?:sig|sid)|^(?:auth[_.-]?)?code)(?:\[.*\])?$`)
)
