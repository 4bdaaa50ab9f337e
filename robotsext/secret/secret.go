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
	if !hasAt(ref) {
		return ref
	}
	plain := unbroken.Replace(ref)
	begin, end := authority(plain)
	_, host, ok := lastAt(plain[begin:end])
	if !ok {
		return ref
	}
	return plain[:begin] + other + plain[begin+host:]
}

// Doubtful returns what a person or a site gave for a URL and is none, without what may be
// a user and a password: where there is a scheme, all up to the last @, since a password may
// have a slash in it that should have been written as %2F.
func Doubtful(raw string) string {
	if !hasAt(raw) {
		return raw
	}
	plain := unbroken.Replace(raw)
	begin, _, host, ok := doubtful(plain)
	if !ok {
		return raw
	}
	return plain[:begin] + Hidden + "@" + plain[host:]
}

// doubtful finds the user and password in what is no URL, and what is behind their @.
func doubtful(raw string) (begin, end, host int, ok bool) {
	within := len(raw)
	if m := web.FindStringIndex(raw); m != nil {
		begin = m[1]
	} else if i := strings.Index(raw, "://"); i >= 0 {
		begin = i + len("://")
	} else if strings.HasPrefix(raw, "mailto:") {
		m := mailbox.FindStringSubmatchIndex(raw)
		if m == nil {
			return 0, 0, 0, false
		}
		begin = m[3]
	} else {
		rest := strings.TrimLeft(raw, `/\`)
		if begin = len(raw) - len(rest); begin == 1 { // a path
			return 0, 0, 0, false
		}
		if i := strings.IndexAny(rest, `/\?#`); i >= 0 {
			within = begin + i
		}
	}
	end, host, ok = lastAt(raw[begin:within])
	return begin, begin + end, begin + host, ok
}

// hasAt tells whether there may be a user in a text.
func hasAt(text string) bool {
	return strings.ContainsAny(text, "@＠﹫") || strings.Contains(text, "%40")
}

// lastAt finds the last @, or what becomes one where a host is read.
func lastAt(text string) (begin, end int, ok bool) {
	for _, sign := range []string{"@", "＠", "﹫", "%40"} {
		if i := strings.LastIndex(text, sign); i >= 0 && (!ok || i > begin) {
			begin, end, ok = i, i+len(sign), true
		}
	}
	return begin, end, ok
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

// Users takes users and passwords out of the URLs in a text. Without a scheme or slashes
// before it, nothing tells user:password@host from other words with an @ between them.
func Users(text string) string {
	if !hasAt(text) {
		return text
	}
	text = portUser.ReplaceAllString(text, "${1}"+Hidden+"@")
	hidden := strings.Join(users.FindAllString(text, -1), "\n")
	if hidden == "" {
		return text
	}
	text = users.ReplaceAllString(text, "${1}${2}${3}"+Hidden+"@")
	return port.ReplaceAllStringFunc(text, func(said string) string {
		if what := port.FindStringSubmatch(said)[1]; strings.Contains(hidden, what) {
			return strings.Replace(said, what, ":"+Hidden, 1)
		}
		return said
	})
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
	at           = `(?:[@＠﹫]|%40)`
	webStart     = `(?:https?|ftp):[/\\]*`
	mailboxStart = `\b(?:mailto|sips?):`
	mailboxUser  = `[^\s/?#"<>:@＠﹫]+:`
)

// unbroken leaves out what browsers leave out of a URL.
var unbroken = strings.NewReplacer("\t", "", "\n", "", "\r", "")

var (
	// scheme matches the scheme of a URL.
	scheme = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:`)

	// web matches the beginning of a URL that browsers read however many slashes it has.
	web = regexp.MustCompile(`(?i)^[\x00- ]*` + webStart)

	// users matches the user and password of a URL, as far as the last @ before its
	// path. In a quoted text a quote in them is written with a backslash. Two slashes
	// within a word that is no URL are those of a path. %20 and %09 are the space before
	// a word in a rule of a robots.txt that is shown in its canonical form. Where there is
	// no @ before the path, and what looks like a port is no number, that is the beginning
	// of a password with a slash or a space in it.
	users = regexp.MustCompile(`(?i)(\b` + webStart + `|[a-z][a-z0-9+.-]*:(?://|\\\\)|(?:^|[\s"'(<>=,;]|%20|%09)[/\\]{2,})(?:\\"|[^\s/?#"<>])*` + at +
		`|(\b` + webStart + `)[^\s/?#"<>\[\]@:\\]*:\d*(?:[^\s\d/?#"'<>\\.,;)\]][^\s"<>]*|\pL[^\r\n/"<>]*)` + at +
		`|(` + mailboxStart + `)` + mailboxUser + `[^\s/?#"<>]*` + at)

	// mailbox matches a mail address up to the colon that none has before its @.
	mailbox = regexp.MustCompile(`(?i)^(` + mailboxStart + `)` + mailboxUser)

	// port matches what net/url says of a password for which it looks for a port, and
	// portUser that with an @ in it that is none to net/url.
	port     = regexp.MustCompile(`invalid port "(:[^"]+)" after host`)
	portUser = regexp.MustCompile(`(invalid port ":)[^"]*` + at)

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
