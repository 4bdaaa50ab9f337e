package robotslint

import (
	"bytes"
	"cmp"
	"sort"
	"strings"
	"unicode/utf8"
)

// source holds the parsed lines of a file, also invalid ones, and its groups.
// robotstxt.File has the meaning of the lines; source has details that a File lacks.
type source struct {
	records []record // lines with text before the comment
	blocks  []block
	html    bool

	unread   int  // number of the first line beyond the size limit; 0 if none
	lastRead bool // only the end of the line before unread is beyond the limit
	badUTF8  int  // number of the first line that is not UTF-8; 0 if none
	loneCR   int  // number of the first line that ends with a CR without LF; 0 if none
	loneCRs  int  // number of lines that end with a CR without LF
}

// field is the kind of a line.
type field uint8

const (
	noColon field = iota
	agentField
	allowField
	disallowField
	sitemapField
	otherField
)

func (f field) isRule() bool { return f == allowField || f == disallowField }

// record is one line.
type record struct {
	line  int
	field field
	name  string // before the colon, as written
	value string // after the colon; without a colon, the whole line
	text  string // the line up to its comment, without outer white space
	after string // the comment with its #, if it follows the value without white space
	long  bool   // longer than some crawlers read
	gap   bool   // an empty line precedes it
	block int    // index of its block; -1 if none

	removed bool // a finding removes the rule
}

// usable reports whether the record is a rule that has an effect (ROB-MAT-09,
// ROB-MAT-10, ROB-FMT-17).
func (r *record) usable() bool {
	return r.field.isRule() && r.value != "" && (r.value[0] == '/' || r.value[0] == '*') && controlIn(r.value) < 0
}

// block is a run of User-agent lines and the rules after it (ROB-GRP-01).
type block struct {
	first  int      // record of its first User-agent line
	last   int      // record of its last line that is a User-agent line or a rule
	agents []string // product tokens in lower case, "*", or "" for no crawler; one for each line
	rules  int      // number of Allow and Disallow lines, including those without effect
	needed int      // how many of them no finding removes
}

// removal returns the fix of a rule without effect. One rule stays, because the block would
// merge with the next one (ROB-GRP-08).
func (b *block) removal(r *record) (fix string) {
	if b.needed == 1 {
		return `write "Disallow:", which allows everything`
	}
	b.needed--
	r.removed = true
	return "remove it"
}

// longLine is the number of bytes of a line that Google's parser reads.
const longLine = 2083*8 - 1

const bom = "\ufeff"

// read parses the lines of body, at most limit bytes. Cut means that body is only the
// beginning of the file.
func read(body []byte, limit int, cut bool) *source {
	s := &source{}
	rest := body
	if len(body) > limit {
		rest = body[:limit]
		if next := body[limit]; next != '\n' && next != '\r' {
			rest = rest[:bytes.LastIndexAny(rest, "\r\n")+1]
		}
	}
	text := string(rest)
	if !utf8.ValidString(text) {
		s.badUTF8 = lineOfBadUTF8(text)
	}
	for i := 0; i < len(bom) && text != "" && text[0] == bom[i]; i++ { // ROB-FMT-06
		text = text[1:]
	}
	s.html = strings.HasPrefix(strings.TrimLeft(text, space), "<")
	lines := s.split(text)
	if len(rest) < len(body) || cut {
		s.unread = lines // the last line begins at the limit
		if len(rest) > 0 && rest[len(rest)-1] != '\n' && rest[len(rest)-1] != '\r' {
			s.unread++
			left := string(body[len(rest):])
			s.lastRead = !cut && (left == "\n" || left == "\r" || left == "\r\n")
		}
	}
	s.group()
	return s
}

// space has the characters that are trimmed from lines, fields and values (ROB-FMT-09),
// and the line ends.
const space = " \t\v\f\r\n"

// split adds the records of all lines and returns the number of the last line.
func (s *source) split(text string) int {
	gap := false
	for n := 1; ; n++ {
		end := strings.IndexAny(text, "\r\n")
		line := text
		if end >= 0 {
			line = text[:end]
		}
		r := parseLine(line)
		r.line, r.gap, r.block = n, gap, -1
		switch {
		case r.text != "":
			s.records = append(s.records, r)
			gap = false
		case strings.Trim(line, space) == "":
			gap = true
		}
		if end < 0 {
			return n
		}
		text = s.pastEnd(text, end, n)
	}
}

// pastEnd returns the text after line n (ROB-FMT-02).
func (s *source) pastEnd(text string, end, n int) string {
	if text[end] == '\n' {
		return text[end+1:]
	}
	if end+1 < len(text) && text[end+1] == '\n' {
		return text[end+2:]
	}
	if s.loneCRs++; s.loneCR == 0 {
		s.loneCR = n
	}
	return text[end+1:]
}

func parseLine(line string) record {
	r := record{text: line, long: len(line) > longLine}
	if i := strings.IndexByte(line, '#'); i >= 0 {
		r.text = line[:i]
		r.long = i > longLine
		if i > 0 && strings.IndexByte(space, line[i-1]) < 0 {
			r.after = line[i:]
		}
	}
	r.text = strings.Trim(r.text, space)
	name, value, colon := strings.Cut(r.text, ":")
	if !colon {
		r.value = r.text
		return r
	}
	r.name, r.value = strings.Trim(name, space), strings.Trim(value, space)
	r.field = cmp.Or(knownNames[strings.ToLower(r.name)], otherField)
	return r
}

// knownNames are the names of fields, in lower case.
var knownNames = map[string]field{"user-agent": agentField, "allow": allowField, "disallow": disallowField, "sitemap": sitemapField}

// group finds the groups. Only a rule ends a run of User-agent lines, even an invalid one
// (ROB-GRP-06, ROB-GRP-08).
func (s *source) group() {
	inAgents := false
	for i := range s.records {
		r := &s.records[i]
		switch {
		case r.field == agentField && !inAgents:
			inAgents = true
			s.blocks = append(s.blocks, block{first: i})
		case r.field.isRule():
			inAgents = false
		}
		r.block = len(s.blocks) - 1
		if r.block < 0 {
			continue
		}
		b := &s.blocks[r.block]
		switch {
		case r.field == agentField:
			b.last = i
			b.agents = append(b.agents, strings.ToLower(agentName(r.value)))
		case r.field.isRule():
			b.last = i
			b.rules++
			b.needed++
		}
	}
}

// index returns the position of the first record at or after a line.
func (s *source) index(line int) int {
	return sort.Search(len(s.records), func(i int) bool { return s.records[i].line >= line })
}

// at returns the record of a line, or nil.
func (s *source) at(line int) *record {
	i := s.index(line)
	if i < len(s.records) && s.records[i].line == line {
		return &s.records[i]
	}
	return nil
}

// lineOfBadUTF8 returns the number of the first line that is not UTF-8.
func lineOfBadUTF8(text string) int {
	before := text
	for i, r := range text {
		if r == utf8.RuneError && !strings.HasPrefix(text[i:], string(r)) {
			before = text[:i]
			break
		}
	}
	return 1 + strings.Count(before, "\n") + strings.Count(before, "\r") - strings.Count(before, "\r\n")
}

// controlIn returns the position of the first invalid control character in value
// (ROB-FMT-17), or -1.
func controlIn(value string) int { return strings.IndexFunc(value, isControl) }

func isControl(c rune) bool { return c < ' ' && c != '\t' }
