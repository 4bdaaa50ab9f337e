package secret

import (
	"net/url"
	"regexp"
	"strings"
)

// Field returns the value of a field of a robots.txt without users and passwords. Sitemap
// and Host are to have a URL or a host, and Allow and Disallow a path: what is neither is
// [Doubtful].
func Field(name, value string) string { return Users(field(name, value)) }

func field(name, value string) string {
	switch name = strings.ToLower(strings.TrimSpace(name)); {
	case name == "http", name == "https", name == "ftp": // a URL that was taken for a field
		return strings.TrimPrefix(Reference(name+":"+value), name+":")
	case name == "allow", name == "disallow":
		if !strings.Contains(value, ":") || strings.IndexAny(value, "/*") == 0 {
			return value
		}
	case name == "sitemap", name == "host", strings.Contains(name, "//"): // the last lacks its first colon
	default:
		return value
	}
	if u, err := url.Parse(value); err == nil && u.Host != "" {
		return value // a URL, whose user Users finds
	}
	return Doubtful(value)
}

// Robots returns a robots.txt without the users and passwords that [Field] alone finds, for
// one who says what is wrong with the file and quotes it. A word without meaning stands in
// their place, so that the same is wrong. Shown takes it, and what [Users] finds, out of
// what was said.
func Robots(body []byte) (tame []byte, shown func(said string) string) {
	if !hasAt(string(body)) {
		return body, Users
	}
	tame = line.ReplaceAllFunc(body, func(line []byte) []byte { return []byte(tameLine(string(line))) })
	return tame, func(said string) string { return Users(strings.ReplaceAll(said, stand, Hidden)) }
}

// stand stands in place of a user and a password.
const stand = "politecrawl-hides-this"

var line = regexp.MustCompile(`[^\r\n]+`)

func tameLine(line string) string {
	said, _, _ := strings.Cut(line, "#")
	name, value, _ := strings.Cut(said, ":")
	value = strings.TrimSpace(value)
	hidden := field(name, value)
	if hidden == value {
		return line
	}
	return strings.Replace(line, value, strings.Replace(hidden, Hidden, stand, 1), 1)
}
