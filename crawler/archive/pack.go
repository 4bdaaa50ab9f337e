package archive

import (
	"archive/zip"
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"html"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler/extract"
	"github.com/politecrawl/politecrawl/crawler/internal/cdxj"
	"github.com/politecrawl/politecrawl/crawler/internal/durable"
	"github.com/politecrawl/politecrawl/crawler/internal/fetch"
	"github.com/politecrawl/politecrawl/crawler/internal/jsonlines"
	"github.com/politecrawl/politecrawl/crawler/internal/warcreader"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// Options configure [Pack].
type Options struct {
	Text     bool   // pages.jsonl has the text of the pages, so that players can search it
	Software string // program and version: "politecrawl/1.2.3"
}

// Packed is what a WACZ file has.
type Packed struct {
	File    string `json:"file"`    // its name
	Files   int    `json:"files"`   // WARC files
	Records int    `json:"records"` // in the index
	Pages   int    `json:"pages"`   // in the list of pages
}

// ErrNoWARC says that there are no WARC files.
var ErrNoWARC = errors.New("no WARC files")

// The names in a WACZ file.
const (
	archiveDir  = "archive/"
	indexDir    = "indexes/"
	packageFile = "datapackage.json"
	digestFile  = "datapackage-digest.json"
)

// A dataPackage is datapackage.json.
type dataPackage struct {
	Profile     string     `json:"profile"`
	Version     string     `json:"wacz_version"`
	Software    string     `json:"software,omitempty"`
	Created     time.Time  `json:"created,omitzero"`
	MainPageURL string     `json:"mainPageUrl,omitempty"`
	MainPageAt  time.Time  `json:"mainPageDate,omitzero"`
	Resources   []resource `json:"resources"`
}

// A resource is a file of a package.
type resource struct {
	Name  string `json:"name"`
	Path  string `json:"path"`
	Hash  string `json:"hash"` // sha256:hexadecimal
	Bytes int64  `json:"bytes"`
}

func hashOf(h hash.Hash) string { return fmt.Sprintf("sha256:%x", h.Sum(nil)) }

// Pack writes a WACZ file of all WARC files in the directories of crawls. It replaces an earlier file when all is
// written. It takes about 1 KB of memory for each record in the index.
func Pack(ctx context.Context, name string, dirs []string, opts *Options) (Packed, error) {
	part := name + ".part"
	file, err := os.Create(part)
	if err != nil {
		return Packed{}, err
	}
	p := &packer{ctx: ctx, zip: zip.NewWriter(file), opts: opts, warcs: make(map[string]string), captures: make(map[string][]cdxj.Line)}
	p.packed.File = name
	p.pkg = dataPackage{Profile: "data-package", Version: "1.1.1", Software: opts.Software, Created: time.Now().UTC().Truncate(time.Second)}
	if err = errors.Join(p.write(dirs), durable.File(file), file.Close()); err == nil {
		err = durable.Rename(part, name)
	}
	if err != nil {
		_ = os.Remove(part)
	}
	return p.packed, err
}

// A packer makes a WACZ file. It is the writer of its current entry.
type packer struct {
	ctx    context.Context
	zip    *zip.Writer
	opts   *Options
	pkg    dataPackage
	packed Packed
	err    error // the first one; nothing is added after it

	out  io.Writer // into the current entry
	sum  hash.Hash // of what it has
	size int64

	warcs    map[string]string      // paths of WARC files by their names
	index    []string               // lines
	captures map[string][]cdxj.Line // responses with status 200, by keyOf their URL; without a file if the body is withheld
}

func (p *packer) write(dirs []string) error {
	for _, dir := range dirs {
		names, _ := fs.Glob(os.DirFS(dir), "*.warc.gz") // a worker without work has none
		for _, name := range names {
			p.addWARC(name, filepath.Join(dir, name))
		}
	}
	if p.packed.Files == 0 {
		return fmt.Errorf("%q: %w", dirs, ErrNoWARC)
	}
	p.addIndex()
	p.addPages(dirs)
	hash := p.add(packageFile, zip.Deflate, func() error { return json.NewEncoder(p).Encode(&p.pkg) })
	p.add(digestFile, zip.Deflate, func() error { return json.NewEncoder(p).Encode(map[string]string{"path": packageFile, "hash": hash}) })
	return cmp.Or(p.err, p.zip.Close())
}

// Write writes a part of the current entry.
func (p *packer) Write(b []byte) (int, error) {
	if err := p.ctx.Err(); err != nil {
		return 0, err
	}
	_, _ = p.sum.Write(b) // never fails
	p.size += int64(len(b))
	return p.out.Write(b)
}

// add adds an entry.
func (p *packer) add(name string, method uint16, write func() error) (hash string) {
	if p.err != nil {
		return ""
	}
	p.sum, p.size = sha256.New(), 0
	if p.out, p.err = p.zip.CreateHeader(&zip.FileHeader{Name: name, Method: method, Modified: p.pkg.Created}); p.err == nil {
		p.err = write()
	}
	hash = hashOf(p.sum)
	p.pkg.Resources = append(p.pkg.Resources, resource{Name: path.Base(name), Path: name, Hash: hash, Bytes: p.size})
	return hash
}

// addWARC adds a WARC file, and remembers the lines of its records.
func (p *packer) addWARC(name, file string) {
	if p.warcs[name] != "" && p.err == nil {
		p.err = fmt.Errorf("%q and %q have the same name; package each directory alone", p.warcs[name], file)
	}
	p.warcs[name] = file
	p.packed.Files++
	p.add(archiveDir+name, zip.Store, func() error {
		in, err := os.Open(file)
		if err != nil {
			return err
		}
		defer func() { _ = in.Close() }()
		for reader := warcreader.New(io.TeeReader(in, p)); ; {
			rec, err := reader.Next(io.Discard)
			switch {
			case err == io.EOF:
				return nil
			case err != nil:
				return fmt.Errorf("%q: record at byte %d: %w", file, rec.Line.Offset, err)
			case !isNeeded(rec):
				continue
			}
			rec.Line.File = name
			p.index = append(p.index, string(rec.Line.AppendTo(nil)))
			if rec.Fields.Get("WARC-Truncated") == string(output.TruncatedUnspecified) { // withheld, or aborted
				rec.Line.File = ""
			}
			if key := keyOf(rec.Line.URL); rec.Line.Status == http.StatusOK {
				p.captures[key] = append(p.captures[key], rec.Line)
			}
		}
	})
}

// addIndex adds the index, sorted by key and time.
func (p *packer) addIndex() {
	slices.Sort(p.index)
	p.packed.Records = len(p.index)
	p.add(indexDir+"index.cdx", zip.Deflate, func() error {
		for _, line := range p.index {
			if _, err := io.WriteString(p, line); err != nil {
				return err
			}
		}
		return nil
	})
}

// keyOf returns a URL without its escapes: records escape more than pages.jsonl.
func keyOf(raw string) string {
	text, _ := url.PathUnescape(raw)
	return cmp.Or(text, raw)
}

// find returns the response or revisit with status 200 that is closest to a time, or nil if there is none.
func (p *packer) find(url string, date time.Time) (closest *cdxj.Line) {
	for _, line := range p.captures[keyOf(url)] {
		if closest == nil || line.Time.Sub(date).Abs() < closest.Time.Sub(date).Abs() {
			closest = &line
		}
	}
	return closest
}

// addPages adds the list of the HTML pages with status 200. It leaves out those that the archive, or pages.jsonl, withholds.
func (p *packer) addPages(dirs []string) {
	p.add("pages/pages.jsonl", zip.Deflate, func() error {
		out := json.NewEncoder(p)
		err := out.Encode(map[string]any{"format": "json-pages-1.0", "hasText": p.opts.Text, "id": "pages", "title": "All pages"})
		addPage := func(_ int64, page *output.Page) error {
			line := p.find(page.URL, page.FetchedAt)
			if page.Status != http.StatusOK || page.Withheld != "" || page.Encoding == "" || line == nil || line.File == "" {
				return nil
			}
			p.packed.Pages++
			fields := map[string]any{"id": strconv.Itoa(p.packed.Pages), "title": page.Title, "url": page.URL, "ts": line.Time}
			if p.pkg.MainPageURL == "" && page.Source == "start" {
				p.pkg.MainPageURL, p.pkg.MainPageAt = page.URL, line.Time
			}
			if p.opts.Text {
				fields["text"] = p.text(line, true)
			}
			return out.Encode(fields)
		}
		for _, dir := range dirs {
			names, _ := fs.Glob(os.DirFS(dir), "pages*.jsonl") // of earlier crawls too
			for _, name := range names {
				err = cmp.Or(err, jsonlines.Readable(jsonlines.Each(filepath.Join(dir, name), addPage)))
			}
		}
		return err
	})
}

// text returns the visible text of a page, or "" if its record cannot be read. A revisit has that of the response
// that it refers to.
func (p *packer) text(line *cdxj.Line, follow bool) string {
	file, err := os.Open(p.warcs[line.File])
	if err != nil {
		return ""
	}
	defer func() { _ = file.Close() }()
	var payload bytes.Buffer
	rec, err := warcreader.New(io.NewSectionReader(file, line.Offset, line.Length)).Next(&payload)
	if err != nil {
		return ""
	}
	date, _ := time.Parse(time.RFC3339Nano, rec.Fields.Get("WARC-Refers-To-Date"))
	if original := p.find(rec.Fields.Get("WARC-Refers-To-Target-URI"), date); follow && original != nil {
		return p.text(original, false)
	}
	resp, err := http.ReadResponse(bufio.NewReader(io.MultiReader(bytes.NewReader(rec.Head), &payload)), nil)
	if err != nil {
		return ""
	}
	fetch.Decode(resp)
	body, _ := io.ReadAll(io.LimitReader(resp.Body, 16<<20)) // as far as it can be read
	_ = resp.Body.Close()
	var text []string
	for part, isURL := range extract.VisibleParts(extract.Read(extract.Page{URL: line.URL, Header: resp.Header, Body: body}, &extract.Handlers{}).Text) {
		if !isURL {
			text = append(text, html.UnescapeString(string(part)))
		}
	}
	return strings.Join(text, "\n")
}
