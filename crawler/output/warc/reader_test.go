package warc

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha1"
	"encoding/base32"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/archive"
	"github.com/politecrawl/politecrawl/crawler/internal/cdxj"
)

// A parsed is a record that was read.
type parsed struct {
	file    string
	version string
	fields  map[string][]string
	order   []string
	block   []byte
	offset  int // where it begins in its file
}

func (r *parsed) get(name string) string {
	if v := r.fields[name]; len(v) > 0 {
		return v[0]
	}
	return ""
}

func (r *parsed) kind() string { return r.get("WARC-Type") }

// payload returns the block without its HTTP headers.
func (r *parsed) payload() []byte {
	return r.block[headEnd.FindIndex(r.block)[1]:]
}

// readDir reads all files of a directory and checks them against the standard, and that each index has the
// responses and revisits of its file in their order.
func readDir(t testing.TB, dir string) []*parsed {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, filePattern))
	if err != nil {
		t.Fatal(err)
	}
	var all []*parsed
	for _, name := range names {
		records, err := readFile(name)
		if err != nil {
			t.Fatalf("%s: %v", filepath.Base(name), err)
		}
		if _, err := archive.Check(name, func(p *archive.Problem) { t.Error(p) }); err != nil {
			t.Fatal(err)
		}
		var want, got []int
		for i, r := range records {
			if (r.kind() == "response" || r.kind() == "revisit") && !isProbe.Match(records[i-1].block) {
				want = append(want, r.offset)
			}
		}
		for _, l := range linesOf(t, indexPath(name)) {
			got = append(got, int(l.Offset))
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%s has lines about the records at %d, want %d", indexPath(name), got, want)
		}
		all = append(all, records...)
	}
	if err := checkReferences(all); err != nil {
		t.Fatal(err)
	}
	return all
}

// linesOf reads an index.
func linesOf(t testing.TB, name string) (lines []cdxj.Line) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		l, err := cdxj.Parse(line)
		if err != nil || !bytes.HasSuffix(line, []byte("\n")) {
			t.Fatalf("%s: %q, %v", name, line, err)
		}
		lines = append(lines, l)
	}
	return lines
}

// readFile reads a file and checks that each record is a gzip member.
func readFile(name string) ([]*parsed, error) {
	packed, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	file := bytes.NewReader(packed)
	in := bufio.NewReader(file)
	var records []*parsed
	for {
		if _, err := in.Peek(1); errors.Is(err, io.EOF) {
			break
		}
		offset := len(packed) - file.Len() - in.Buffered()
		member, err := gzip.NewReader(in)
		if err != nil {
			return nil, fmt.Errorf("record %d: %w", len(records), err)
		}
		member.Multistream(false)
		plain, err := io.ReadAll(member)
		if err != nil {
			return nil, fmt.Errorf("record %d: %w", len(records), err)
		}
		r, err := parse(plain)
		if err != nil {
			return nil, fmt.Errorf("record %d: %w in %q", len(records), err, plain[:min(len(plain), 1000)])
		}
		r.file, r.offset = filepath.Base(name), offset
		records = append(records, r)
	}
	if len(records) > 0 && records[0].kind() != "warcinfo" {
		return nil, fmt.Errorf("begins with a record of the type %q", records[0].kind())
	}
	return records, nil
}

var (
	isProbe   = regexp.MustCompile("(?i)^HEAD |\nRange:")
	headEnd   = regexp.MustCompile("\n\r?\n")
	fieldLine = regexp.MustCompile("^([!#$%&'*+.0-9A-Z^_`a-z|~-]+): ([^\x00-\x1f\x7f]*)$")
	uuidURN   = regexp.MustCompile(`^<urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}>$`)
	uriText   = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20"<>\x7f-\x{10ffff}]*$`)
)

// allowedFields has the fields of each record type besides the common ones, by clause 5 of the
// standard. Fields with ! are required.
var allowedFields = map[string]string{
	"warcinfo": "WARC-Filename WARC-Block-Digest Content-Type",
	"request": "!WARC-Target-URI WARC-IP-Address WARC-Concurrent-To WARC-Warcinfo-ID WARC-Block-Digest !Content-Type " +
		"WARC-Protocol",
	"response": "!WARC-Target-URI WARC-IP-Address WARC-Concurrent-To WARC-Warcinfo-ID WARC-Block-Digest !Content-Type " +
		"WARC-Payload-Digest WARC-Truncated WARC-Protocol",
	"revisit": "!WARC-Target-URI WARC-IP-Address WARC-Concurrent-To WARC-Warcinfo-ID WARC-Block-Digest Content-Type " +
		"WARC-Payload-Digest WARC-Truncated WARC-Protocol !WARC-Profile WARC-Refers-To WARC-Refers-To-Target-URI WARC-Refers-To-Date",
	"metadata": "WARC-Target-URI WARC-IP-Address WARC-Concurrent-To WARC-Refers-To WARC-Warcinfo-ID WARC-Block-Digest !Content-Type",
}

// parse reads a record and checks it, but for its digests.
func parse(plain []byte) (*parsed, error) {
	head, rest, ok := bytes.Cut(plain, []byte("\r\n\r\n"))
	if !ok {
		return nil, errors.New("no end of the header")
	}
	lines := strings.Split(string(head), "\r\n")
	r := &parsed{fields: make(map[string][]string)}
	if r.version, ok = strings.CutPrefix(lines[0], "WARC/"); !ok || r.version != "1.1" {
		return nil, fmt.Errorf("version %q", lines[0])
	}
	for _, line := range lines[1:] {
		m := fieldLine.FindStringSubmatch(line)
		if m == nil {
			return nil, fmt.Errorf("field %q", line)
		}
		r.fields[m[1]] = append(r.fields[m[1]], m[2])
		r.order = append(r.order, m[1])
	}
	for name, values := range r.fields {
		if len(values) > 1 && name != "WARC-Concurrent-To" {
			return nil, fmt.Errorf("%d fields %s", len(values), name)
		}
	}
	length, err := strconv.Atoi(r.get("Content-Length"))
	if err != nil || length < 0 {
		return nil, fmt.Errorf("length %q", r.get("Content-Length"))
	}
	if len(rest) != length+4 || string(rest[length:]) != "\r\n\r\n" {
		return nil, fmt.Errorf("a length of %d before %d bytes", length, len(rest))
	}
	r.block = rest[:length]
	return r, errors.Join(checkFields(r), checkBlock(r))
}

func checkFields(r *parsed) error {
	spec, ok := allowedFields[r.kind()]
	if !ok {
		return fmt.Errorf("type %q", r.kind())
	}
	allowed := strings.Fields(strings.ReplaceAll(spec, "!", "") + " WARC-Type WARC-Record-ID WARC-Date Content-Length")
	for name := range r.fields {
		if !slices.Contains(allowed, name) {
			return fmt.Errorf("%s must not have %s", r.kind(), name)
		}
	}
	for name := range strings.FieldsSeq(spec) {
		if name, must := strings.CutPrefix(name, "!"); must && r.get(name) == "" {
			return fmt.Errorf("%s must have %s", r.kind(), name)
		}
	}
	const layout = "2006-01-02T15:04:05.000000Z"
	for name, values := range r.fields {
		value := values[0]
		var bad error
		switch name {
		case "WARC-Record-ID", "WARC-Concurrent-To", "WARC-Refers-To", "WARC-Warcinfo-ID":
			for _, id := range values {
				if !uuidURN.MatchString(id) {
					bad = fmt.Errorf("%s %q", name, id)
				}
			}
		case "WARC-Date", "WARC-Refers-To-Date":
			if got, err := time.Parse(layout, value); err != nil || got.Format(layout) != value {
				bad = fmt.Errorf("%s %q", name, value)
			}
		case "WARC-Target-URI", "WARC-Refers-To-Target-URI", "WARC-Profile":
			if !uriText.MatchString(value) {
				bad = fmt.Errorf("%s %q", name, value)
			}
		case "WARC-IP-Address":
			_, bad = netip.ParseAddr(value)
		case "WARC-Truncated":
			if !slices.Contains([]string{"length", "time", "disconnect", "unspecified"}, value) {
				bad = fmt.Errorf("%s %q", name, value)
			}
		case "WARC-Protocol":
			if value != "h2" && value != "h2c" {
				bad = fmt.Errorf("%s %q", name, value)
			}
		}
		if bad != nil {
			return bad
		}
	}
	return nil
}

func sha1Of(b []byte) string {
	sum := sha1.Sum(b)
	return "sha1:" + base32.StdEncoding.EncodeToString(sum[:])
}

func checkBlock(r *parsed) error {
	switch contentType := r.get("Content-Type"); {
	case r.kind() == "warcinfo" || r.kind() == "metadata":
		if contentType != "application/warc-fields" {
			return fmt.Errorf("%s with a block of the type %q", r.kind(), contentType)
		}
		for line := range strings.SplitSeq(strings.TrimSuffix(string(r.block), "\r\n"), "\r\n") {
			if !fieldLine.MatchString(line) {
				return fmt.Errorf("the block of %s has the line %q", r.kind(), line)
			}
		}
	case r.kind() == "request" && contentType != "application/http;msgtype=request",
		r.kind() != "request" && contentType != "application/http;msgtype=response":
		return fmt.Errorf("%s with a block of the type %q", r.kind(), contentType)
	case !headEnd.Match(r.block):
		return fmt.Errorf("%s with an HTTP head that does not end", r.kind())
	}
	return nil
}

// checkReferences checks that record IDs are unique, and that references are valid.
func checkReferences(all []*parsed) error {
	byID := make(map[string]*parsed)
	for _, r := range all {
		if byID[r.get("WARC-Record-ID")] != nil {
			return fmt.Errorf("two records are %s", r.get("WARC-Record-ID"))
		}
		byID[r.get("WARC-Record-ID")] = r
	}
	info := ""
	for _, r := range all {
		if r.kind() == "warcinfo" {
			info = r.get("WARC-Record-ID")
			if r.get("WARC-Filename") != r.file {
				return fmt.Errorf("%s says that it is %s", r.file, r.get("WARC-Filename"))
			}
		} else if r.get("WARC-Warcinfo-ID") != info {
			return fmt.Errorf("%s says that %s describes it, and %s does", r.get("WARC-Record-ID"), r.get("WARC-Warcinfo-ID"), info)
		}
		for _, id := range r.fields["WARC-Concurrent-To"] {
			other := byID[id]
			if other == nil || other.get("WARC-Target-URI") != r.get("WARC-Target-URI") || other.get("WARC-Date") != r.get("WARC-Date") {
				return fmt.Errorf("%s %s is concurrent to %v", r.kind(), r.get("WARC-Record-ID"), other)
			}
		}
		if id := r.get("WARC-Refers-To"); id != "" {
			other := byID[id]
			if other == nil || other.kind() != "response" || other.get("WARC-Target-URI") != r.get("WARC-Refers-To-Target-URI") ||
				other.get("WARC-Date") != r.get("WARC-Refers-To-Date") {
				return fmt.Errorf("%s %s refers to %v", r.kind(), r.get("WARC-Record-ID"), other)
			}
			if digest := r.get("WARC-Payload-Digest"); digest != "" && digest != other.get("WARC-Payload-Digest") {
				return fmt.Errorf("%s has another payload than the record that it refers to", r.get("WARC-Record-ID"))
			}
		}
	}
	return nil
}

// absolute reports whether a URL is absolute.
func absolute(raw string) bool {
	u, err := url.Parse(raw)
	return err == nil && u.IsAbs()
}
