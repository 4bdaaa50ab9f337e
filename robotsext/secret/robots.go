package secret

import (
	"net/url"
	"regexp"
	"strings"
)

// Field returns the value of a field of a robots.txt without users and passwords. What
// stands behind Sitemap and Host is to be a URL or a host, and what stands behind Allow and
// Disallow is no path if it does not begin as one: there they are found also where
// [Users] cannot tell them from other words.
func Field(name, value string) string {
	if begin, _, host, ok := inField(name, value); ok {
		value = value[:begin] + Hidden + "@" + value[host:]
	}
	return Users(value)
}

// inField finds the user and password that [Users] would not, or not all of.
func inField(name, value string) (begin, end, host int, ok bool) {
	if !hasAt(value) {
		return 0, 0, 0, false
	}
	switch name = strings.ToLower(strings.TrimSpace(name)); {
	case name == "http", name == "https", name == "ftp", strings.Contains(name, "//"): // a URL that was taken for a field
		begin = len(value) - len(strings.TrimLeft(value, `/\`))
		within := value[begin:]
		if i := strings.IndexAny(within, `/\?#`); i >= 0 {
			within = within[:i]
		}
		end, host, ok = lastAt(within)
		return begin, begin + end, begin + host, ok
	case name == "sitemap", name == "host":
		if isURL(value) {
			return 0, 0, 0, false
		}
		return doubtful(value)
	case name == "allow", name == "disallow":
		if value[0] == '/' || value[0] == '*' || isURL(value) {
			return 0, 0, 0, false
		}
		begin, end, host, ok = doubtful(value)
		return begin, end, host, ok && (begin > 0 || strings.Contains(value[:end], ":"))
	}
	return 0, 0, 0, false
}

// isURL tells whether a value is a URL with a host, whose user Users finds.
func isURL(value string) bool {
	u, err := url.Parse(value)
	return err == nil && u.Host != "" && (u.Scheme != "" || strings.HasPrefix(value, "//"))
}

// Robots returns a robots.txt in which no user and no password stands where [Field] alone
// finds it: for one who says what is wrong with the file, and quotes it in ways of his own.
// Words without a meaning stand there, as many, so that the same is wrong with it. Shown
// takes them, and what [Users] finds, out of what was said.
func Robots(body []byte) (tame []byte, shown func(said string) string) {
	text := string(body)
	if !hasAt(text) {
		return body, Users
	}
	var b strings.Builder
	for len(text) > 0 {
		line := text
		if i := strings.IndexAny(text, "\r\n"); i >= 0 {
			line = text[:i+1]
		}
		text = text[len(line):]
		b.WriteString(tameLine(line))
	}
	return []byte(b.String()), func(said string) string {
		said = strings.ReplaceAll(said, stand+":"+stand, stand)
		return Users(strings.ReplaceAll(said, stand, Hidden))
	}
}

// stand stands in place of a word that is secret.
const stand = "politecrawl-hides-this"

// words are those of a user and a password.
var words = regexp.MustCompile(`[^\s/\\:?#@]+`)

// tameLine has them in place of what is secret in a line.
func tameLine(line string) string {
	said, _, _ := strings.Cut(line, "#")
	name, value, ok := strings.Cut(said, ":")
	if !ok {
		return line
	}
	begin, end, _, ok := inField(name, strings.TrimSpace(value))
	if !ok {
		return line
	}
	at := len(name) + 1 + len(value) - len(strings.TrimLeft(value, " \t\v\f\r\n"))
	begin, end = begin+at, end+at
	return line[:begin] + words.ReplaceAllString(line[begin:end], stand) + line[end:]
}
