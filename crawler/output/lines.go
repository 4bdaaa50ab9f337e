package output

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"

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
		return nil, fmt.Errorf("output: %w", err)
	}
	text := buf.Bytes()
	if tame := jsontext.Tame(text[len(dst):]); len(tame) > len(text)-len(dst) {
		return append(text[:len(dst)], tame...), nil
	}
	return text, nil
}

// Pages reads the lines of pages.jsonl in a directory of a crawl, in the order in
// which they were written. An error ends it.
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

// Read reads a file of JSON lines. An error ends it.
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
// called, with where the line begins, until f fails.
func Each[T any](name string, f func(at int64, v *T) error) error {
	file, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("output: %w", err)
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("output: %w", err)
	}
	dec := json.NewDecoder(bufio.NewReaderSize(io.LimitReader(file, info.Size()), 1<<16))
	for at := int64(0); ; at = dec.InputOffset() + 1 { // after the line end
		v := new(T)
		err := dec.Decode(v)
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF): // the second: it is being written
			return nil
		case err != nil:
			return Damaged(name, at, err)
		}
		if err := f(at, v); err != nil {
			return err
		}
	}
}

// Damaged returns err, which says what is wrong with the line of a file of JSON lines that
// begins at a byte, with the name of the file and the number of the line.
func Damaged(name string, at int64, err error) error {
	file, unread := os.Open(name)
	if unread != nil {
		return fmt.Errorf("output: %q: %w", name, err)
	}
	defer func() { _ = file.Close() }()
	return fmt.Errorf("output: %q, line %d: %w", name, lineAt(file, at), err)
}

// lineAt returns the number, from 1, of the line in which a value begins at a byte or
// later: space may be before it.
func lineAt(file io.Reader, at int64) int {
	r, number := bufio.NewReader(file), 1
	for ; ; at-- {
		c, err := r.ReadByte()
		switch {
		case err != nil || at <= 0 && !strings.ContainsRune(" \t\r\n", rune(c)):
			return number
		case c == '\n':
			number++
		}
	}
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
		return nil, fmt.Errorf("output: %w", err)
	}
	l := &lines{file: file}
	if err := l.cut(counted); err != nil {
		return nil, errors.Join(fmt.Errorf("output: %w", err), file.Close())
	}
	return l, nil
}

// cut shortens the file to the bytes that count. Where it is shorter already, its
// last line is cut unless it is whole.
func (l *lines) cut(counted int64) error {
	info, err := l.file.Stat()
	if err != nil {
		return err
	}
	l.length = min(info.Size(), counted)
	if info.Size() < counted {
		if l.length, err = whole.Lines(l.file, l.length); err != nil {
			return err
		}
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
		return fmt.Errorf("output: %w", errors.Join(err, l.file.Truncate(l.length)))
	}
	l.length += int64(len(text))
	return nil
}

func (l *lines) close() error {
	if err := l.file.Close(); err != nil {
		return fmt.Errorf("output: %w", err)
	}
	return nil
}
