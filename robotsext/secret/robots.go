package secret

import (
	"net/url"
	"regexp"
	"strings"
)

// RedactField redacts the value of a field of robots.txt with [RedactText]. Values of
// Allow, Disallow, Sitemap and Host that are neither a path nor a valid URL are first
// redacted with [RedactInvalidURL].
func RedactField(name, value string) string { return RedactText(field(name, value)) }

func field(name, value string) string {
	switch name = strings.ToLower(strings.TrimSpace(name)); {
	case name == "http", name == "https", name == "ftp": // a URL that was parsed as a field
		return strings.TrimPrefix(RedactURL(name+":"+value), name+":")
	case name == "allow", name == "disallow":
		if !strings.Contains(value, ":") || strings.IndexAny(value, "/*") == 0 {
			return value
		}
	case name == "sitemap", name == "host", strings.Contains(name, "//"): // the last is a URL without its first colon
	default:
		return value
	}
	if u, err := url.Parse(value); err == nil && u.Host != "" {
		return value // RedactText finds the user of a URL
	}
	return RedactInvalidURL(value)
}

// RedactRobots redacts a robots.txt before a linter reads it. [RedactText] would miss some
// credentials in the linter's output, such as those of invalid URLs. RedactRobots replaces
// these in advance with a word that causes the same findings. Pass the linter's output
// through redactOutput: it replaces the word with [Mask] and redacts the rest.
func RedactRobots(body []byte) (redacted []byte, redactOutput func(text string) string) {
	if !hasAt(string(body)) {
		return body, RedactText
	}
	redacted = line.ReplaceAllFunc(body, func(line []byte) []byte { return []byte(redactLine(string(line))) })
	return redacted, func(text string) string { return RedactText(strings.ReplaceAll(text, placeholder, Mask)) }
}

// placeholder replaces a user and a password.
const placeholder = "politecrawl-hides-this"

var line = regexp.MustCompile(`[^\r\n]+`)

func redactLine(line string) string {
	code, _, _ := strings.Cut(line, "#")
	name, value, _ := strings.Cut(code, ":")
	value = strings.TrimSpace(value)
	hidden := field(name, value)
	if hidden == value {
		return line
	}
	return strings.Replace(line, value, strings.Replace(hidden, Mask, placeholder, 1), 1)
}
