package report

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/durable"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext/sitemap"
)

var (
	// ErrNoPages says that a crawl has no indexable page. A sitemap without pages is invalid.
	ErrNoPages = errors.New("the crawl has no indexable page")

	// ErrForeignFile says that a file is in the way of a sitemap, and WriteSitemaps did not
	// write it.
	ErrForeignFile = errors.New("politecrawl did not write this file")
)

// A WrittenSitemap is the sitemap of an origin. A sitemap may list only pages of its own origin.
type WrittenSitemap struct {
	Origin string
	Path   string // the sitemap, or the index of its files
	URL    string // where it belongs, at the root of the origin
	URLs   int
	Files  int // that list URLs; more than one: they have an index
}

// WriteSitemaps writes a sitemap of the pages of each origin into a directory, and creates the
// directory if it is missing. If there are several origins, each has a directory in it. A file has at
// most 50,000 URLs and 50 MiB; an index lists them if there are several. The index expects them at
// the root of the origin.
//
// WriteSitemaps replaces files that it wrote before, and removes those that are no longer listed. All
// new files are complete before. The error matches [ErrForeignFile] if another file is in the way,
// and [ErrNoPages] (errors.Is).
func (x *Indexable) WriteSitemaps(dir string, compress bool) (_ []WrittenSitemap, err error) {
	if err := x.check(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	w := &sitemapFilesWriter{dir: dir}
	if compress {
		w.ext = ".gz"
	}
	defer func() {
		for _, set := range w.sets {
			for _, f := range set.files {
				if removed := os.Remove(f.beside); !errors.Is(removed, fs.ErrNotExist) {
					err = errors.Join(err, removed)
				}
			}
		}
	}()
	next, stop := iter.Pull2(x.All())
	defer stop()
	if err := w.writeBeside(next); err != nil {
		return nil, notWritten(filepath.Join(dir, sitemapName), err)
	}
	return w.place()
}

// check returns ErrNoPages if there is no page.
func (x *Indexable) check() error {
	for _, err := range x.All() {
		return err
	}
	return ErrNoPages
}

const (
	sitemapName    = "sitemap.xml"
	sitemapComment = "Written by politecrawl sitemap write, which replaces this file"
)

// sitemapFileNames matches the names of files that WriteSitemaps writes.
var sitemapFileNames = regexp.MustCompile(`^sitemap(-[0-9]+)?\.xml(\.gz)?$`)

// A sitemapFilesWriter writes the sitemaps of all origins.
type sitemapFilesWriter struct {
	dir  string
	ext  string // ".gz" to compress
	sets []*sitemapSet
}

// A sitemapSet has the files of an origin.
type sitemapSet struct {
	origin string
	urls   int
	files  []sitemapSetFile // with an index, it is the last one
}

type sitemapSetFile struct{ beside, name string }

// writeBeside writes all pages into files with temporary names.
func (w *sitemapFilesWriter) writeBeside(next func() (IndexablePage, error, bool)) error {
	var set *sitemapSet
	page, err, ok := next()
	for ok && err == nil {
		if origin := originOf(page.URL); set == nil || set.origin != origin {
			set = &sitemapSet{origin: origin}
			w.sets = append(w.sets, set)
		}
		err = w.writeFile(set, w.ext, sitemap.URLSet, func(out *sitemap.Writer) error {
			for ok && err == nil && originOf(page.URL) == set.origin {
				switch err := out.Write(page.URL, page.LastMod); {
				case errors.Is(err, sitemap.ErrFull):
					return nil
				case err != nil:
					return err
				}
				set.urls++
				page, err, ok = next()
			}
			return err
		})
	}
	return err
}

// writeFile writes a file of a set beside its place.
func (w *sitemapFilesWriter) writeFile(set *sitemapSet, ext string, format sitemap.Format, write func(*sitemap.Writer) error) error {
	beside, err := writeBeside(filepath.Join(w.dir, sitemapName), func(file io.Writer) error {
		out, end := file, func() error { return nil }
		if ext != "" {
			z := gzip.NewWriter(file)
			out, end = z, z.Close
		}
		list := sitemap.NewWriter(out, format, sitemapComment)
		if err := write(list); err != nil {
			return err
		}
		return errors.Join(list.Close(), end())
	})
	if err == nil {
		set.files = append(set.files, sitemapSetFile{beside: beside})
	}
	return err
}

// place writes the indexes and moves all files to their places, an index last.
func (w *sitemapFilesWriter) place() ([]WrittenSitemap, error) {
	var written []WrittenSitemap
	for _, set := range w.sets {
		dir := w.dir
		if len(w.sets) > 1 {
			// The directory has the name that the crawl gives the origin.
			dir = filepath.Join(dir, strings.TrimSuffix(filepath.Base(output.RobotsPath("", set.origin)), ".txt"))
		}
		files := len(set.files)
		if err := w.addIndex(set); err != nil {
			return nil, notWritten(filepath.Join(dir, sitemapName), err)
		}
		name := set.files[len(set.files)-1].name
		written = append(written, WrittenSitemap{
			Origin: set.origin, Path: filepath.Join(dir, name), URL: set.origin + "/" + name, URLs: set.urls, Files: files,
		})
	}
	var stale []string
	for i, set := range w.sets {
		old, err := earlierSitemaps(filepath.Dir(written[i].Path), set)
		if err != nil {
			return nil, err
		}
		stale = append(stale, old...)
	}
	for i, set := range w.sets {
		dir := filepath.Dir(written[i].Path)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, err
		}
		for _, f := range set.files {
			path := filepath.Join(dir, f.name)
			if err := durable.Rename(f.beside, path); err != nil {
				return nil, notWritten(path, err)
			}
		}
	}
	for _, path := range stale {
		if err := os.Remove(path); err != nil {
			return nil, err
		}
	}
	return written, nil
}

// addIndex names the files of a set, and adds an index if there are several.
func (w *sitemapFilesWriter) addIndex(set *sitemapSet) error {
	if len(set.files) == 1 {
		set.files[0].name = sitemapName + w.ext
		return nil
	}
	for i := range set.files {
		set.files[i].name = fmt.Sprintf("sitemap-%d.xml%s", i+1, w.ext)
	}
	err := w.writeFile(set, "", sitemap.Index, func(index *sitemap.Writer) error {
		for _, f := range set.files {
			if err := index.Write(set.origin+"/"+f.name, time.Time{}); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		set.files[len(set.files)-1].name = sitemapName
	}
	return err
}

// earlierSitemaps returns the sitemaps of an earlier call in a directory that the set does not
// replace. It returns ErrForeignFile if another file is in the way of the set.
func earlierSitemaps(dir string, set *sitemapSet) (stale []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	replaced := make(map[string]bool)
	for _, f := range set.files {
		replaced[f.name] = true
	}
	for _, e := range entries {
		if !sitemapFileNames.MatchString(e.Name()) {
			continue
		}
		path := filepath.Join(dir, e.Name())
		switch own := e.Type().IsRegular() && isOwnSitemap(path); {
		case !own && replaced[e.Name()]:
			return nil, fmt.Errorf("%q: %w", path, ErrForeignFile)
		case own && !replaced[e.Name()]:
			stale = append(stale, path)
		}
	}
	return stale, nil
}

// isOwnSitemap reports whether WriteSitemaps wrote a file.
func isOwnSitemap(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = file.Close() }()
	body := io.Reader(file)
	if strings.HasSuffix(path, ".gz") {
		if body, err = gzip.NewReader(bufio.NewReader(file)); err != nil {
			return false
		}
	}
	var head bytes.Buffer
	_, err = io.CopyN(&head, body, 200)
	return (err == nil || err == io.EOF) && strings.Contains(head.String(), "\n<!-- "+sitemapComment+" -->\n")
}
