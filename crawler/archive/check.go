package archive

import (
	"archive/zip"
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/cdxj"
	"github.com/politecrawl/politecrawl/crawler/internal/warcreader"
)

// A Problem is something that is wrong with a file.
type Problem struct {
	File     string `json:"file"`
	Entry    string `json:"entry,omitempty"`     // the file in a WACZ
	Offset   *int64 `json:"offset,omitempty"`    // of a record
	Line     int    `json:"line,omitempty"`      // of an index, from 1
	RecordID string `json:"record_id,omitempty"` // WARC-Record-ID
	Error    string `json:"error"`
}

// String returns the problem as text: where, and what.
func (p *Problem) String() string {
	parts := []string{p.File, p.Entry, "", p.RecordID, p.Error}
	if p.Offset != nil {
		parts[2] = fmt.Sprintf("byte %d", *p.Offset)
	} else if p.Line > 0 {
		parts[2] = fmt.Sprintf("line %d", p.Line)
	}
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), ": ")
}

// Check checks a WARC file (.warc.gz), with the index beside it, or a WACZ file: framing, fields, digests and index.
// It calls report for each problem, and returns the number of records. It takes about 500 bytes of memory for each
// record, however large that is.
func Check(name string, report func(*Problem)) (records int, err error) {
	file, err := os.Open(name)
	if err != nil {
		return 0, err
	}
	defer func() { _ = file.Close() }()
	size, err := file.Seek(0, io.SeekEnd)
	c := &checker{file: name, found: report, index: make(map[string]*record)}
	switch base, isWARC := strings.CutSuffix(name, ".warc.gz"); {
	case isWARC:
		c.warc(io.NewSectionReader(file, 0, size), filepath.Base(name))
		c.file = base + cdxj.Extension
		index, noIndex := os.ReadFile(c.file)
		c.lines(bytes.NewReader(index))
		if c.file = name; noIndex == nil {
			c.missing()
		} else if !errors.Is(noIndex, fs.ErrNotExist) {
			err = noIndex
		}
	case strings.HasSuffix(name, ".wacz"):
		c.wacz(file, size)
	default:
		err = fmt.Errorf("%q: neither .wacz nor .warc.gz", name)
	}
	return c.records, err
}

// A checker checks a file.
type checker struct {
	file    string
	entry   string // in a WACZ
	found   func(*Problem)
	records int
	all     []*record
	index   map[string]*record // those that no line was about, by placeOf their lines
	partly  bool               // not all was read, so that missing records or lines are no problem
}

// A record is a record that was read, without what only checks of itself need.
type record struct {
	*warcreader.Record
	entry string // of a WACZ, which has it
}

// isNeeded reports whether an index must have a line for a record. Players show those of a 304 as empty pages.
func isNeeded(rec *warcreader.Record) bool {
	return rec.Capture && rec.Line.Status != http.StatusNotModified
}

// placeOf returns the place of a record as a key.
func placeOf(line *cdxj.Line) string { return fmt.Sprint(line.File, line.Offset) }

// report reports a problem at a line, or 0.
func (c *checker) report(line int, format string, args ...any) {
	c.found(&Problem{File: c.file, Entry: c.entry, Line: line, Error: fmt.Sprintf(format, args...)})
}

// reportRecord reports a problem of a record.
func (c *checker) reportRecord(rec *record, problem string) {
	c.found(&Problem{File: c.file, Entry: rec.entry, Offset: &rec.Line.Offset, RecordID: rec.Line.RecordID, Error: problem})
}

// warc checks a WARC file.
func (c *checker) warc(r io.Reader, name string) {
	for in := warcreader.New(r); ; c.records++ {
		next, err := in.Next(io.Discard)
		rec := &record{next, c.entry}
		switch {
		case err == io.EOF:
			if next.Line.Offset == 0 {
				c.reportRecord(rec, "no records")
			}
			return
		case err != nil:
			c.partly = true
			c.reportRecord(rec, fmt.Sprintf("damaged gzip member: %v; the rest of the file is not checked", err))
			return
		}
		for _, problem := range rec.Problems {
			c.reportRecord(rec, problem)
		}
		rec.Line.File, rec.Fields, rec.Head, rec.Problems = name, nil, nil, nil
		c.all, c.index[placeOf(&rec.Line)] = append(c.all, rec), rec
	}
}

// lines checks the lines of an index, and forgets the records that they are about.
func (c *checker) lines(r io.Reader) {
	var err error
	if path.Ext(c.entry) == ".gz" {
		r, err = gzip.NewReader(r)
	}
	before, lines := "", bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for number := 1; err == nil && lines.Scan(); number++ {
		text := lines.Text()
		line, err := cdxj.Parse(lines.Bytes())
		switch rec := c.index[placeOf(&line)]; {
		case err != nil:
			c.report(number, "%v", err)
		case rec == nil && !c.partly:
			c.report(number, "no record of its own starts there: %s", text)
		case rec != nil && !agree(text, &line, &rec.Line):
			c.report(number, "%s should be %s", text, bytes.TrimSpace(rec.Line.AppendTo(nil)))
		}
		delete(c.index, placeOf(&line))
		start, _, _ := strings.Cut(text, "{")
		if c.entry != "" && start < before {
			c.report(number, "the lines are not sorted: %q follows %q", start, before)
		}
		before = start
	}
	if err = cmp.Or(err, lines.Err()); err != nil {
		c.report(0, "%v", err)
		c.partly = true
	}
}

// agree reports whether a line says what its record says. Lines of other tools leave out fields.
func agree(text string, line, rec *cdxj.Line) bool {
	key, _, _ := strings.Cut(text, " ")
	return (strings.HasPrefix(text, cdxj.SURT(rec.URL)+" ") || strings.Contains(key, "__wb_method=")) && line.URL == rec.URL && // of POST
		(line.Time.Equal(rec.Time) || line.Time.Equal(rec.Time.Truncate(time.Second))) && line.Length == rec.Length &&
		(line.Status == 0 || line.Status == rec.Status) && (line.MIME == "" || line.MIME == rec.MIME) &&
		(line.Digest == "" || line.Digest == rec.Digest || strings.HasSuffix(rec.Digest, ":"+line.Digest)) &&
		(line.RecordID == "" || line.RecordID == rec.RecordID)
}

// missing reports the records that have no line, though they need one.
func (c *checker) missing() {
	for _, rec := range c.all {
		if isNeeded(rec.Record) && !c.partly && c.index[placeOf(&rec.Line)] != nil {
			c.reportRecord(rec, "the index has no line for this record")
		}
	}
}

// wacz checks a WACZ file.
func (c *checker) wacz(file io.ReaderAt, size int64) {
	z, err := zip.NewReader(file, size)
	if err != nil {
		c.report(0, "damaged ZIP file: %v", err)
		return
	}
	var pkg dataPackage
	var digest resource
	found, hasIndex := make(map[string]string), false
	slices.SortFunc(z.File, func(a, b *zip.File) int { return strings.Compare(a.Name, b.Name) }) // WARC files before indexes
	for _, entry := range z.File {
		c.entry = entry.Name
		dir, name := path.Split(entry.Name)
		if name == "" {
			continue // a folder
		}
		if entry.Method != zip.Store && path.Ext(name) == ".gz" {
			c.report(0, "compressed in the ZIP file, so that players cannot read parts of it")
		}
		sum := sha256.New()
		r, err := entry.Open()
		if err == nil {
			whole := io.TeeReader(r, sum)
			switch {
			case entry.Name == packageFile:
				_ = json.NewDecoder(io.LimitReader(whole, 16<<20)).Decode(&pkg) // compare reports what is missing
			case entry.Name == digestFile:
				_ = json.NewDecoder(io.LimitReader(whole, 16<<20)).Decode(&digest)
			case strings.HasPrefix(dir, archiveDir):
				c.warc(whole, name)
			case dir == indexDir && path.Ext(name) != ".idx":
				hasIndex = true
				c.lines(whole)
			}
			_, err = io.Copy(io.Discard, whole)
			_ = r.Close() // of a reader
		}
		if err != nil {
			c.report(0, "%v", err)
			c.partly = true
		}
		found[entry.Name] = sizeAndHash(int64(entry.UncompressedSize64), hashOf(sum))
	}
	if c.entry = ""; !hasIndex {
		c.report(0, "no index")
		c.partly = true
	}
	c.missing()
	c.compare(&pkg, &digest, found)
}

func sizeAndHash(size int64, hash string) string { return fmt.Sprintf("%d bytes, %s", size, hash) }

// compare compares the entries that were found with datapackage.json, and that with its digest.
func (c *checker) compare(pkg *dataPackage, digest *resource, found map[string]string) {
	if pkg.Profile != "data-package" && pkg.Profile != "wacz-package" || pkg.Version == "" {
		c.report(0, "no %s with the profile and wacz_version of a WACZ", packageFile)
		return
	}
	if found[digestFile] != "" && !strings.HasSuffix(found[packageFile], ", "+digest.Hash) {
		c.report(0, "%s says %q, but %s has %s", digestFile, digest.Hash, packageFile, found[packageFile])
	}
	delete(found, packageFile)
	delete(found, digestFile)
	for _, r := range pkg.Resources {
		c.entry = r.Path
		if want, got := sizeAndHash(r.Bytes, r.Hash), found[r.Path]; got != want {
			c.report(0, "%s lists %s; found %s", packageFile, want, cmp.Or(got, "no entry"))
		}
		delete(found, r.Path)
	}
	for _, c.entry = range slices.Sorted(maps.Keys(found)) {
		c.report(0, "%s does not list it", packageFile)
	}
}
