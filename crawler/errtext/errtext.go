// Package errtext takes the names of packages, and users and passwords, out of the texts of
// errors.
//
// An error begins with the name of the package that it comes from, and one that wraps
// another has the names of both: crawler: write sqlite: sqlite: disk is full. A programmer
// finds the place by them. To who runs the program, and reads a file that it wrote, a report
// or a log, they mean nothing; so where an error becomes text for a person, it goes through
// here. Such an error may repeat what a site has answered, and that may have a user and a
// password in it.
package errtext

import (
	"regexp"
	"strings"

	"github.com/politecrawl/politecrawl/robotsext/secret"
)

// inner are the packages whose errors others wrap and people come to see, but for those with
// the name of a setting: that an error is of it is to be seen (bad configuration: output).
// Those of the standard library say what is wrong with a response.
const inner = `crawler|csvout|demosite|ftpfetch|guard|monitor|params|pebble|pebblestore|redisstore|report|robotsext|robotstag|robotstxt|sitemap|sqlite|warc` +
	`|bufio|flate|gzip|hpack|http|http2|idna|io|net|net/http|net/url|textproto|tls|url|x509|zlib`

var (
	first = regexp.MustCompile(`^(?:(?:extract|frontier|output|` + inner + `): )+`)
	proxy = regexp.MustCompile(`(^|: )(?:proxyconnect tcp|socks connect tcp \S+): (?:unknown error )?`)
	later = regexp.MustCompile(`("(?:[^"\\]|\\.)*")|(: )(?:(?:` + inner + `): )+`)
)

// Of is the text of an error without the names of packages, and without users and passwords.
func Of(err error) string { return Plain(err.Error()) }

// Plain takes the names of packages out of the text of an error, of several lines where it
// is of several errors: at the beginning of a line, and behind a colon, where the error
// begins that another wraps. What stands in quotation marks is somebody else's; a server
// whose reply is not quoted, and has such a name behind a colon, is not told apart. Users and
// passwords go by [secret.Users]. What net/http says of the way to a proxy begins with a word
// for that.
func Plain(text string) string {
	var b strings.Builder
	for line := range strings.Lines(secret.Users(text)) {
		line = line[len(first.FindString(line)):]
		line = later.ReplaceAllString(line, "$1$2")
		b.WriteString(proxy.ReplaceAllString(line, "${1}the proxy: "))
	}
	return b.String()
}
