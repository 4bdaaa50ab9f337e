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
func Reference(ref string) string { return withUser(ref, Hidden+"@") }

// Stripped is Reference for a URL that is to be used: nothing stands in place of them.
func Stripped(ref string) string { return withUser(ref, "") }

// withUser puts other in the place of the user, the password and the @ behind them.
func withUser(ref, other string) string {
	if !strings.Contains(ref, "@") {
		return ref
	}
	plain := strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(ref)
	begin, end := authority(plain)
	at := strings.LastIndexByte(plain[begin:end], '@')
	if at < 0 {
		return ref
	}
	return plain[:begin] + other + plain[begin+at+1:]
}

// Doubtful returns what a person gave for a URL and is none, without what may be a user
// and a password: where there is a scheme, all up to the last @, since a password may have
// a slash in it that should have been written as %2F.
func Doubtful(raw string) string {
	scheme, rest, ok := strings.Cut(raw, "://")
	at := strings.LastIndexByte(rest, '@')
	switch {
	case ok && at >= 0:
		return scheme + "://" + Hidden + rest[at:]
	case ok, strings.HasPrefix(raw, "mailto:"), strings.HasPrefix(raw, "/") && !strings.HasPrefix(raw, "//"):
		return raw
	}
	return Reference("//" + raw)[len("//"):]
}

// authority finds what stands between the slashes before a host and the path behind it.
func authority(ref string) (begin, end int) {
	begin = len(ref) - len(strings.TrimLeftFunc(ref, func(r rune) bool { return r <= ' ' }))
	least := 2 // slashes
	if m := scheme.FindString(ref[begin:]); m != "" {
		begin += len(m)
		if lower := strings.ToLower(m); lower == "http:" || lower == "https:" || lower == "ftp:" {
			least = 0 // which these can do without
		}
	}
	rest := strings.TrimLeft(ref[begin:], `/\`)
	if len(ref)-begin-len(rest) < least {
		return 0, 0
	}
	begin = len(ref) - len(rest)
	if i := strings.IndexAny(rest, `/\?#`); i >= 0 {
		rest = rest[:i]
	}
	return begin, begin + len(rest)
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

// Users takes users and passwords out of the URLs in a text.
func Users(text string) string {
	if !strings.Contains(text, "@") {
		return text
	}
	return users.ReplaceAllString(text, "${1}"+Hidden+"@")
}

// Error is err with a text that [Users] has gone over.
func Error(err error) error {
	if err == nil || !strings.Contains(err.Error(), "@") {
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

var (
	// scheme matches the scheme of a URL.
	scheme = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:`)

	// users matches the user and password of a URL, as far as the last @ before its
	// path. In a quoted text a quote in them is written with a backslash. Two slashes
	// within a word that is no URL are those of a path. %20 and %09 are the space before
	// a word in a rule of a robots.txt that is shown in its canonical form.
	users = regexp.MustCompile(`((?:[A-Za-z][A-Za-z0-9+.-]*:|^|[\s"'(<>=,;]|%20|%09)(?://|\\\\))(?:\\"|[^\s/?#"<>])*@`)

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
