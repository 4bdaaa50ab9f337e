package output

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"os"
	"path/filepath"
	"unicode/utf8"

	"github.com/politecrawl/politecrawl/crawler/output/internal/whole"
	"github.com/politecrawl/politecrawl/crawler/output/jsontext"
)

// Lengths says how much of the files of a directory counts, in bytes. A crawl
// keeps it with its frontier, so that both agree after its process was killed.
type Lengths struct {
	Pages    int64 `json:"pages"`
	Rejected int64 `json:"rejected"`
	Sitemaps int64 `json:"sitemaps"`
	Links    int64 `json:"links"`
	Entries  int64 `json:"entries"`
	Robots   int64 `json:"robots_lines"` // all of it counts, however long it is: it shows what is lost
}

// Files returns the lengths by the names of the files.
func (l Lengths) Files() map[string]int64 {
	files := map[string]int64{RobotsFile: l.Robots}
	for kind, name := range fileNames {
		files[name] = l.of(kind)
	}
	return files
}

func (l Lengths) of(kind int) int64 {
	return [kinds]int64{l.Pages, l.Rejected, l.Sitemaps, l.Links, l.Entries}[kind]
}

// A Batch is what is to be written together. The zero Batch is empty. What is added
// to it must not change until it is written.
type Batch struct {
	lines [kinds][]byte
	found Found
}

// Page adds a line to pages.jsonl.
func (b *Batch) Page(p *Page) error {
	b.found.Pages = append(b.found.Pages, p)
	return b.add(pages, p)
}

// Reject adds a line to rejected.jsonl.
func (b *Batch) Reject(r *Rejection) error {
	b.found.Rejected = append(b.found.Rejected, r)
	return b.add(rejected, r)
}

// Sitemap adds a line to sitemaps.jsonl.
func (b *Batch) Sitemap(s *Sitemap) error {
	b.found.Sitemaps = append(b.found.Sitemaps, s)
	return b.add(sitemaps, s)
}

// Links adds a line to links.jsonl.
func (b *Batch) Links(l *Links) error {
	b.found.Links = append(b.found.Links, l)
	return b.add(links, l)
}

// Entry adds a line to entries.jsonl.
func (b *Batch) Entry(e *Entry) error {
	b.found.Entries = append(b.found.Entries, e)
	return b.add(entries, e)
}

// Loose adds what stands in no file of lines: it is for sinks alone.
func (b *Batch) Loose(f *Found) { b.found.join(f) }

// Join adds what is in another batch.
func (b *Batch) Join(other *Batch) {
	for kind, lines := range other.lines {
		b.lines[kind] = append(b.lines[kind], lines...)
	}
	b.found.join(&other.found)
}

// Found returns what is in the batch, for a [Sink].
func (b *Batch) Found() *Found { return &b.found }

// PageLines returns the lines of pages.jsonl in the batch, until the next call that
// changes it.
func (b *Batch) PageLines() []byte { return b.lines[pages] }

// Reset empties the batch and keeps its memory.
func (b *Batch) Reset() {
	for kind := range b.lines {
		b.lines[kind] = b.lines[kind][:0]
	}
	b.found.reset()
}

func (b *Batch) add(kind int, v any) error {
	line, err := Line(b.lines[kind], v)
	if err != nil {
		return err
	}
	b.lines[kind] = line
	return nil
}

// Line appends v as one line of JSON.
func Line(dst []byte, v any) ([]byte, error) {
	buf := bytes.NewBuffer(dst)
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false) // a URL with & should read like one
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	text := buf.Bytes()
	if tame := jsontext.Tame(text[len(dst):]); len(tame) > len(text)-len(dst) {
		return append(text[:len(dst)], tame...), nil
	}
	return text, nil
}

// Pages reads the lines of pages.jsonl in a directory of a crawl, in the order in
// which they were written. An error ends it; a [*DamagedError] comes after all lines that
// can be read.
func Pages(path string) iter.Seq2[*Page, error] {
	return Read[Page](filepath.Join(path, PagesFile))
}

// Rejections reads the lines of rejected.jsonl like Pages.
func Rejections(path string) iter.Seq2[*Rejection, error] {
	return Read[Rejection](filepath.Join(path, RejectedFile))
}

// Sitemaps reads the lines of sitemaps.jsonl like Pages.
func Sitemaps(path string) iter.Seq2[*Sitemap, error] {
	return Read[Sitemap](filepath.Join(path, SitemapsFile))
}

// AllLinks reads the lines of links.jsonl like Pages.
func AllLinks(path string) iter.Seq2[*Links, error] {
	return Read[Links](filepath.Join(path, LinksFile))
}

// Read reads a file of JSON lines like Pages.
func Read[T any](name string) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		err := Each(name, func(_ int64, v *T) error {
			if !yield(v, nil) {
				return errStop
			}
			return nil
		})
		if err != nil && !errors.Is(err, errStop) {
			yield(nil, err)
		}
	}
}

var errStop = errors.New("stop")

// Each calls f for each line of a file of JSON lines that was whole when it was
// called, with where the line begins, until f fails. It passes over lines that cannot be
// read; when all others have been read, the error is a [*DamagedError] that names them.
func Each[T any](name string, f func(at int64, v *T) error) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	r := bufio.NewReaderSize(io.LimitReader(file, info.Size()), 1<<16)
	damage := &DamagedError{File: name}
	var line []byte
	for at, number := int64(0), 1; err == nil; at, number = at+int64(len(line)), number+1 {
		line, err = readLine(r, line[:0])
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		v := new(T)
		found, why := decode(line, err == nil, v)
		if found {
			failed := f(at, v)
			if bad, ok := errors.AsType[*badLine](failed); ok {
				why = bad.error
			} else if failed != nil {
				return failed
			}
		}
		if why != nil {
			damage.add(number, why)
		}
	}
	if len(damage.Lines) > 0 {
		return damage
	}
	return nil
}

// readLine appends the next line to buf, with its end.
func readLine(r *bufio.Reader, buf []byte) ([]byte, error) {
	for {
		part, err := r.ReadSlice('\n')
		buf = append(buf, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return buf, err
		}
	}
}

// decode reads a line, and tells whether it found something: there is nothing in an empty
// line, nor in one without an end that is being written.
func decode(line []byte, ended bool, v any) (found bool, err error) {
	if len(bytes.TrimSpace(line)) == 0 {
		return false, nil
	}
	if ended {
		err = unmarshal(line, v)
		return err == nil, err
	}
	var value json.RawMessage
	if err = json.NewDecoder(bytes.NewReader(line)).Decode(&value); errors.Is(err, io.ErrUnexpectedEOF) {
		return false, nil
	}
	if err == nil {
		err = unmarshal(value, v)
	}
	return err == nil, err
}

// ErrNotUTF8 says that a JSON text is damaged: all that a crawl writes is UTF-8.
var ErrNotUTF8 = errors.New("not UTF-8")

// unmarshal is json.Unmarshal, which would read octets that are not UTF-8 as U+FFFD: a
// damaged line would name another URL, or lose a field, and nobody would know.
func unmarshal(text []byte, v any) error {
	if !utf8.Valid(text) {
		return ErrNotUTF8
	}
	return json.Unmarshal(text, v)
}

// lines is a file of JSON lines that grows.
type lines struct {
	file   *os.File
	length int64
}

// openLines opens a file to append to it, and cuts off what lies beyond the bytes
// that count.
func openLines(path string, counted int64) (*lines, error) {
	if err := noLink(path); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	l := &lines{file: file}
	if err := l.cut(counted); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return l, nil
}

// cut shortens the file to the bytes that count, and to whole lines: what is written next
// would become part of a line that has no end.
func (l *lines) cut(counted int64) error {
	info, err := l.file.Stat()
	if err != nil {
		return err
	}
	if l.length, err = whole.Lines(l.file, min(info.Size(), counted)); err != nil {
		return err
	}
	if l.length == info.Size() {
		return nil
	}
	return l.file.Truncate(l.length)
}

func (l *lines) append(text []byte) error {
	if len(text) == 0 {
		return nil
	}
	if _, err := l.file.Write(text); err != nil {
		// What was written of it goes, so that what comes later is not torn.
		return errors.Join(err, l.file.Truncate(l.length))
	}
	l.length += int64(len(text))
	return nil
}

func (l *lines) close() error {
	return l.file.Close()
}
