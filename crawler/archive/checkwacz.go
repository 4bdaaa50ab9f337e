package archive

import (
	"archive/zip"
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/cdxj"
)

// The limits of what is read of a WACZ into memory, and of its index.
const (
	maxDirectory = 64 << 20
	maxPackage   = 16 << 20
	maxPageLine  = 64 << 20
	maxExpansion = 64 // times the size of the file
)

var (
	errLargeDirectory = errors.New("directory of more than 64 MiB")
	errLargeIndex     = errors.New("the index is 64 times as large as the whole file")
)

// A limitedAt reads at most as many bytes as are left.
type limitedAt struct {
	io.ReaderAt
	left int
}

func (l *limitedAt) ReadAt(p []byte, at int64) (int, error) {
	if l.left -= len(p); l.left < 0 {
		return 0, errLargeDirectory
	}
	return l.ReaderAt.ReadAt(p, at)
}

// A waczChecker checks a WACZ file.
type waczChecker struct {
	*checker
	entries map[string]*zip.File
	listed  map[string]resource

	index  *checker // reports problems of the index
	lines  sorter   // of the index, after their file, offset and number
	number int      // of the last one
	last   []byte   // its key and time
	left   int64    // bytes that the index may still have

	indexIsDamaged bool
}

func (c *checker) wacz(file io.ReaderAt, size int64) (err error) {
	limited := &limitedAt{file, maxDirectory}
	z, err := zip.NewReader(limited, size)
	if unread := ioError(err); unread != nil {
		return unread
	}
	if err != nil {
		c.say(0, "damaged ZIP file: %v", err)
		return nil
	}
	limited.left = math.MaxInt // the entries are streams
	w := &waczChecker{checker: c, entries: make(map[string]*zip.File), left: maxExpansion * size}
	defer func() { err = errors.Join(err, w.lines.close()) }()
	for _, entry := range z.File {
		switch {
		case strings.HasSuffix(entry.Name, "/"):
		case w.entries[entry.Name] != nil:
			w.say(0, "two entries are named %q", entry.Name)
		default:
			w.entries[entry.Name] = entry
		}
	}
	if err := w.checkPackage(); err != nil {
		return err
	}
	return w.checkEntries()
}

// checkPackage reads datapackage.json, and checks its hash and its list.
func (w *waczChecker) checkPackage() error {
	text, err := w.small(packageFile)
	if text == nil || err != nil {
		return err
	}
	var p dataPackage
	if err := json.Unmarshal(text, &p); err != nil {
		w.say(0, "%s: %v", packageFile, err)
		return nil
	}
	if p.Profile != "data-package" && p.Profile != "wacz-package" || p.Version == "" {
		w.say(0, "%s: profile %q and wacz_version %q are not those of a WACZ", packageFile, p.Profile, p.Version)
	}
	w.listed = make(map[string]resource, len(p.Resources))
	for _, r := range p.Resources {
		if w.listed[r.Path] = r; w.entries[r.Path] == nil {
			w.say(0, "%s lists %q, which does not exist", packageFile, r.Path)
		}
	}
	if w.entries[digestFile] == nil { // it is optional
		return nil
	}
	sum := sha256.Sum256(text)
	if text, err = w.small(digestFile); text == nil || err != nil {
		return err
	}
	var d packageDigest
	if err := json.Unmarshal(text, &d); err != nil {
		w.say(0, "%s: %v", digestFile, err)
	} else if d.Path != packageFile || d.Hash != hashOf(sum[:]) {
		w.say(0, "%s: the hash of %q is %s, but %s has %s", digestFile, d.Path, d.Hash, packageFile, hashOf(sum[:]))
	}
	return nil
}

// small reads a small entry. It reports an entry that is missing or damaged, and returns nil.
func (w *waczChecker) small(name string) (text []byte, err error) {
	if w.entries[name] == nil {
		w.say(0, "no entry %q", name)
		return nil, nil
	}
	err = w.read(name, func(r io.Reader) error {
		text, err = io.ReadAll(io.LimitReader(r, maxPackage))
		return err
	})
	return text, err
}

// checkEntries checks the entries, the index before the records.
func (w *waczChecker) checkEntries() error {
	names := slices.SortedFunc(maps.Keys(w.entries), func(a, b string) int {
		return cmp.Or(cmp.Compare(path.Base(a), path.Base(b)), cmp.Compare(a, b))
	})
	isWARC := func(name string) bool { return strings.HasPrefix(name, archiveDir) }
	for _, name := range names {
		if isWARC(name) || name == packageFile || name == digestFile {
			continue
		}
		if err := w.read(name, w.readerOf(name)); err != nil {
			return err
		}
	}
	var i *index
	switch {
	case w.indexIsDamaged:
	case w.index == nil:
		w.say(0, "no index")
	default:
		i = newIndex(w.index, w.sorted())
		defer i.stop()
	}
	for _, name := range names {
		if !isWARC(name) {
			continue
		}
		if err := w.read(name, func(r io.Reader) error { return w.warc(r, i, path.Base(name)) }); err != nil {
			return err
		}
	}
	return nil
}

// readerOf returns what reads an entry that is not a WARC file, or nil if only its hash counts.
func (w *waczChecker) readerOf(name string) func(io.Reader) error {
	dir, ext := path.Dir(name)+"/", path.Ext(name)
	if dir == "pages/" && ext == ".jsonl" {
		return w.pages
	}
	if dir != indexDir || ext == ".idx" {
		return nil
	}
	w.index = &checker{file: w.file, entry: name, report: w.report}
	if ext == ".gz" {
		return w.blocks
	}
	return w.addLines
}

// read reads an entry, and compares its size and its hash with those of datapackage.json. It reports other errors
// than those of the file.
func (w *waczChecker) read(name string, use func(io.Reader) error) error {
	w.entry = name
	defer func() { w.entry = "" }()
	entry, sum := w.entries[name], sha256.New()
	if entry.Method != zip.Store && path.Ext(name) == ".gz" {
		w.say(0, "compressed in the ZIP file, so that players cannot read parts of it")
	}
	r, err := entry.Open()
	if err == nil {
		whole := io.TeeReader(r, sum)
		if use != nil {
			err = use(whole)
		}
		if err == nil {
			_, err = io.Copy(io.Discard, whole)
		}
		_ = r.Close() // of a reader
	}
	if err != nil {
		if unread := ioError(err); unread != nil {
			return unread
		}
		w.say(0, "%v", err)
		w.indexIsDamaged = w.indexIsDamaged || path.Dir(name)+"/" == indexDir
		return nil
	}
	switch listed, ok := w.listed[name]; {
	case w.listed == nil || name == digestFile:
	case !ok && name != packageFile:
		w.say(0, "%s does not list it", packageFile)
	case ok && listed.Bytes != int64(entry.UncompressedSize64): //nolint:gosec // not beyond the size of a file
		w.say(0, "%s says %d bytes, but it has %d", packageFile, listed.Bytes, entry.UncompressedSize64)
	case ok && listed.Hash != hashOf(sum.Sum(nil)):
		w.say(0, "%s says %s, but it has %s", packageFile, listed.Hash, hashOf(sum.Sum(nil)))
	}
	return nil
}

// pages checks a list of pages.
func (w *waczChecker) pages(r io.Reader) error {
	number := 0
	for text, err := range readLines(r, maxPageLine) {
		if err != nil {
			return err
		}
		number++
		var page struct {
			Format string    `json:"format"`
			URL    string    `json:"url"`
			TS     time.Time `json:"ts"`
		}
		switch err := json.Unmarshal(text, &page); {
		case err != nil:
			w.say(number, "%v", err)
		case number == 1 && page.Format != pagesFormat:
			w.say(number, "format is %q instead of %q", page.Format, pagesFormat)
		case number > 1 && (page.URL == "" || page.TS.IsZero()):
			w.say(number, "page without url or ts")
		}
	}
	return nil
}

// addLines adds the lines of an index.
func (w *waczChecker) addLines(r io.Reader) error {
	for text, err := range readLines(r, maxLine) {
		if err == nil {
			err = w.addLine(text)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *waczChecker) addLine(text []byte) error {
	w.number++
	if w.left -= int64(len(text)); w.left < 0 {
		return errLargeIndex
	}
	start := text
	if at := bytes.IndexByte(text, '{'); at >= 0 {
		start = text[:at]
	}
	if bytes.Compare(start, w.last) < 0 {
		w.say(w.number, "the lines are not sorted: %q follows %q", start, w.last)
	}
	w.last = append(w.last[:0], start...)
	line, err := cdxj.Parse(text)
	switch {
	case err != nil:
		w.say(w.number, "%v", err)
		return nil
	case w.entries[archiveDir+line.File] == nil:
		w.say(w.number, "no entry %q", archiveDir+line.File)
		return nil
	}
	return w.lines.add(fmt.Appendf(nil, "%s\x00%020d\x00%d\x00%s", line.File, line.Offset, w.number, text))
}

// sorted yields the lines of the index in the order of the records.
func (w *waczChecker) sorted() iter.Seq2[*indexLine, error] {
	return func(yield func(*indexLine, error) bool) {
		for text, err := range w.lines.all() {
			if err != nil {
				yield(nil, err)
				return
			}
			parts := bytes.SplitN(text, []byte{0}, 4)
			line, _ := parseLine(parts[3]) // addLine has parsed it
			line.number, _ = strconv.Atoi(string(parts[2]))
			if !yield(line, nil) {
				return
			}
		}
	}
}

// blocks adds the lines of a compressed index, and compares its blocks with the file that lists them.
func (w *waczChecker) blocks(r io.Reader) error {
	name := strings.TrimSuffix(strings.TrimSuffix(w.entry, ".gz"), ".cdx") + ".idx"
	next, stop := iter.Pull(w.blockLines(name))
	defer stop()
	for in := newMembers(r); ; {
		err := in.next()
		b, ok := next()
		if errors.Is(err, io.EOF) {
			if ok {
				w.say(0, "%s lists a block at byte %d, which does not exist", name, b.Offset)
			}
			return nil
		}
		if err != nil {
			return err
		}
		before := w.number
		first, unzipped := "", bufio.NewReader(&in.member)
		if start, err := unzipped.Peek(len(b.key)); err == nil {
			first = string(start)
		}
		if err := w.addLines(unzipped); err != nil {
			return err
		}
		length, err := in.end()
		if err != nil {
			return err
		}
		if !ok || b.Offset != in.offset || b.Length != length || b.key != first {
			w.say(before+1, "%s does not list the block of %d bytes at byte %d that starts with this line", name, length, in.offset)
		}
	}
}

// A listedBlock is a block, and the key and time of its first line.
type listedBlock struct {
	block
	key string
}

// blockLines yields the lines of a list of blocks.
func (w *waczChecker) blockLines(name string) iter.Seq[listedBlock] {
	return func(yield func(listedBlock) bool) {
		entry := w.entries[name]
		if entry == nil {
			return
		}
		r, err := entry.Open()
		if err != nil { // read reports it
			return
		}
		defer func() { _ = r.Close() }()
		for text, err := range readLines(r, maxLine) {
			key, object, _ := strings.Cut(string(text), " {")
			b := listedBlock{key: key}
			if err != nil || strings.HasPrefix(key, "!meta") {
				continue
			}
			if err := json.Unmarshal([]byte("{"+object), &b.block); err != nil {
				w.say(0, "%s: %v", name, err)
			}
			if !yield(b) {
				return
			}
		}
	}
}
