package robotslint

import (
	"bytes"
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/politecrawl/politecrawl/robotsext/internal/clip"
	"github.com/politecrawl/politecrawl/robotsext/internal/fieldname"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// isUTF16 reports whether body is UTF-16: it has a byte order mark, or every other octet at
// its beginning is zero.
func isUTF16(body []byte) bool {
	if bytes.HasPrefix(body, []byte("\xff\xfe")) || bytes.HasPrefix(body, []byte("\xfe\xff")) {
		return true
	}
	head := body[:min(len(body), 64)]
	return len(head) >= 8 && bytes.Count(head, []byte{0}) >= len(head)/2
}

// utf16 reports a file that is UTF-16.
func (l *linter) utf16() {
	l.addAs(Error, 1, Kind(robotstxt.KindNotUTF8), "", func() (string, string) {
		return "the file is UTF-16, but crawlers read UTF-8, so no line has an effect",
			"save it as UTF-8"
	})
}

// encoding checks encoding, line ends and size.
func (l *linter) encoding() {
	s := l.source
	if s.unread > 0 {
		line, unread := s.unread, "this line and those after it"
		if s.lastRead {
			line, unread = line-1, "the lines after this one"
		}
		l.add(line, Kind(robotstxt.KindTooLarge), "", func() (string, string) {
			return fmt.Sprintf("the file is longer than %d bytes (500 KiB): crawlers may ignore %s", robotstxt.DefaultMaxBytes, unread),
				"shorten the file, for example with wildcards instead of long lists, and put the important rules first"
		})
	}
	if s.badUTF8 > 0 {
		l.add(s.badUTF8, Kind(robotstxt.KindNotUTF8), "", func() (string, string) {
			return "the file is not UTF-8 from this line on: characters outside ASCII match only URLs in the same encoding",
				"save the file as UTF-8, or percent-encode these characters as in the site's URLs"
		})
	}
	if s.loneCR > 0 {
		l.add(s.loneCR, KindLoneCR, "", func() (string, string) {
			return fmt.Sprintf("%s in a carriage return without a line feed: valid, but many programs read one long line", soManyLines(s.loneCRs)),
				"save the file with Unix (LF) or Windows (CRLF) line ends"
		})
	}
	l.reported = map[int]bool{}
	for i := range s.records {
		l.line(&s.records[i])
	}
}

func soManyLines(n int) string {
	if n == 1 {
		return "this line ends"
	}
	return fmt.Sprintf("this and %d more end", n-1)
}

// line checks one line.
func (l *linter) line(r *record) {
	switch now := lenient(*r); {
	case now.field == r.field || now.field == sitemapField:
	case now.field == agentField || l.inAgents(r):
		l.unclearGroup = cmp.Or(l.unclearGroup, r.line)
	default:
		l.unclearRule = cmp.Or(l.unclearRule, r.line)
	}
	if l.source.html {
		return
	}
	if r.long && r.field != noColon {
		l.add(r.line, Kind(robotstxt.KindLongLine), clip.Text(r.text, mostQuoted), func() (string, string) {
			return fmt.Sprintf("the line is longer than %d bytes, which is Google's limit", longLine),
				"shorten it; put each path on a line of its own"
		})
	}
	if parts := splitFields(*r); len(parts) > 1 {
		l.twoFields(r, parts)
		return
	}
	if hasBOM := strings.Contains(r.text, bom); hasBOM || strings.IndexFunc(r.text, isInvisible) >= 0 {
		l.invisible(r, hasBOM)
	}
	if !l.reported[r.line] {
		l.fieldName(r)
	}
}

// invisible checks a line with invisible characters.
func (l *linter) invisible(r *record, hasBOM bool) {
	clean := strings.TrimFunc(strings.Map(func(c rune) rune {
		switch {
		case unicode.IsSpace(c):
			return ' '
		case isInvisible(c):
			return -1
		}
		return c
	}, r.text), unicode.IsSpace)
	name := "a byte order mark (U+FEFF)"
	kind := Kind(robotstxt.KindBOM)
	if !hasBOM {
		i := strings.IndexFunc(r.text, isInvisible)
		c, _ := utf8.DecodeRuneInString(r.text[i:])
		name, kind = fmt.Sprintf("the invisible character U+%04X", c), KindInvisible
	}
	meant := parseLine(clean)
	fix := l.rewrite(r, clean)
	switch {
	case meant.field == noColon && !hasBOM:
		return // prose, reported elsewhere
	case clean == "":
		l.addAs(Warning, r.line, kind, r.text, func() (string, string) {
			return fmt.Sprintf("the line contains only %s", name), "remove it; a byte order mark may only be at the very beginning of the file"
		})
	case meant.field == otherField && fieldname.Nearest(meant.name) == "" && !hasBOM:
		return // a field that has no effect anyway
	case meant.field != otherField && r.field == meant.field && r.value != "" && (!r.field.isRule() || r.usable() == meant.usable()):
		l.addAs(Warning, r.line, kind, r.text, func() (string, string) {
			return fmt.Sprintf("the value contains %s, which is compared with URLs like any other character", name), fix
		})
	default:
		l.add(r.line, kind, r.text, func() (string, string) {
			return fmt.Sprintf("%s makes the line invalid, so it has no effect", name), fix
		})
	}
	l.reported[r.line] = true
}

// isInvisible reports whether an editor shows c as nothing or as a space. Joiners are
// excluded, because some languages use them.
func isInvisible(c rune) bool {
	switch {
	case c < 0x80:
		return false
	case c == '\u200c', c == '\u200d':
		return false
	case unicode.IsSpace(c), c == '\u00ad', c == '\ufeff':
		return true
	}
	return '\u200b' <= c && c <= '\u200f' || '\u202a' <= c && c <= '\u202e' || '\u2060' <= c && c <= '\u2064'
}

// mostQuoted limits the bytes of a line in a message.
const mostQuoted = 120

// quote quotes a part of the file, shortened. Backslashes and quotes in it stay, so that
// the user can find it in the file.
func quote(s string) string { return quoteAll(clip.Text(s, mostQuoted)) }

func quoteAll(s string) string {
	if utf8.ValidString(s) && strings.IndexFunc(s, func(c rune) bool { return !unicode.IsGraphic(c) }) < 0 {
		if strings.Contains(s, `"`) {
			return "'" + s + "'"
		}
		return `"` + s + `"`
	}
	return strconv.Quote(s)
}
