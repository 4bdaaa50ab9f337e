// Package secret removes credentials from output, logs and messages.
//
// A URL may contain a user name and a password: http://user:password@host/. Such URLs
// occur in pages, redirects, sitemaps and proxy settings. The crawler never sends the
// credentials of a site's URL, and never writes them to output or logs. [Mask]
// replaces them.
//
// Use [RedactURL] for one URL, [RedactInvalidURL] for a string that was meant to be a
// URL, [RedactText] for text that may contain URLs, such as an error, and
// [RedactLog] for logs. RedactLog also removes secrets in queries and header fields.
package secret

import (
	"net/url"
	"regexp"
	"strings"
)

// Mask replaces removed credentials.
const Mask = "***"

// RedactURL replaces the user name and the password of a URL or of a relative
// reference, and changes nothing else. It finds them as browsers do: backslashes count
// as slashes, and tabs and line breaks are ignored.
func RedactURL(ref string) string { return withUser(reference, ref, Mask+"@") }

// StripUserinfo removes the user name and the password of a URL that will be requested.
func StripUserinfo(ref string) string { return withUser(reference, ref, "") }

// RedactInvalidURL replaces possible credentials of an invalid URL: everything between
// the scheme, if it has one, and the last @. It does not change email addresses.
func RedactInvalidURL(raw string) string {
	if strings.HasPrefix(raw, "mailto:") {
		return RedactText(raw)
	}
	if doubtful.MatchString(unbroken.Replace(raw)) {
		return withUser(doubtful, raw, Mask+"@")
	}
	return withUser(schemeless, raw, Mask+"@")
}

// withUser replaces the user, the password and the @ after them, which pattern matches
// after its first group.
func withUser(pattern *regexp.Regexp, ref, other string) string {
	if plain := unbroken.Replace(ref); hasAt(ref) && pattern.MatchString(plain) {
		return pattern.ReplaceAllString(plain, "${1}"+other)
	}
	return ref
}

// hasAt reports whether text may contain a user name.
func hasAt(text string) bool {
	return strings.ContainsAny(text, "@＠﹫") || strings.Contains(text, "%40")
}

// RedactLog replaces user names and passwords, the values of secret query parameters,
// and secret header fields.
func RedactLog(text string) string {
	text = RedactText(text)
	if strings.ContainsRune(text, '=') {
		text = param.ReplaceAllStringFunc(text, withoutValue)
	}
	if strings.ContainsRune(text, ':') {
		text = header.ReplaceAllString(text, "$1: "+Mask)
	}
	return text
}

// withoutValue replaces the value of a parameter with a secret name, escaped or not.
func withoutValue(param string) string {
	name, _, _ := strings.Cut(param[1:], "=")
	meant := name
	if plain, err := url.QueryUnescape(name); err == nil {
		meant = plain
	}
	if !secretParam.MatchString(meant) {
		return param
	}
	return param[:1] + name + "=" + Mask
}

// RedactText replaces user names and passwords of the URLs in a string. It finds a URL
// only by its scheme or by slashes, because user:password@host alone may be other text.
func RedactText(text string) string {
	if !hasAt(text) {
		return text
	}
	return users.ReplaceAllString(text, "${1}"+Mask+"@")
}

// RedactMap applies [RedactText] to the keys and values of a map. It returns the map itself if that
// changes nothing, else a new one.
func RedactMap(texts map[string]string) map[string]string {
	for key, value := range texts {
		if RedactText(key) != key || RedactText(value) != value {
			redacted := make(map[string]string, len(texts))
			for key, value := range texts {
				redacted[RedactText(key)] = RedactText(value)
			}
			return redacted
		}
	}
	return texts
}

// RedactError returns err with its message redacted by [RedactText].
func RedactError(err error) error {
	if err == nil || RedactText(err.Error()) == err.Error() {
		return err
	}
	return redactedError{err}
}

type redactedError struct{ err error }

func (d redactedError) Error() string { return RedactText(d.err.Error()) }

func (d redactedError) Unwrap() error { return d.err }

// IsSecret reports whether the value of a field or parameter with this name is secret.
func IsSecret(name string) bool { return secretName.MatchString(name) }

const (
	at       = `(?:[@＠﹫]|%40)` // the spellings of @ before a host
	webStart = `(?:https?|ftp):[/\\]*`
)

// unbroken removes characters that browsers ignore in a URL.
var unbroken = strings.NewReplacer("\t", "", "\n", "", "\r", "")

// Patterns of the text up to the last @ of an authority. The first group is kept.
var (
	reference  = regexp.MustCompile(`(?i)^([\x00- ]*(?:` + webStart + `|(?:[a-z][a-z0-9+.-]*:)?[/\\]{2,}))[^/\\?#]*` + at)
	doubtful   = regexp.MustCompile(`(?is)^([\x00- ]*` + webStart + `|.*?://).*` + at)
	schemeless = regexp.MustCompile(`^((?:[/\\]{2,})?)[^/\\?#]*` + at)

	// users matches within a string. In quoted text a quote is written with a backslash. Two
	// slashes within a word belong to a path; %20 and %09 are the space before a word in
	// the canonical form of a rule. An email address has no colon before its @.
	users = regexp.MustCompile(`(?i)(\b` + webStart + `|\b(?:mailto|sips?):[^\s/?#"<>:@＠﹫]+:|[a-z][a-z0-9+.-]*:(?://|\\\\)|(?:^|[\s"'(<>=,;]|%20|%09)[/\\]{2,})(?:\\"|[^\s/?#"<>])*` + at)
)

var (
	// secretName matches the names of log attributes with secret values.
	secretName = regexp.MustCompile(`(?i)^(proxy[-_]?)?(authorization|set-cookie2?|cookies?|passw(or)?d|secret|token)$|api[-_]?key$`)

	// header matches secret header fields within a string.
	header = regexp.MustCompile(`(?i)\b((?:proxy-)?authorization|set-cookie2?|cookie|api-?key|(?:x|api|access|auth|private|session)-(?:[a-z]+-)*(?:key|token|secret|password|session)):[^\r\n"]*`)

	// param matches a parameter of a URL.
	param = regexp.MustCompile(`[?&;#][^=&;?#\s"'<>]+=[^&;?#\s"']*`)

	// secretParam matches the names of parameters that give access.
	secretParam = regexp.MustCompile(`(?i)(?:token|key|pass(?:w(?:or)?d|phrase)?|pwd|secret|signature|credentials?|session|sess(?:ion)?[_.-]?id|jwt|auth|authorization|` +
		`(?:^|[_.-])(?:sig|sid)|^(?:auth[_.-]?)?code)(?:\[.*\])?$`)
)
