package warc

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"hash/maphash"
	"io"
	"io/fs"
	"math"
	"net/textproto"
	"os"
	"path/filepath"
	"slices"

	"github.com/politecrawl/politecrawl/crawler/internal/cdxj"
	"github.com/politecrawl/politecrawl/crawler/internal/durable"
	"github.com/politecrawl/politecrawl/crawler/internal/warcreader"
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
	left := int64(maxLoaded)
	for i, name := range slices.Backward(names) {
		size, _, err := repairIndex(filepath.Join(f.dir, name), 0)
		if err != nil {
			return nil, err
		}
		if left -= size; left < 0 {
			names = names[i+1:]
			break
		}
	}
	for _, name := range names {
		if err := x.load(name); err != nil {
			return nil, err
		}
	}
	return x, nil
}

// load adds the records in the index of a file. It skips lines that are damaged.
func (x *index) load(name string) error {
	file, err := os.Open(indexPath(filepath.Join(x.files.dir, name)))
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	lines := bufio.NewScanner(file)
	for lines.Buffer(nil, 1<<20); lines.Scan(); {
		if line, err := cdxj.Parse(lines.Bytes()); err == nil {
			line.File = name
			x.add(&line)
		}
	}
	return nil // what cannot be read costs references, and no payload
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
	rec := x.find(x.urls, url, "WARC-Target-URI", io.Discard)
	for condition, validator := range map[string]string{"If-None-Match": "ETag", "If-Modified-Since": "Last-Modified"} {
		requested, archived := cdxj.Field(request, condition), cdxj.Field(rec.Head, validator)
		if requested != "" && archived != "" && requested != archived {
			return nil
		}
	}
	if original := rec.Fields.Get("WARC-Refers-To"); original != "" {
		if rec = x.find(x.payloads, rec.Line.Digest, "WARC-Payload-Digest", io.Discard); rec.Line.RecordID != original {
			return nil
		}
	}
	return original(rec)
}

// original returns the header of a record, or nil unless it is a response with its whole payload.
func original(rec *warcreader.Record) textproto.MIMEHeader {
	if rec.Kind != "response" || rec.Fields.Get("WARC-Truncated") != "" {
		return nil
	}
	return rec.Fields
}

// identical returns the header of a response with the same payload, or nil. It compares payloads by SHA-256: a site can
// make two bodies with the same SHA-1, and the second must not be lost.
func (x *index) identical(digest string, body output.Body) textproto.MIMEHeader {
	archived, received := sha256.New(), sha256.New()
	rec := x.find(x.payloads, digest, "WARC-Payload-Digest", archived)
	if original(rec) == nil {
		return nil
	}
	if err := x.files.copyBody(received, body); err != nil || !bytes.Equal(archived.Sum(nil), received.Sum(nil)) {
		return nil
	}
	return rec.Fields
}

// find returns a record, and writes its payload. The record is empty if it is missing or damaged, or
// its field has another value than the key.
func (x *index) find(in *recent.Map[uint64, place], key, field string, payload io.Writer) *warcreader.Record {
	none := new(warcreader.Record)
	at, known := in.Get(x.hash(key))
	if !known || x.files.flush() != nil { // the end of the write returns the error too
		return none
	}
	file, err := os.Open(filepath.Join(x.files.dir, x.names[at.file]))
	if err != nil {
		return none
	}
	defer func() { _ = file.Close() }()
	rec, err := warcreader.New(io.NewSectionReader(file, at.offset, math.MaxInt64-at.offset)).Next(payload)
	if err != nil || len(rec.Problems) > 0 || rec.Fields.Get(field) != key {
		return none
	}
	return rec
}

// repairIndex returns the size of the index of a file. If it is missing or shorter, it writes it again, and returns
// the length of the whole records of the file.
func repairIndex(path string, shortest int64) (size, whole int64, err error) {
	info, err := os.Stat(indexPath(path))
	if err == nil && info.Size() >= shortest {
		return info.Size(), 0, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, 0, err
	}
	file, err := os.Open(path)
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = file.Close() }()
	var lines []byte
	for in := warcreader.New(file); ; {
		rec, err := in.Next(io.Discard)
		if err != nil { // the end, or the rest is damaged
			break
		}
		if rec.Capture {
			rec.Line.File, rec.Line.RecordID = filepath.Base(path), ""
			lines = rec.Line.AppendTo(lines)
		}
		whole = rec.Line.Offset + rec.Line.Length
	}
	temp := indexPath(path) + "~"
	if err := os.WriteFile(temp, lines, 0o644); err != nil {
		return 0, 0, err
	}
	return int64(len(lines)), whole, durable.Rename(temp, indexPath(path))
}
