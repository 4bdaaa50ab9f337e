package archive

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/cdxj"
)

// An indexLine is a line of an index.
type indexLine struct {
	cdxj.Line
	key    string
	number int // from 1
}

func parseLine(text []byte) (*indexLine, error) {
	line, err := cdxj.Parse(text)
	key, _, _ := bytes.Cut(text, []byte(" "))
	return &indexLine{Line: line, key: string(key)}, err
}

// readIndex yields the lines of an index that can be parsed, and reports the others.
func (c *checker) readIndex(r io.Reader) iter.Seq2[*indexLine, error] {
	return func(yield func(*indexLine, error) bool) {
		number := 0
		for text, err := range readLines(r, maxLine) {
			number++
			if unread := ioError(err); unread != nil {
				yield(nil, unread)
				return
			}
			line := new(indexLine)
			if err == nil {
				line, err = parseLine(text)
			}
			if err != nil {
				c.say(number, "%v", err)
				continue
			}
			line.number = number
			if !yield(line, nil) {
				return
			}
		}
	}
}

// An index has the lines about WARC files, in the order of the files and of their records.
type index struct {
	*checker        // of the index
	file     string // the current WARC file
	next     func() (*indexLine, error, bool)
	stop     func()
	line     *indexLine // the next one; nil if it is not read, or there is none
}

func newIndex(c *checker, lines iter.Seq2[*indexLine, error]) *index {
	i := &index{checker: c}
	i.next, i.stop = iter.Pull2(lines)
	return i
}

// compare compares a record of a file with its line, and reports the lines before it, which have no record. Missing
// says that the record has no line, but should. A nil record is the end of the file. A nil index misses nothing.
func (i *index) compare(rec *record, file string) (missing bool, err error) {
	if i == nil {
		return false, nil
	}
	for {
		if i.line == nil {
			var ok bool
			if i.line, err, ok = i.next(); err != nil {
				return false, err
			} else if !ok {
				break
			}
		}
		line := i.line
		if line.File > file || line.File == file && rec != nil && line.Offset > rec.line.Offset {
			break
		}
		i.line = nil
		if line.File < file { // left over from a damaged file
			continue
		}
		if rec != nil && line.Offset == rec.line.Offset {
			for _, difference := range line.differences(&rec.line) {
				i.say(line.number, "%s", difference)
			}
			return false, nil
		}
		i.say(line.number, "no record starts at byte %d of %s, or the line is out of order", line.Offset, line.File)
	}
	return rec != nil && rec.needed, nil
}

// differences returns what a line says and its record does not.
func (l *indexLine) differences(rec *cdxj.Line) (found []string) {
	compare := func(name string, got, want any) {
		if got != want {
			found = append(found, fmt.Sprintf("%s is %v, that of the record %v", name, got, want))
		}
	}
	compare("url", l.URL, rec.URL)
	compare("length", l.Length, rec.Length)
	if l.Time.Nanosecond() == 0 {
		rec.Time = rec.Time.Truncate(time.Second)
	}
	compare("time", l.Time.UTC().Format(time.RFC3339Nano), rec.Time.UTC().Format(time.RFC3339Nano))
	if l.Status != 0 || l.MIME != "" {
		compare("status", l.Status, rec.Status)
		compare("mime", l.MIME, rec.MIME)
	}
	if l.RecordID != "" {
		compare("id", l.RecordID, rec.RecordID)
	}
	if want := rec.Digest; l.Digest != "" {
		if !strings.Contains(l.Digest, ":") { // as warcio writes it
			_, want, _ = strings.Cut(want, ":")
		}
		compare("digest", l.Digest, want)
	}
	if key, _, _ := bytes.Cut(l.AppendTo(nil), []byte(" ")); !strings.Contains(l.key, "__wb_method=") { // of POST
		compare("key", l.key, string(key))
	}
	return found
}
