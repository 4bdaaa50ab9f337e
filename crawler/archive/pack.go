package archive

import (
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/durable"
	"github.com/politecrawl/politecrawl/crawler/internal/jsonlines"
)

// Options configure [Pack].
type Options struct {
	Text     bool   // pages.jsonl has the text of the pages, so that players can search it
	Software string // program and version: "politecrawl/1.2.3"
}

// Packed is what a WACZ file has.
type Packed struct {
	Files   int `json:"files"`   // WARC files
	Records int `json:"records"` // in the index
	Pages   int `json:"pages"`   // in the list of pages
}

// ErrNoWARC says that a directory has no WARC files.
var ErrNoWARC = errors.New("no WARC files")

// ErrNames says that two WARC files have the same name.
var ErrNames = errors.New("two WARC files have the same name")

// ErrDamaged says that a WARC file is damaged, or that its crawl was killed.
var ErrDamaged = errors.New("damaged record")

// Pack writes a WACZ file of all WARC files in the directories of crawls. It replaces an earlier file when all is
// written.
func Pack(ctx context.Context, name string, dirs []string, opts *Options) (Packed, error) {
	part := name + ".part"
	file, err := os.Create(part)
	if err != nil {
		return Packed{}, err
	}
	p := &packer{ctx: ctx, zip: zip.NewWriter(file), opts: opts, pkg: dataPackage{
		Profile: "data-package", Version: "1.1.1", Software: opts.Software, Created: time.Now().UTC().Truncate(time.Second),
	}}
	err = errors.Join(p.write(dirs), p.lines.close(), durable.File(file), file.Close())
	if err == nil {
		err = durable.Rename(part, name)
	}
	if err != nil {
		return p.packed, errors.Join(err, os.Remove(part))
	}
	return p.packed, nil
}

func (p *packer) write(dirs []string) error {
	for _, dir := range dirs {
		names, err := filepath.Glob(filepath.Join(escapeGlob(dir), "*.warc.gz"))
		if _, missing := os.Stat(filepath.Join(dir, "pages.jsonl")); len(names) == 0 && missing != nil { // else a worker without work
			err = fmt.Errorf("%q: %w", dir, ErrNoWARC)
		}
		for i := 0; err == nil && i < len(names); i++ {
			err = p.addWARC(names[i])
		}
		if err != nil {
			return err
		}
	}
	if p.packed.Files == 0 {
		return fmt.Errorf("%q: %w", dirs, ErrNoWARC)
	}
	if err := p.writeIndex(); err != nil {
		return err
	}
	if err := p.writePages(dirs); err != nil {
		return err
	}
	hash, err := p.addJSON(packageFile, &p.pkg)
	if err == nil {
		_, err = p.addJSON(digestFile, &packageDigest{packageFile, hash})
	}
	return cmp.Or(err, p.zip.Close())
}

// escapeGlob returns the pattern of a path.
func escapeGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// A packer makes a WACZ file.
type packer struct {
	ctx    context.Context
	zip    *zip.Writer
	opts   *Options
	pkg    dataPackage
	packed Packed

	warcs    []string // paths
	lines    sorter
	captures captures
}

// An entry is a file that is being written.
type entry struct {
	io.Writer
	ctx   context.Context
	hash  hash.Hash
	bytes int64
}

func (e *entry) Write(b []byte) (int, error) {
	if err := e.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := e.Writer.Write(b)
	_, _ = e.hash.Write(b[:n]) // never fails
	e.bytes += int64(n)
	return n, err
}

// add adds an entry.
func (p *packer) add(name string, method uint16, write func(io.Writer) error) (hash string, err error) {
	w, err := p.zip.CreateHeader(&zip.FileHeader{Name: name, Method: method, Modified: p.pkg.Created})
	if err != nil {
		return "", err
	}
	e := &entry{Writer: w, ctx: p.ctx, hash: sha256.New()}
	if err := write(e); err != nil {
		return "", err
	}
	hash = hashOf(e.hash.Sum(nil))
	p.pkg.Resources = append(p.pkg.Resources, resource{Name: path.Base(name), Path: name, Hash: hash, Bytes: e.bytes})
	return hash, nil
}

// addText adds a text as an entry.
func (p *packer) addText(name string, text []byte) (hash string, err error) {
	return p.add(name, zip.Deflate, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

func (p *packer) addJSON(name string, v any) (hash string, err error) {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return "", err
	}
	return p.addText(name, append(text, '\n'))
}

// addWARC adds a WARC file, and the lines of its records.
func (p *packer) addWARC(name string) error {
	base := filepath.Base(name)
	if slices.ContainsFunc(p.warcs, func(other string) bool { return filepath.Base(other) == base }) {
		return fmt.Errorf("%q: %w", name, ErrNames)
	}
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	p.warcs = append(p.warcs, name)
	p.packed.Files++
	_, err = p.add(archiveDir+base, zip.Store, func(w io.Writer) error {
		for rec, err := range records(io.TeeReader(file, w)) {
			switch {
			case ioError(err) != nil || p.ctx.Err() != nil:
				return cmp.Or(p.ctx.Err(), err)
			case err != nil:
				return fmt.Errorf("%q: byte %d: %w: %w", name, rec.line.Offset, ErrDamaged, err)
			case !rec.needed:
				continue
			}
			rec.line.File = base
			p.packed.Records++
			p.captures.add(&rec.line, len(p.warcs)-1)
			if err := p.lines.add(bytes.TrimSuffix(rec.line.AppendTo(nil), []byte("\n"))); err != nil {
				return err
			}
		}
		return nil
	})
	return err
}

// blockSize is the number of lines of a block of the index. Tests reduce it.
var blockSize = 3000

// writeIndex writes the index in blocks, and the list of blocks.
func (p *packer) writeIndex() error {
	list := fmt.Appendf(nil, "!meta 0 {\"format\":\"cdxj-gzip-1.0\",\"filename\":%q}\n", indexFile)
	_, err := p.add(indexDir+indexFile, zip.Store, func(w io.Writer) error {
		var packed bytes.Buffer
		z, lines, offset, start := gzip.NewWriter(&packed), 0, int64(0), []byte(nil)
		flush := func() error {
			if lines == 0 {
				return nil
			}
			if err := z.Close(); err != nil {
				return err
			}
			sum := sha256.Sum256(packed.Bytes())
			list = jsonlines.AppendValue(append(list, start...), &block{offset, int64(packed.Len()), hashOf(sum[:]), indexFile})
			list = append(list, '\n')
			n, err := packed.WriteTo(w)
			z.Reset(&packed)
			offset, lines = offset+n, 0
			return err
		}
		for line, err := range p.lines.all() {
			if err != nil {
				return err
			}
			if lines == 0 {
				start = bytes.Clone(startOf(line))
			}
			_, _ = z.Write(line)
			_, _ = z.Write([]byte("\n")) // a buffer takes all
			if lines++; lines == blockSize {
				if err := flush(); err != nil {
					return err
				}
			}
		}
		return flush()
	})
	if err != nil {
		return err
	}
	_, err = p.addText(indexDir+blocksFile, list)
	return err
}
