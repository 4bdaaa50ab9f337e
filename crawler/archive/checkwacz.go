package archive

import (
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"math"
	"path"
	"slices"
	"strings"
)

// The limits of what is read of a WACZ into memory, and of its index.
const (
	maxDirectory = 64 << 20
	maxPackage   = 16 << 20
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

// ReadAt reads, unless that is too much.
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
	listed  map[string]resource // nil if datapackage.json cannot be read
	last    []byte              // key and time of the last line of the index
	left    int64               // bytes that the index may still have
}

func (c *checker) wacz(file io.ReaderAt, size int64) (err error) {
	limited := &limitedAt{file, maxDirectory}
	z, err := zip.NewReader(limited, size)
	if err != nil {
		c.say(0, "damaged ZIP file: %v", err)
		return ioError(err)
	}
	limited.left = math.MaxInt // the entries are streams
	w := &waczChecker{checker: c, entries: make(map[string]*zip.File), left: maxExpansion * size}
	for _, entry := range z.File {
		if w.entries[entry.Name] != nil {
			w.say(0, "two entries are named %q", entry.Name)
		}
		if !strings.HasSuffix(entry.Name, "/") {
			w.entries[entry.Name] = entry
		}
	}
	defer func() {
		if w.index != nil {
			err = errors.Join(err, w.index.lines.close())
		}
	}()
	return cmp.Or(w.checkPackage(), w.checkEntries())
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

// checkEntries checks the entries, and then compares the index with the records.
func (w *waczChecker) checkEntries() error {
	names := slices.Sorted(maps.Keys(w.entries))
	for _, name := range names {
		if path.Dir(name)+"/" == indexDir && path.Ext(name) != ".idx" {
			w.index = &index{checker: checker{file: w.file, entry: name, report: w.report}, dir: archiveDir}
		}
	}
	if w.index == nil {
		w.say(0, "no index")
	}
	for _, name := range names {
		var use func(io.Reader) error
		switch dir, ext := path.Dir(name)+"/", path.Ext(name); {
		case name == packageFile, name == digestFile:
			continue
		case strings.HasPrefix(name, archiveDir):
			use = func(r io.Reader) error { return w.warc(r, path.Base(name)) }
		case dir == indexDir && ext == ".idx":
			use = w.blocks
		case dir == indexDir && ext == ".gz":
			use = w.addBlocks
		case dir == indexDir:
			use = w.addLines
		}
		w.last = nil
		if err := w.read(name, use); err != nil {
			return err
		}
	}
	return w.index.compare(w.checker)
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
		if w.index != nil && path.Dir(name)+"/" == indexDir {
			w.index.isDamaged = true
		}
		return nil
	}
	switch listed, ok := w.listed[name]; {
	case w.listed == nil || name == digestFile:
	case !ok && name != packageFile:
		w.say(0, "%s does not list it", packageFile)
	case ok && listed.Bytes != int64(entry.UncompressedSize64):
		w.say(0, "%s says %d bytes, but it has %d", packageFile, listed.Bytes, entry.UncompressedSize64)
	case ok && listed.Hash != hashOf(sum.Sum(nil)):
		w.say(0, "%s says %s, but it has %s", packageFile, listed.Hash, hashOf(sum.Sum(nil)))
	}
	return nil
}

// addLines adds the lines of the index.
func (w *waczChecker) addLines(r io.Reader) error {
	lines := newScanner(r, maxLine)
	for lines.Scan() {
		line := lines.Bytes()
		if w.left -= int64(len(line)); w.left < 0 {
			return errLargeIndex
		}
		if err := w.index.add(line); err != nil {
			return err
		}
		start := startOf(line)
		if bytes.Compare(start, w.last) < 0 {
			w.say(w.index.number, "the lines are not sorted: %q follows %q", start, w.last)
		}
		w.last = append(w.last[:0], start...)
	}
	return lines.Err()
}

// startOf returns the key and the time of a line, up to its JSON.
func startOf(line []byte) []byte {
	start, _, _ := bytes.Cut(line, []byte("{"))
	return start
}

// addBlocks adds the lines of a compressed index.
func (w *waczChecker) addBlocks(r io.Reader) error {
	if w.entries[strings.TrimSuffix(w.entry, ".cdx.gz")+".idx"] == nil {
		w.say(0, "no file .idx lists its blocks")
	}
	z, err := gzip.NewReader(r)
	if errors.Is(err, io.EOF) { // an index without blocks
		return nil
	}
	if err != nil {
		return err
	}
	return w.addLines(z)
}

// blocks checks a list of blocks: each is a part of the index, and starts with the key that is listed.
func (w *waczChecker) blocks(r io.Reader) error {
	lines, end, size := newScanner(r, maxLine), int64(0), int64(0)
	for number := 1; lines.Scan(); number++ {
		start := startOf(lines.Bytes())
		if bytes.HasPrefix(start, []byte("!meta")) {
			continue
		}
		var b block
		if err := json.Unmarshal(lines.Bytes()[len(start):], &b); err != nil {
			w.say(number, "%v", err)
			return nil
		}
		entry := w.entries[indexDir+cmp.Or(b.File, indexFile)]
		if entry == nil {
			w.say(number, "no entry %q", indexDir+b.File)
			return nil
		}
		raw, err := entry.OpenRaw()
		if err != nil {
			return err
		}
		first, n := make([]byte, len(start)), 0
		if at, ok := raw.(io.ReaderAt); ok {
			if z, err := gzip.NewReader(io.NewSectionReader(at, b.Offset, b.Length)); err == nil {
				n, _ = io.ReadFull(z, first)
			}
		}
		if b.Offset != end {
			w.say(number, "the block is at byte %d, but the block before ends at byte %d", b.Offset, end)
		}
		if !bytes.Equal(first[:n], start) {
			w.say(number, "the block starts with %q instead of %q", first[:n], start)
		}
		end, size = b.Offset+b.Length, int64(entry.UncompressedSize64)
	}
	if end != size {
		w.say(0, "the last block ends at byte %d, but the index at byte %d", end, size)
	}
	return lines.Err()
}
