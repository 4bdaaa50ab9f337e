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
	"math"
	"mime"
	"net/http"
	"net/textproto"
	"strconv"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/cdxj"
)

// A record is what is known of a WARC record.
type record struct {
	line     cdxj.Line // what an index says of it, but for its file
	needed   bool      // an index must have the line
	entry    string    // of a WACZ, which has it
	problems []string

	kind   string // WARC-Type
	fields textproto.MIMEHeader
	isHead bool // it is a request of HEAD
}

// records yields the records of a WARC file, and writes their blocks. An error of the file, or of a damaged gzip
// member, ends the sequence; the record with it has the offset.
func records(r io.Reader, blocks io.Writer) iter.Seq2[*record, error] {
	return func(yield func(*record, error) bool) {
		file := &io.LimitedReader{R: r, N: math.MaxInt64}
		in := bufio.NewReaderSize(file, 1<<16) // gzip reads no more from it than it unpacks
		offset := func() int64 { return math.MaxInt64 - file.N - int64(in.Buffered()) }
		member, buffer := new(gzip.Reader), bufio.NewReader(nil)
		for afterHead := false; ; {
			rec := &record{line: cdxj.Line{Offset: offset()}}
			err := member.Reset(in)
			if errors.Is(err, io.EOF) {
				return
			}
			if err == nil {
				member.Multistream(false)
				buffer.Reset(member)
				if failed := rec.read(buffer, blocks); failed != nil {
					rec.problems = append(rec.problems, failed.Error())
				}
				_, err = io.Copy(io.Discard, member)
			}
			rec.line.Length = offset() - rec.line.Offset
			rec.needed = (rec.kind == "response" || rec.kind == "revisit" || rec.kind == "resource") && !afterHead && rec.line.Status != http.StatusNotModified
			if !yield(rec, err) || err != nil {
				return
			}
			afterHead = rec.isHead
		}
	}
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

// read reads a record, and writes its block. It returns why it cannot be read, and ignores the error of a damaged gzip
// member.
func (r *record) read(in *bufio.Reader, block io.Writer) error {
	head, err := readHead(in)
	if err != nil {
		return fmt.Errorf("header: %w", err)
	}
	lines := textproto.NewReader(bufio.NewReader(bytes.NewReader(head)))
	if version, _ := lines.ReadLine(); version != "WARC/1.1" && version != "WARC/1.0" {
		return errors.New("not a WARC record: its first line is not WARC/1.0 or WARC/1.1")
	}
	if r.fields, err = lines.ReadMIMEHeader(); err != nil {
		return err
	}
	r.checkFields()
	length := r.fields.Get("Content-Length")
	size, err := strconv.ParseUint(length, 10, 63)
	if err != nil {
		return fmt.Errorf("Content-Length %q is not a number of bytes", length)
	}
	limited := &io.LimitedReader{R: in, N: int64(size)}
	r.readBlock(limited, block)
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
func (r *record) checkFields() {
	get := r.fields.Get
	id, date := get("WARC-Record-ID"), get("WARC-Date")
	at, dateErr := time.Parse(time.RFC3339Nano, date)
	r.kind = get("WARC-Type")
	r.line.URL = strings.Trim(get("WARC-Target-URI"), "<>") // in WARC/1.0 some have them
	r.line.Time, r.line.Digest, r.line.RecordID = at, get("WARC-Payload-Digest"), id
	for _, check := range []struct {
		failed  bool
		problem string
	}{
		{r.kind == "", "no WARC-Type"},
		{r.line.URL == "" && r.kind != "warcinfo" && r.kind != "metadata", r.kind + " record without WARC-Target-URI"},
		{r.kind == "revisit" && get("WARC-Profile") == "", "revisit record without WARC-Profile"},
		{!strings.HasPrefix(id, "<") || !strings.HasSuffix(id, ">"), fmt.Sprintf("WARC-Record-ID %q is not a URI in angle brackets", id)},
		{dateErr != nil, fmt.Sprintf("WARC-Date %q is not a date such as 2026-03-01T12:00:00Z", date)},
	} {
		if check.failed {
			r.problems = append(r.problems, check.problem)
		}
	}
}

// readBlock reads and writes the block. If it is complete, it adds the digests that are wrong.
func (r *record) readBlock(in *io.LimitedReader, out io.Writer) {
	block, checkBlock := r.digest("WARC-Block-Digest")
	payload, checkPayload := r.digest("WARC-Payload-Digest")
	body := bufio.NewReader(io.TeeReader(in, io.MultiWriter(block, out)))
	hasPayload := r.kind != "revisit" // else it is in another record
	switch t, _, _ := mime.ParseMediaType(r.fields.Get("Content-Type")); {
	case t == "application/http":
		head, err := readHead(body)
		hasPayload = hasPayload && err == nil // else it starts at no known byte
		r.isHead = r.kind == "request" && bytes.HasPrefix(head, []byte("HEAD "))
		r.line.Status, r.line.MIME = cdxj.Head(head)
	case r.kind == "resource":
		r.line.MIME = t
	}
	if r.kind == "revisit" {
		r.line.MIME = cdxj.MIMERevisit
	}
	if _, _ = io.Copy(payload, body); in.N > 0 {
		return
	}
	checkBlock()
	if hasPayload {
		checkPayload()
	}
}

var hashes = map[string]func() hash.Hash{"sha1": sha1.New, "sha256": sha256.New}

// digest returns a writer for what has a digest, and a function that adds a problem if it has another.
func (r *record) digest(name string) (io.Writer, func()) {
	algorithm, want, _ := strings.Cut(r.fields.Get(name), ":")
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
		if !strings.EqualFold(strings.TrimRight(want, "="), strings.TrimRight(got, "=")) {
			r.problems = append(r.problems, fmt.Sprintf("%s is %s, but the bytes have %s", name, want, got))
		}
	}
}
