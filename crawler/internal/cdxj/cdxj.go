// Package cdxj reads and writes the lines of CDXJ files, the indexes of WARC files. A line has the
// key of a URL, a time, and where its record is:
//
//	com,example)/page 20260301120000 {"url":"https://example.com/page","mime":"text/html",...}
//
// Records of type response, revisit and resource have a line, except responses to HEAD requests: a replay would
// show them as empty pages. An index beside a WARC file has the order of its records; that of a package is sorted.
package cdxj

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/textproto"
	"strconv"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/jsonlines"
)

// Extension of the index beside a WARC file, instead of .warc.gz.
const Extension = ".cdxj"

// MIMERevisit is the MIME of revisit records.
const MIMERevisit = "warc/revisit"

// A Line is about one record.
type Line struct {
	URL            string
	Time           time.Time // WARC-Date
	Status         int       // of the HTTP response; 0 if unknown
	MIME           string    // of the payload; [MIMERevisit] for a revisit
	Digest         string    // WARC-Payload-Digest, such as sha1:VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N
	File           string    // name of the WARC file
	Offset, Length int64     // of the record there, in bytes as compressed
	RecordID       string    // WARC-Record-ID
}

// stamp is the form of the time of a line.
const stamp = "20060102150405"

// fields are the JSON of a line. Numbers are strings, as other tools write and expect them.
type fields struct {
	URL      string `json:"url"`
	MIME     string `json:"mime,omitempty"`
	Status   number `json:"status,omitzero"`
	Digest   string `json:"digest,omitempty"`
	Length   number `json:"length"`
	Offset   number `json:"offset"`
	File     string `json:"filename"`
	Date     string `json:"date,omitempty"` // WARC-Date, if it has a fraction of a second
	RecordID string `json:"id,omitempty"`
}

// A number is an integer of at least 0, in quotes or not.
type number int64

// MarshalJSON writes the number in quotes.
func (n number) MarshalJSON() ([]byte, error) { return fmt.Appendf(nil, `"%d"`, n), nil }

// UnmarshalJSON reads the number.
func (n *number) UnmarshalJSON(text []byte) error {
	v, err := strconv.ParseUint(strings.Trim(string(text), `"`), 10, 63)
	*n = number(v)
	return err
}

// AppendTo appends the line, with its line feed.
func (l *Line) AppendTo(text []byte) []byte {
	date := l.Time.UTC()
	f := fields{
		URL: l.URL, MIME: l.MIME, Status: number(l.Status), Digest: l.Digest,
		Length: number(l.Length), Offset: number(l.Offset), File: l.File, RecordID: l.RecordID,
	}
	if date.Nanosecond() != 0 {
		f.Date = date.Format(time.RFC3339Nano)
	}
	text = append(text, spaceless.Replace(SURT(l.URL))...)
	text = append(date.AppendFormat(append(text, ' '), stamp), ' ')
	return append(jsonlines.AppendValue(text, &f), '\n')
}

// spaceless escapes spaces in keys that are not URLs.
var spaceless = strings.NewReplacer(" ", "%20", "\t", "%09", "\r", "%0D", "\n", "%0A")

var errColumns = errors.New("not a key, a time and JSON with spaces between them")

// Parse reads a line, of other tools too. It ignores the key.
func Parse(line []byte) (Line, error) {
	_, rest, hasKey := bytes.Cut(line, []byte(" "))
	at, object, hasTime := bytes.Cut(rest, []byte(" "))
	if !hasKey || !hasTime {
		return Line{}, errColumns
	}
	var f fields
	if err := json.Unmarshal(object, &f); err != nil {
		return Line{}, err
	}
	date, err := time.Parse(stamp, string(at[:min(len(at), len(stamp))])) // others have milliseconds too
	if err == nil && f.Date != "" {
		date, err = time.Parse(time.RFC3339Nano, f.Date)
	}
	return Line{
		URL: f.URL, Time: date, Status: int(f.Status), MIME: f.MIME, Digest: f.Digest, File: f.File,
		Offset: int64(f.Offset), Length: int64(f.Length), RecordID: f.RecordID,
	}, err
}

// Head returns the status of an HTTP response, and its media type without parameters, as a line has
// them. A head that is damaged has neither.
func Head(head []byte) (status int, mime string) {
	first, rest, _ := bytes.Cut(head, []byte("\n"))
	if words := bytes.Fields(first); len(words) > 1 && bytes.HasPrefix(first, []byte("HTTP/")) {
		if code, err := strconv.ParseUint(string(words[1]), 10, 10); err == nil {
			status = int(code)
		}
	}
	for line := range bytes.Lines(rest) {
		name, value, _ := bytes.Cut(line, []byte(":"))
		if bytes.EqualFold(textproto.TrimBytes(name), []byte("Content-Type")) {
			value, _, _ = bytes.Cut(value, []byte(";"))
			return status, string(bytes.ToValidUTF8(textproto.TrimBytes(value), nil))
		}
	}
	return status, ""
}
