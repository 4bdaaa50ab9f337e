package robotslint

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/politecrawl/politecrawl/robotsext/internal/clip"
	"github.com/politecrawl/politecrawl/robotsext/internal/fieldname"
	"github.com/politecrawl/politecrawl/robotsext/internal/oddity"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// isUTF16 reports whether body is UTF-16: it says so, or every other octet of its
// beginning is zero.
func isUTF16(body []byte) bool {
	if bytes.HasPrefix(body, []byte("\xff\xfe")) || bytes.HasPrefix(body, []byte("\xfe\xff")) {
		return true
	}
	head := body[:min(len(body), 64)]
	return len(head) >= 8 && bytes.Count(head, []byte{0}) >= len(head)/2
}

// utf16 is all that there is to say of a file that is UTF-16.
func (l *linter) utf16() {
	l.addAs(Error, 1, oddity.NotUTF8, "", func() (string, string) {
		return "the file is UTF-16: crawlers read UTF-8, and of this file not a single line",
			"save it as UTF-8"
	})
}

// encoding looks at the file as a text, whatever it says.
func (l *linter) encoding() {
	s := l.source
	if s.unread > 0 {
		line, unread := s.unread, "this line or any after it"
		if s.lastRead {
			line, unread = line-1, "more than this line"
		}
		l.add(line, oddity.TooLarge, "", func() (string, string) {
			return fmt.Sprintf("the file is longer than %d bytes (500 KiB): crawlers need not read %s", robotstxt.DefaultMaxBytes, unread),
				"make the file shorter, for example by wildcards in place of long lists; put what matters first"
		})
	}
	if s.badUTF8 > 0 {
		l.add(s.badUTF8, oddity.NotUTF8, "", func() (string, string) {
			return "the file is not UTF-8 from this line on: letters beyond ASCII match only URLs in the same old encoding",
				"save the file as UTF-8, or write such letters as %-escapes, as the site's URLs have them"
		})
	}
	if s.loneCR > 0 {
		l.add(s.loneCR, kindLoneCR, "", func() (string, string) {
			return fmt.Sprintf("%s in a carriage return without a line feed: allowed, but many programs take them for one long line", soManyLines(s.loneCRs)),
				"save the file with line feeds (Unix) or both (Windows) at the ends of lines"
		})
	}
	l.spoilt = map[int]bool{}
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

// line looks at a single line.
func (l *linter) line(r *record) {
	if l.source.html {
		return
	}
	if r.long && r.field != noColon {
		l.add(r.line, oddity.LongLine, clip.Text(r.text, mostQuoted), func() (string, string) {
			return fmt.Sprintf("the line is longer than %d bytes, more than Google reads of one", longLine),
				"make it shorter; several paths need several lines"
		})
	}
	if at := secondField.FindStringIndex(r.value); at != nil && r.field != noColon && r.field != otherField {
		l.twoFields(r, strings.TrimSpace(r.value[:at[0]]), strings.TrimSpace(r.value[at[0]:]))
		return
	}
	if hasBOM := strings.Contains(r.text, bom); hasBOM || strings.IndexFunc(r.text, isInvisible) >= 0 {
		l.invisible(r, hasBOM)
	}
}

// secondField is where in a value another field begins, for which there should have
// been another line.
var secondField = regexp.MustCompile(`(?i)(^|[ \t])(user-agent|disallow|allow|sitemap|crawl-delay)[ \t]*:`)

func (l *linter) twoFields(r *record, value, second string) {
	l.spoilt[r.line] = true
	l.add(r.line, kindTwoFields, r.text, func() (string, string) {
		if value == "" {
			return fmt.Sprintf("two fields stand on one line: crawlers take %s for the value of %s", quote(second), r.name), write(second) + " alone"
		}
		return fmt.Sprintf("two fields stand on one line: crawlers take the second one, %s, for a part of the value of %s", quote(second), r.name),
			fmt.Sprintf("%s, and %s on a line of its own", write(r.name+": "+value), quote(second))
	})
}

// invisible looks at a line with characters in it that nobody sees.
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
	kind := Kind(oddity.BOM)
	if !hasBOM {
		i := strings.IndexFunc(r.text, isInvisible)
		c, _ := utf8.DecodeRuneInString(r.text[i:])
		name, kind = fmt.Sprintf("the invisible character U+%04X", c), kindInvisible
	}
	meant := takeApart(clean)
	fix := fmt.Sprintf("type the line anew: %s", quote(strings.TrimSpace(clean)))
	switch {
	case meant.field == noColon && !hasBOM:
		return // prose, of which enough is said elsewhere
	case clean == "":
		l.addAs(Warning, r.line, kind, r.text, func() (string, string) {
			return fmt.Sprintf("the line holds %s and nothing else", name), "remove it; one may stand at the very beginning of a file, nowhere else"
		})
	case meant.field == otherField && fieldname.Nearest(meant.name) == "" && !hasBOM:
		return // a field that has no effect anyway
	case r.field == meant.field && r.value != "" && (!r.field.isRule() || r.usable() == meant.usable()):
		l.addAs(Warning, r.line, kind, r.text, func() (string, string) {
			return fmt.Sprintf("the value holds %s: it is compared with URLs like any other", name), fix
		})
	default:
		l.add(r.line, kind, r.text, func() (string, string) {
			return fmt.Sprintf("%s spoils the line: it has no effect", name), fix
		})
	}
	l.spoilt[r.line] = true
}

// isInvisible reports whether nobody sees c in an editor, or takes it for a
// space. Joiners are not meant: some languages write with them.
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

// mostQuoted is how many bytes of a line are shown.
const mostQuoted = 120

// quote puts a part of the file into quotes, not too much of it. A backslash or
// quotes in it stay as they are, so that it can be found in the file.
func quote(s string) string { return quoteAll(clip.Text(s, mostQuoted)) }

// write is the fix that consists in writing a line in another way.
func write(line string) string { return "write " + quoteAll(line) }

func quoteAll(s string) string {
	if utf8.ValidString(s) && strings.IndexFunc(s, func(c rune) bool { return !unicode.IsGraphic(c) }) < 0 {
		if strings.Contains(s, `"`) {
			return "'" + s + "'"
		}
		return `"` + s + `"`
	}
	return strconv.Quote(s)
}
