package archive

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha1" //nolint:gosec // a usual digest of WARC files
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"iter"
	"maps"
	"mime"
	"net/http"
	"net/textproto"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/cdxj"
)

// A record is what is known of a WARC record.
type record struct {
	line     cdxj.Line // what an index says of it
	needed   bool      // an index must have the line
	problems []string

	kind   string // WARC-Type
	fields textproto.MIMEHeader
	size   int64 // of the block
	isHead bool  // it is a request of HEAD
}

// members reads the members of a gzip file one by one.
type members struct {
	file   counter
	in     *bufio.Reader // of file; gzip reads no more from it than it unpacks
	member gzip.Reader   // the current one
	offset int64         // where it starts in the file
}

// A counter counts the bytes that are read from a reader.
type counter struct {
	io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += int64(n)
	return n, err
}

func newMembers(r io.Reader) *members {
	m := &members{file: counter{Reader: r}}
	m.in = bufio.NewReaderSize(&m.file, 1<<16)
	return m
}

// next goes to the next member. The error is io.EOF if there is none.
func (m *members) next() error {
	m.offset = m.file.n - int64(m.in.Buffered())
	err := m.member.Reset(m.in)
	m.member.Multistream(false)
	return err
}

// end reads the rest of the current member, and returns its length in the file.
func (m *members) end() (length int64, err error) {
	_, err = io.Copy(io.Discard, &m.member)
	return m.file.n - int64(m.in.Buffered()) - m.offset, err
}

// maxHead is the maximum length of the header of a record or of a message, in bytes.
const maxHead = 1 << 20

var errLongHead = errors.New("header of more than 1 MiB")

// readHead reads lines until an empty one.
func readHead(r *bufio.Reader) (head []byte, err error) {
	for isStart := true; ; isStart = err == nil {
		var line []byte
		line, err = r.ReadSlice('\n')
		head = append(head, line...)
		switch text := string(line); {
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			return head, err
		case isStart && (text == "\r\n" || text == "\n"):
			return head, nil
		case len(head) > maxHead:
			return head, errLongHead
		}
	}
}

// records yields the records of a WARC file. An error of the file, or of a damaged gzip member, ends the sequence; the
// record with it has the offset.
func records(r io.Reader) iter.Seq2[*record, error] {
	return func(yield func(*record, error) bool) {
		in, buffer := newMembers(r), bufio.NewReader(nil)
		afterHead := false
		for {
			rec, err := new(record), in.next()
			if errors.Is(err, io.EOF) {
				return
			}
			if err == nil {
				buffer.Reset(&in.member)
				if failed := rec.read(buffer); failed != nil {
					rec.problems = append(rec.problems, failed.Error())
				}
				rec.line.Length, err = in.end()
			}
			rec.line.Offset = in.offset
			switch rec.kind {
			case "response", "revisit", "resource":
				rec.needed = !afterHead && rec.line.Status != http.StatusNotModified
			}
			if !yield(rec, err) || err != nil {
				return
			}
			afterHead = rec.isHead
		}
	}
}

var errVersion = errors.New("not a WARC record: its first line is not WARC/1.0 or WARC/1.1")

// readHeader reads the header of a record.
func (r *record) readHeader(in *bufio.Reader) error {
	head, err := readHead(in)
	if err != nil {
		return fmt.Errorf("header: %w", err)
	}
	lines := textproto.NewReader(bufio.NewReader(bytes.NewReader(head)))
	if version, err := lines.ReadLine(); err != nil || version != "WARC/1.1" && version != "WARC/1.0" {
		return errVersion
	}
	fields, err := lines.ReadMIMEHeader()
	if err != nil {
		return err
	}
	r.fields = fields
	r.kind = r.fields.Get("WARC-Type")
	r.line = cdxj.Line{
		URL:      strings.Trim(r.fields.Get("WARC-Target-URI"), "<>"), // in WARC/1.0 some have them
		Digest:   r.fields.Get("WARC-Payload-Digest"),
		RecordID: r.fields.Get("WARC-Record-ID"),
	}
	r.line.Time, _ = time.Parse(time.RFC3339Nano, r.fields.Get("WARC-Date")) // checkFields reports the error
	size, err := strconv.ParseUint(r.fields.Get("Content-Length"), 10, 63)
	if err != nil {
		return fmt.Errorf("Content-Length %q is not a number of bytes", r.fields.Get("Content-Length"))
	}
	r.size = int64(size)
	return nil
}

// read reads a record. It returns why it cannot be read, and ignores the error of a damaged gzip member.
func (r *record) read(in *bufio.Reader) error {
	err := r.readHeader(in)
	if r.fields != nil {
		r.checkFields()
	}
	if err == nil {
		err = r.readBlock(in)
	}
	if err != nil {
		return err
	}
	end := make([]byte, 5)
	switch n, _ := io.ReadFull(in, end); {
	case string(end) == "\r\n\r\nW":
		return errors.New("another record follows in the same gzip member")
	case string(end[:n]) != "\r\n\r\n":
		return fmt.Errorf("%q follows the block instead of two empty lines; Content-Length %d may be wrong", end[:n], r.size)
	}
	return nil
}

// repeatable are the fields of a record that may occur several times.
var repeatable = []string{"Warc-Concurrent-To", "Warc-Protocol", "Warc-Cipher-Suite"}

// checkFields adds what is wrong with the fields.
func (r *record) checkFields() {
	add := func(format string, args ...any) { r.problems = append(r.problems, fmt.Sprintf(format, args...)) }
	switch r.kind {
	case "response", "revisit", "resource", "request", "conversion", "continuation":
		if r.line.URL == "" {
			add("%s record without WARC-Target-URI", r.kind)
		}
	case "warcinfo", "metadata":
	default:
		add("WARC-Type %q is not one of the standard", r.kind)
	}
	if r.kind == "revisit" && r.fields.Get("WARC-Profile") == "" {
		add("revisit record without WARC-Profile")
	}
	if id := r.line.RecordID; !strings.HasPrefix(id, "<") || !strings.HasSuffix(id, ">") {
		add("WARC-Record-ID %q is not a URI in angle brackets", id)
	}
	if r.line.Time.IsZero() {
		add("WARC-Date %q is not a date such as 2026-03-01T12:00:00Z", r.fields.Get("WARC-Date"))
	}
	for _, name := range slices.Sorted(maps.Keys(r.fields)) {
		if n := len(r.fields[name]); n > 1 && strings.HasPrefix(name, "Warc-") && !slices.Contains(repeatable, name) {
			add("%d fields %s", n, name)
		}
	}
}

// readBlock reads the block. It returns an error if it is too short, and adds digests that are wrong.
func (r *record) readBlock(in io.Reader) error {
	block, payload := newHash(r.fields.Get("WARC-Block-Digest")), newHash(r.fields.Get("WARC-Payload-Digest"))
	limited := &io.LimitedReader{R: in, N: r.size}
	body := bufio.NewReader(io.TeeReader(limited, block))
	switch t, _, _ := mime.ParseMediaType(r.fields.Get("Content-Type")); {
	case t == "application/http":
		head, err := readHead(body)
		if err != nil {
			payload = io.Discard // it starts at no known byte
		}
		r.isHead = r.kind == "request" && bytes.HasPrefix(head, []byte("HEAD "))
		r.line.Status, r.line.MIME = cdxj.Head(head)
	case r.kind == "resource":
		r.line.MIME = t
	}
	if r.kind == "revisit" {
		r.line.MIME = cdxj.MIMERevisit
		payload = io.Discard // of another record
	}
	_, _ = io.Copy(payload, body)
	if limited.N > 0 {
		return fmt.Errorf("the block ends %d bytes before its Content-Length of %d", limited.N, r.size)
	}
	r.checkDigest("WARC-Block-Digest", block)
	r.checkDigest("WARC-Payload-Digest", payload)
	return nil
}

// newHash returns the hash of a digest such as sha1:ABC, or io.Discard if it is unknown.
func newHash(digest string) io.Writer {
	switch algorithm, _, _ := strings.Cut(digest, ":"); strings.ToLower(algorithm) {
	case "sha1", "sha-1":
		return sha1.New() //nolint:gosec // as above
	case "sha256", "sha-256":
		return sha256.New()
	}
	return io.Discard
}

// checkDigest adds a problem if a field does not have the digest of a hash. It ignores io.Discard.
func (r *record) checkDigest(name string, w io.Writer) {
	h, ok := w.(hash.Hash)
	if !ok {
		return
	}
	sum := h.Sum(nil)
	_, want, _ := strings.Cut(r.fields.Get(name), ":")
	encoded := base32.StdEncoding.EncodeToString(sum)
	if len(want) == hex.EncodedLen(len(sum)) {
		encoded = hex.EncodeToString(sum)
	}
	if !strings.EqualFold(strings.TrimRight(want, "="), strings.TrimRight(encoded, "=")) {
		r.problems = append(r.problems, fmt.Sprintf("%s is %s, but the bytes have %s", name, want, encoded))
	}
}
