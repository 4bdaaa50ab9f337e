package archive

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/cdxj"
)

// An index compares the lines of an index with those that the records should have.
type index struct {
	checker // of the index
	lines   sorter
	dir     string // of the WARC files in a WACZ
	number  int    // of lines

	isDamaged bool     // only its beginning was read
	damaged   []string // quoted names of WARC files; only their beginnings were read
}

// The lines of the sorter have these columns: the place of a record, who says so, where, and the line of the index.
const (
	columns  = "%q %020d\x00%c\x00%s\x00%s"
	byIndex  = 'i'
	byRecord = 'r'
)

// add adds a line of the index.
func (i *index) add(text []byte) error {
	i.number++
	line, err := cdxj.Parse(text)
	if err != nil {
		i.say(i.number, "%v", err)
		return nil
	}
	return i.lines.add(fmt.Appendf(nil, columns, line.File, line.Offset, byIndex, strconv.Itoa(i.number), text))
}

// addRecord adds what a record says. A nil index ignores it.
func (i *index) addRecord(rec *record) error {
	if i == nil {
		return nil
	}
	needed := strconv.FormatBool(rec.needed)
	return i.lines.add(fmt.Appendf(nil, columns, rec.line.File, rec.line.Offset, byRecord, needed, bytes.TrimSpace(rec.line.AppendTo(nil))))
}

// unchecked says that only the beginning of a WARC file was read.
func (i *index) unchecked(file string) {
	if i != nil {
		i.damaged = append(i.damaged, strconv.Quote(file)+" ")
	}
}

// compare compares all lines, unless the index is damaged. It reports for c that a record has no line.
func (i *index) compare(c *checker) error {
	if i == nil || i.isDamaged {
		return nil
	}
	var place, text string // of a line of the index
	number := 0            // of it; 0 if there is none, or its record was found
	alone := func() {
		unchecked := func(file string) bool { return strings.HasPrefix(place, file) }
		if number > 0 && !slices.ContainsFunc(i.damaged, unchecked) {
			i.say(number, "no record of its own starts there: %s", text)
		}
		number = 0
	}
	for sorted, err := range i.lines.all() {
		if err != nil {
			return err
		}
		column := strings.SplitN(string(sorted), "\x00", 4)
		if column[1] == string(byIndex) {
			alone()
			place, text = column[0], column[3]
			number, _ = strconv.Atoi(column[2])
			continue
		}
		rec, _ := cdxj.Parse([]byte(column[3]))
		switch {
		case number > 0 && place == column[0]:
			if want := agreeing(text, rec); want != "" {
				i.say(number, "%s should be %s", text, want)
			}
			number = 0
		case column[2] == "true":
			entry := ""
			if i.dir != "" {
				entry = i.dir + rec.File
			}
			c.report(&Problem{File: c.file, Entry: entry, Offset: &rec.Offset, RecordID: rec.RecordID, Error: "the index has no line for this record"})
		}
	}
	alone()
	return nil
}

// agreeing returns the line of a record with the fields that a line of the index has, or "" if they agree.
func agreeing(text string, rec cdxj.Line) string {
	line, _ := cdxj.Parse([]byte(text)) // add has parsed it
	if line.Time.Nanosecond() == 0 {
		rec.Time = rec.Time.Truncate(time.Second)
	}
	if line.Status == 0 && line.MIME == "" {
		rec.Status, rec.MIME = 0, ""
	}
	if line.RecordID == "" {
		rec.RecordID = ""
	}
	if line.Digest == "" {
		rec.Digest = ""
	} else if !strings.Contains(line.Digest, ":") { // as warcio writes it
		_, rec.Digest, _ = strings.Cut(rec.Digest, ":")
	}
	want, got := string(bytes.TrimSpace(rec.AppendTo(nil))), string(bytes.TrimSpace(line.AppendTo(nil)))
	key, _, _ := strings.Cut(text, " ")
	if got == want && (strings.HasPrefix(want, key+" ") || strings.Contains(key, "__wb_method=")) { // of POST
		return ""
	}
	return want
}
