// Package cdxj reads and writes the lines of CDXJ files, the indexes of WARC files. A line has the
// key of a URL, a time, and where its record is:
//
//	com,example)/page 20260301120000 {"url":"https://example.com/page","mime":"text/html",...}
//
// Records of type response, revisit and resource have a line, except responses to requests of HEAD or a range of bytes:
// a replay would show them as empty pages. An index beside a WARC file has the order of its records; that of a package is sorted.
package cdxj

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"net/textproto"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	whatwg "github.com/nlnwa/whatwg-url/url"

	"github.com/politecrawl/politecrawl/crawler/internal/jsonlines"
)

// Extension of the index beside a WARC file, instead of .warc.gz.
const Extension = ".cdxj"

// MIMERevisit is the MIME of revisit records.
const MIMERevisit = "warc/revisit"

// A Line is about one record. Its numbers are strings in JSON, as other tools write and expect them.
type Line struct {
	URL      string    `json:"url"`
	MIME     string    `json:"mime,omitempty"`         // of the payload; [MIMERevisit] for a revisit
	Status   int       `json:"status,string,omitzero"` // of the HTTP response; 0 if unknown
	Digest   string    `json:"digest,omitempty"`       // WARC-Payload-Digest, such as sha1:VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N
	Length   int64     `json:"length,string"`          // of the record in the file, in bytes as compressed
	Offset   int64     `json:"offset,string"`          // of the record there
	File     string    `json:"filename"`               // name of the WARC file
	Time     time.Time `json:"date,omitzero"`          // WARC-Date; only in JSON if it has a fraction of a second
	RecordID string    `json:"id,omitempty"`           // WARC-Record-ID
}

// stamp is the form of the time of a line.
const stamp = "20060102150405"

// spaceless escapes spaces in keys that are not URLs.
var spaceless = strings.NewReplacer(" ", "%20", "\t", "%09", "\r", "%0D", "\n", "%0A")

// AppendTo appends the line, with its line feed.
func (l *Line) AppendTo(text []byte) []byte {
	fields, date := *l, l.Time.UTC()
	if fields.Time = date; date.Nanosecond() == 0 || date.Year() < 0 || date.Year() > 9999 { // JSON has no such dates
		fields.Time = time.Time{}
	}
	text = append(text, spaceless.Replace(SURT(l.URL))...)
	text = append(date.AppendFormat(append(text, ' '), stamp), ' ')
	return append(jsonlines.AppendValue(text, &fields), '\n')
}

var (
	errLine = errors.New("not a key, a time and JSON of that date, with spaces between them")
	bare    = regexp.MustCompile(`("(?:status|length|offset)": *)(\d+)`)
)

// Parse reads a line, of other tools too. It ignores the key.
func Parse(line []byte) (l Line, err error) {
	_, rest, _ := bytes.Cut(line, []byte(" "))
	at, object, found := bytes.Cut(rest, []byte(" "))
	if !found {
		return l, errLine
	}
	if json.Unmarshal(object, &l) != nil {
		l = Line{}
		err = json.Unmarshal(bare.ReplaceAll(object, []byte(`$1"$2"`)), &l)
	}
	date, dateErr := time.Parse(stamp, string(at[:min(len(at), len(stamp))])) // others have milliseconds too
	if l.Time.IsZero() {
		l.Time = date
	}
	if min(int64(l.Status), l.Offset, l.Length) < 0 || !l.Time.Truncate(time.Second).Equal(date.Truncate(time.Second)) {
		err = errLine
	}
	return l, cmp.Or(err, dateErr)
}

// Head returns the status of an HTTP response, and its media type without parameters, as a line has
// them. A head that is damaged has neither.
func Head(head []byte) (status int, mime string) {
	first, _, _ := bytes.Cut(head, []byte("\n"))
	if words := bytes.Fields(first); len(words) > 1 && bytes.HasPrefix(first, []byte("HTTP/")) {
		if code, err := strconv.ParseUint(string(words[1]), 10, 10); err == nil {
			status = int(code)
		}
	}
	mime, _, _ = strings.Cut(Field(head, "Content-Type"), ";")
	return status, strings.ToValidUTF8(strings.TrimSpace(mime), "")
}

// Field returns the first value of a field of an HTTP message. It skips lines that are malformed.
func Field(head []byte, name string) string {
	for line := range bytes.Lines(head) {
		field, value, _ := bytes.Cut(line, []byte(":"))
		if bytes.EqualFold(textproto.TrimBytes(field), []byte(name)) {
			return string(textproto.TrimBytes(value))
		}
	}
	return ""
}

// IsProbe reports whether an HTTP request asks for no body or a part of it.
func IsProbe(head []byte) bool {
	return bytes.HasPrefix(head, []byte("HEAD ")) || Field(head, "Range") != ""
}

var (
	urls = whatwg.NewParser()
	www  = regexp.MustCompile(`^(https?://)www[0-9]*\.`)
)

// maxURL is where SURT stops to parse: the parser takes quadratic time.
const maxURL = 8 << 10

// SURT returns the key of a URL in an index, its sort-friendly URI reordering transform: the host in reverse order
// without www, then path and query in lower case, the parameters sorted. It equals getSurt of the npm package warcio.
// Other URLs than those of http and https are their own keys.
func SURT(url string) string {
	if !strings.HasPrefix(url, "https:") && !strings.HasPrefix(url, "http:") {
		return url
	}
	url = www.ReplaceAllString(url, "$1")
	if len(url) > maxURL {
		return url
	}
	u, err := urls.Parse(strings.ToLower(url))
	if err != nil {
		return url
	}
	labels := strings.Split(u.Hostname(), ".")
	slices.Reverse(labels)
	key := strings.Join(labels, ",")
	if port := u.Port(); port != "" {
		key += ":" + port
	}
	key += ")" + u.Pathname()
	if query := strings.TrimPrefix(u.Search(), "?"); query != "" {
		parameters := strings.Split(query, "&")
		slices.Sort(parameters)
		key += "?" + strings.Join(parameters, "&")
	}
	return key
}
