// Package warcreader reads the records of WARC files.
package warcreader

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
	"math"
	"mime"
	"net/textproto"
	"strconv"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/cdxj"
)

// A Record is a record of a WARC file.
type Record struct {
	Line     cdxj.Line // what an index says of it, but for its file
	Capture  bool      // an index has a line for it; see package cdxj
	Kind     string    // WARC-Type
	Fields   textproto.MIMEHeader
	Head     []byte   // header of its HTTP message, with the empty line
	Problems []string // what is wrong with it

	probe bool // its response is no capture
}

// A Reader reads the records of a WARC file, each from its own gzip member.
type Reader struct {
	file       *io.LimitedReader // counts the bytes
	in         *bufio.Reader     // gzip reads no more from it than it unpacks
	member     gzip.Reader
	plain      *bufio.Reader // from member
	afterProbe bool
}

// New returns a Reader of a WARC file, or of the part after a record.
func New(file io.Reader) *Reader {
	r := &Reader{file: &io.LimitedReader{R: file, N: math.MaxInt64}, plain: bufio.NewReader(nil)}
	r.in = bufio.NewReaderSize(r.file, 16<<10)
	return r
}

func (r *Reader) offset() int64 { return math.MaxInt64 - r.file.N - int64(r.in.Buffered()) }

// Next reads a record, and writes its payload. The error is io.EOF at the end of the file, and otherwise that of the
// file or of a damaged gzip member; the record then has only its offset.
func (r *Reader) Next(payload io.Writer) (*Record, error) {
	rec := &Record{Line: cdxj.Line{Offset: r.offset()}}
	if err := r.member.Reset(r.in); err != nil {
		return rec, err
	}
	r.member.Multistream(false)
	r.plain.Reset(&r.member)
	problem := rec.read(r.plain, payload)
	rec.check(problem == nil, "%v", problem)
	_, err := io.Copy(io.Discard, &r.member)
	rec.Line.Length = r.offset() - rec.Line.Offset
	rec.Capture = (rec.Kind == "response" || rec.Kind == "revisit" || rec.Kind == "resource") && !r.afterProbe
	r.afterProbe = rec.probe
	return rec, err
}

// readHead reads the header of a record or a message: lines until an empty one.
func readHead(r *bufio.Reader) (head []byte, err error) {
	for !bytes.HasSuffix(head, []byte("\n\r\n")) && !bytes.HasSuffix(head, []byte("\n\n")) {
		line, err := r.ReadSlice('\n')
		if head = append(head, line...); err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return head, err
		}
		if len(head) > 1<<20 {
			return head, errors.New("more than 1 MiB")
		}
	}
	return head, nil
}

// read reads a record. It returns why it cannot be read, and ignores the error of a damaged gzip member.
func (r *Record) read(in *bufio.Reader, payload io.Writer) error {
	head, err := readHead(in)
	if err != nil {
		return fmt.Errorf("header: %w", err)
	}
	lines := textproto.NewReader(bufio.NewReader(bytes.NewReader(head)))
	if version, _ := lines.ReadLine(); version != "WARC/1.1" && version != "WARC/1.0" {
		return errors.New("not a WARC record: its first line is not WARC/1.0 or WARC/1.1")
	}
	if r.Fields, err = lines.ReadMIMEHeader(); err != nil {
		return err
	}
	r.checkFields()
	length := r.Fields.Get("Content-Length")
	size, err := strconv.ParseUint(length, 10, 63)
	if err != nil {
		return fmt.Errorf("Content-Length %q is not a number of bytes", length)
	}
	limited := &io.LimitedReader{R: in, N: int64(size)}
	r.readBlock(limited, payload)
	if limited.N > 0 {
		return fmt.Errorf("the block ends %d bytes before its Content-Length of %d", limited.N, size)
	}
	end := make([]byte, 5)
	if n, _ := io.ReadFull(in, end); string(end[:n]) != "\r\n\r\n" {
		return fmt.Errorf("%q follows the block instead of two empty lines; Content-Length %d may be wrong", end[:n], size)
	}
	return nil
}

// checkFields reads the fields, and adds what is wrong with them.
func (r *Record) checkFields() {
	get := r.Fields.Get
	id, date := get("WARC-Record-ID"), get("WARC-Date")
	at, dateErr := time.Parse(time.RFC3339Nano, date)
	r.Kind = get("WARC-Type")
	r.Line.URL = strings.Trim(get("WARC-Target-URI"), "<>") // in WARC/1.0 some have them
	r.Line.Time, r.Line.Digest, r.Line.RecordID = at, get("WARC-Payload-Digest"), id
	r.check(r.Kind != "", "no WARC-Type")
	r.check(r.Line.URL != "" || r.Kind == "warcinfo" || r.Kind == "metadata", "%s record without WARC-Target-URI", r.Kind)
	r.check(r.Kind != "revisit" || get("WARC-Profile") != "", "revisit record without WARC-Profile")
	r.check(strings.HasPrefix(id, "<") && strings.HasSuffix(id, ">"), "WARC-Record-ID %q is not a URI in angle brackets", id)
	r.check(dateErr == nil, "WARC-Date %q is not a date such as 2026-03-01T12:00:00Z", date)
}

// check adds a problem unless something is right.
func (r *Record) check(right bool, format string, args ...any) {
	if !right {
		r.Problems = append(r.Problems, fmt.Sprintf(format, args...))
	}
}

// readBlock reads the block. If it is complete, it adds the digests that are wrong.
func (r *Record) readBlock(in *io.LimitedReader, to io.Writer) {
	block, checkBlock := r.digest("WARC-Block-Digest")
	payload, checkPayload := r.digest("WARC-Payload-Digest")
	body := bufio.NewReader(io.TeeReader(in, block))
	hasPayload := r.Kind != "revisit" // else it is in another record
	switch t, _, _ := mime.ParseMediaType(r.Fields.Get("Content-Type")); {
	case t == "application/http":
		var err error
		r.Head, err = readHead(body)
		hasPayload = hasPayload && err == nil // else it starts at no known byte
		r.probe = r.Kind == "request" && cdxj.IsProbe(r.Head)
		r.Line.Status, r.Line.MIME = cdxj.Head(r.Head)
	case r.Kind == "resource":
		r.Line.MIME = t
	}
	if r.Kind == "revisit" {
		r.Line.MIME = cdxj.MIMERevisit
	}
	if _, _ = io.Copy(io.MultiWriter(payload, to), body); in.N > 0 {
		return
	}
	checkBlock()
	if hasPayload {
		checkPayload()
	}
}

var hashes = map[string]func() hash.Hash{"sha1": sha1.New, "sha256": sha256.New}

// digest returns a writer for what has a digest, and a function that adds a problem if it has another.
func (r *Record) digest(name string) (io.Writer, func()) {
	algorithm, want, _ := strings.Cut(r.Fields.Get(name), ":")
	newHash := hashes[strings.ReplaceAll(strings.ToLower(algorithm), "-", "")]
	if newHash == nil {
		return io.Discard, func() {}
	}
	h := newHash()
	return h, func() {
		got := base32.StdEncoding.EncodeToString(h.Sum(nil))
		if len(want) == hex.EncodedLen(h.Size()) {
			got = hex.EncodeToString(h.Sum(nil))
		}
		equal := strings.EqualFold(strings.TrimRight(want, "="), strings.TrimRight(got, "="))
		r.check(equal, "%s is %s, but the bytes have %s", name, want, got)
	}
}
