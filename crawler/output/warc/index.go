package warc

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"hash/maphash"
	"io"
	"io/fs"
	"math"
	"net/textproto"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/cdxj"
	"github.com/politecrawl/politecrawl/crawler/internal/durable"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/output/internal/recent"
)

const (
	// maxIndexed is the minimum number of payloads and of URLs that are found; the maximum is twice that.
	maxIndexed = 1 << 19

	// maxLoaded is the maximum size of the indexes that are read, in bytes.
	maxLoaded = 512 << 20
)

// An index finds the records of a crawl, and of earlier crawls in its directory. It knows only where they are,
// and reads them again: so it never refers to a record that is missing, damaged or different.
type index struct {
	files    *files
	names    []string // of WARC files
	seed     maphash.Seed
	payloads *recent.Map[uint64, place] // of responses, by the hash of the payload digest
	urls     *recent.Map[uint64, place] // of the last response with status 2xx or 304, by the hash of the URL
	unpack   gzip.Reader
}

// A place is where a record is.
type place struct {
	file   int32 // index in index.names
	offset int64
}

// openIndex reads the CDXJ files in a directory. It creates those that are missing, and reads only the newest, since
// each resume does this.
func openIndex(f *files) (*index, error) {
	x := &index{
		files: f, seed: maphash.MakeSeed(),
		payloads: recent.New[uint64, place](maxIndexed), urls: recent.New[uint64, place](maxIndexed),
	}
	names, err := archives(f.dir)
	if err != nil {
		return nil, err
	}
	first, left := len(names), int64(maxLoaded)
	for i, name := range slices.Backward(names) {
		size, err := repairIndex(filepath.Join(f.dir, name))
		if err != nil {
			return nil, err
		}
		if left -= size; left >= 0 {
			first = i
		}
	}
	for _, name := range names[first:] {
		if err := x.load(name); err != nil {
			return nil, err
		}
	}
	return x, nil
}

// load adds the records in the index of a file.
func (x *index) load(name string) error {
	file, err := os.Open(indexPath(filepath.Join(x.files.dir, name)))
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	lines := bufio.NewScanner(file)
	for lines.Buffer(nil, 1<<20); lines.Scan(); {
		line, err := cdxj.Parse(lines.Bytes())
		if err != nil {
			x.urls.Clear() // it may be a later response of any URL
			continue
		}
		line.File = name
		x.add(&line)
	}
	if err := lines.Err(); !errors.Is(err, bufio.ErrTooLong) {
		return err
	}
	x.urls.Clear() // the rest is damaged
	return nil
}

// add adds a record.
func (x *index) add(l *cdxj.Line) {
	if len(x.names) == 0 || x.names[len(x.names)-1] != l.File {
		x.names = append(x.names, l.File)
	}
	at := place{file: int32(len(x.names) - 1), offset: l.Offset}
	if l.Status/100 == 2 || l.Status == 304 {
		x.urls.Put(x.hash(l.URL), at)
	}
	if l.MIME != cdxj.MIMERevisit && l.Digest != "" {
		x.payloads.Put(x.hash(l.Digest), at)
	}
}

func (x *index) hash(key string) uint64 { return maphash.String(x.seed, key) }

// current returns the header of the response that a 304 of a URL is about, or nil: the last one with status 2xx,
// if its whole payload is known. If the request has validators of another response, that is not in the archive.
func (x *index) current(url string, request []byte) textproto.MIMEHeader {
	h, head := x.find(x.urls, url, "WARC-Target-URI", nil)
	asked, had := fieldsOf(request), fieldsOf(head)
	for asks, has := range map[string]string{"If-None-Match": "ETag", "If-Modified-Since": "Last-Modified"} {
		if a, b := asked.Get(asks), had.Get(has); a != "" && b != "" && a != b {
			return nil
		}
	}
	if original := h.Get("WARC-Refers-To"); original != "" {
		if h, _ = x.find(x.payloads, h.Get("WARC-Payload-Digest"), "WARC-Payload-Digest", nil); h.Get("WARC-Record-ID") != original {
			return nil
		}
	}
	if !isOriginal(h) {
		return nil
	}
	return h
}

// fieldsOf returns the header fields of an HTTP message, up to the first that is malformed.
func fieldsOf(head []byte) textproto.MIMEHeader {
	_, fields, _ := bytes.Cut(head, []byte("\n"))
	h, _ := textproto.NewReader(bufio.NewReader(bytes.NewReader(fields))).ReadMIMEHeader()
	return h
}

var (
	validID     = regexp.MustCompile(`^<urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}>$`)
	validDigest = regexp.MustCompile(`^sha(1|256):[0-9A-Za-z]+$`)
	validURI    = regexp.MustCompile(`^https?:`)
)

// isOriginal reports whether a header is that of a response with its whole payload, as this package writes it.
func isOriginal(h textproto.MIMEHeader) bool {
	date, err := time.Parse(dateLayout, h.Get("WARC-Date"))
	url := h.Get("WARC-Target-URI")
	return h.Get("WARC-Type") == "response" && h.Get("WARC-Truncated") == "" && err == nil && formatDate(date) == h.Get("WARC-Date") &&
		validID.MatchString(h.Get("WARC-Record-ID")) && validDigest.MatchString(h.Get("WARC-Payload-Digest")) &&
		validURI.MatchString(url) && escapeURI(url) == url
}

// identical returns the header of a response with the same payload, or nil. It compares payloads by SHA-256: a site can
// make two bodies with the same SHA-1, and the second must not be lost.
func (x *index) identical(digest string, body output.Body) textproto.MIMEHeader {
	had, got := sha256.New(), sha256.New()
	h, _ := x.find(x.payloads, digest, "WARC-Payload-Digest", had)
	if !isOriginal(h) {
		return nil
	}
	if _, err := io.Copy(got, io.NewSectionReader(body, 0, body.Size())); err != nil || !bytes.Equal(had.Sum(nil), got.Sum(nil)) {
		return nil
	}
	return h
}

// find returns the header of a record and that of its HTTP message, or nil if it is missing, damaged, or its
// field has another value.
func (x *index) find(in *recent.Map[uint64, place], key, field string, payload io.Writer) (h textproto.MIMEHeader, head []byte) {
	at, known := in.Get(x.hash(key))
	if !known || x.files.flush() != nil { // the end of the write returns the error too
		return nil, nil
	}
	file, err := os.Open(filepath.Join(x.files.dir, x.names[at.file]))
	if err != nil {
		return nil, nil
	}
	defer func() { _ = file.Close() }()
	if err := x.unpack.Reset(bufio.NewReader(io.NewSectionReader(file, at.offset, math.MaxInt64-at.offset))); err != nil {
		return nil, nil
	}
	x.unpack.Multistream(false)
	if h, head, err = readRecord(&x.unpack, payload); err != nil || h.Get(field) != key {
		return nil, nil
	}
	return h, head
}

// readRecord reads the header of a record. If it has an HTTP message, it reads the head of that too, and writes the
// rest to payload, unless that is nil.
func readRecord(in io.Reader, payload io.Writer) (h textproto.MIMEHeader, head []byte, err error) {
	r := textproto.NewReader(bufio.NewReader(in))
	if _, err := r.ReadLine(); err != nil { // WARC/1.1
		return nil, nil, err
	}
	if h, err = r.ReadMIMEHeader(); err != nil {
		return nil, nil, err
	}
	if kind := h.Get("WARC-Type"); kind != "request" && kind != "response" && kind != "revisit" {
		return h, nil, nil
	}
	size, err := strconv.ParseInt(h.Get("Content-Length"), 10, 64)
	if err != nil {
		return nil, nil, err
	}
	block := bufio.NewReader(io.LimitReader(r.R, size))
	for line := []byte("-"); len(bytes.TrimRight(line, "\r\n")) > 0; head = append(head, line...) {
		if line, err = block.ReadBytes('\n'); err != nil {
			return nil, nil, err
		}
	}
	if payload != nil {
		_, err = io.Copy(payload, block)
	}
	return h, head, err
}

// newLine returns the line of a response or revisit, without its place.
func newLine(kind, url, digest string, date time.Time, head []byte) *cdxj.Line {
	l := &cdxj.Line{URL: url, Time: date, Digest: digest}
	if l.Status, l.MIME = cdxj.Head(head); kind == "revisit" {
		l.MIME = cdxj.MIMERevisit
	}
	return l
}

// scan returns the lines of the index of a file, and the length of its whole records. What follows is damaged.
func scan(file *os.File, name string) (lines []byte, whole int64, err error) {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return nil, 0, err
	}
	in, unpack := bufio.NewReaderSize(file, 1<<16), new(gzip.Reader)
	for isHead := false; ; {
		if err := unpack.Reset(in); err != nil {
			return lines, whole, nil
		}
		unpack.Multistream(false)
		h, head, err := readRecord(unpack, nil)
		if _, err := io.Copy(io.Discard, unpack); err != nil {
			return lines, whole, nil
		}
		end, seekErr := file.Seek(0, io.SeekCurrent)
		if seekErr != nil {
			return nil, 0, seekErr
		}
		end -= int64(in.Buffered()) // gzip reads no more than it unpacks
		switch kind := h.Get("WARC-Type"); {
		case kind == "request":
			isHead = isHeadRequest(head)
		case err == nil && !isHead && (kind == "response" || kind == "revisit"):
			date, _ := time.Parse(time.RFC3339, h.Get("WARC-Date"))
			l := newLine(kind, h.Get("WARC-Target-URI"), h.Get("WARC-Payload-Digest"), date, head)
			l.File, l.Offset, l.Length = name, whole, end-whole
			lines = l.AppendTo(lines)
		}
		whole = end
	}
}

// repairIndex creates the index of a file if it is missing, and returns its size.
func repairIndex(path string) (size int64, err error) {
	info, err := os.Stat(indexPath(path))
	if err == nil {
		return info.Size(), nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return 0, err
	}
	file, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	lines, _, err := scan(file, filepath.Base(path))
	if err := cmp.Or(err, file.Close()); err != nil {
		return 0, err
	}
	temp := indexPath(path) + "~"
	if err := os.WriteFile(temp, lines, 0o644); err != nil {
		return 0, err
	}
	return int64(len(lines)), durable.Rename(temp, indexPath(path))
}
