package report

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext/sitemap"
)

// ErrNoPages says that a crawl has no indexable page. A sitemap without pages is invalid.
var ErrNoPages = errors.New("the crawl has no indexable page")

// A WrittenSitemap is the sitemap of an origin. A sitemap may list only pages of its own origin.
type WrittenSitemap struct {
	Origin string
	Path   string // the sitemap, or the index of its files
	URL    string // where it belongs, at the root of the origin
	URLs   int
	Files  int // that list URLs; more than one: they have an index

	// Unused are files of an earlier sitemap in the same directory, which were not replaced.
	Unused []string
}

// sitemapName matches the names of files that WriteSitemaps writes.
var sitemapName = regexp.MustCompile(`^sitemap(-[0-9]+)?\.xml(\.gz)?$`)

// WriteSitemaps writes a sitemap of the pages of each origin into a directory, and creates the
// directory if it is missing. If there are several origins, each has a directory in it. A file has at
// most 50,000 URLs and 50 MiB; an index lists them if there are several. The index expects them at
// the root of the origin.
//
// WriteSitemaps replaces files of the same names, each when the new one is complete, and an index
// last. It does not remove further files of an earlier sitemap, but returns their names. The error matches
// [ErrNoPages] (errors.Is) if there is no page. If ctx ends, WriteSitemaps stops after the last complete
// file and returns the error of ctx.
func (x *Indexable) WriteSitemaps(ctx context.Context, dir string, compress bool) ([]WrittenSitemap, error) {
	if len(x.Pages) == 0 {
		return nil, ErrNoPages
	}
	ext := ".xml"
	if compress {
		ext = ".xml.gz"
	}
	var written []WrittenSitemap
	for first := 0; first < len(x.Pages); {
		origin, end := originOf(x.Pages[first].URL), first
		for end < len(x.Pages) && originOf(x.Pages[end].URL) == origin {
			end++
		}
		to := dir
		if end-first < len(x.Pages) { // the directory has the name that the crawl gives the origin
			to = filepath.Join(dir, strings.TrimSuffix(filepath.Base(output.RobotsPath("", origin)), ".txt"))
		}
		s, err := writeSitemap(ctx, to, ext, origin, x.Pages[first:end])
		if err != nil {
			return nil, err
		}
		written = append(written, s)
		first = end
	}
	return written, nil
}

// writeSitemap writes the sitemap of an origin.
func writeSitemap(ctx context.Context, dir, ext, origin string, pages []IndexablePage) (WrittenSitemap, error) {
	var files [][]IndexablePage
	for rest := pages; len(rest) > 0; {
		n, err := writeEntries(io.Discard, sitemap.URLSet, rest)
		if err != nil {
			return WrittenSitemap{}, err
		}
		files, rest = append(files, rest[:n]), rest[n:]
	}
	name, format, entries := "sitemap"+ext, sitemap.URLSet, pages
	err := os.MkdirAll(dir, 0o755)
	if len(files) > 1 {
		name, format, entries = "sitemap.xml", sitemap.Index, nil
		for i, file := range files {
			part := fmt.Sprintf("sitemap-%d%s", i+1, ext)
			entries = append(entries, IndexablePage{URL: origin + "/" + part})
			if err == nil {
				err = writeSitemapFile(ctx, filepath.Join(dir, part), sitemap.URLSet, file)
			}
		}
	}
	written := WrittenSitemap{Origin: origin, Path: filepath.Join(dir, name), URL: origin + "/" + name, URLs: len(pages), Files: len(files)}
	if err == nil {
		err = writeSitemapFile(ctx, written.Path, format, entries)
	}
	if err != nil {
		return written, err
	}
	inside, err := os.ReadDir(dir)
	for _, file := range inside {
		isNew := file.Name() == name || format == sitemap.Index && slices.ContainsFunc(entries, func(e IndexablePage) bool { return e.URL == origin+"/"+file.Name() })
		if !isNew && sitemapName.MatchString(file.Name()) {
			written.Unused = append(written.Unused, filepath.Join(dir, file.Name()))
		}
	}
	return written, err
}

func writeSitemapFile(ctx context.Context, path string, format sitemap.Format, entries []IndexablePage) error {
	return writeFiles(ctx, map[string]func(io.Writer) error{path: func(w io.Writer) error {
		if filepath.Ext(path) != ".gz" {
			_, err := writeEntries(w, format, entries)
			return err
		}
		z := gzip.NewWriter(w)
		_, err := writeEntries(z, format, entries)
		return errors.Join(err, z.Close())
	}})
}

// writeEntries writes one file of as many entries as it can have, and returns their number.
func writeEntries(w io.Writer, format sitemap.Format, entries []IndexablePage) (int, error) {
	list := sitemap.NewWriter(w, format)
	for i, e := range entries {
		switch err := list.Write(e.URL, e.LastMod); {
		case errors.Is(err, sitemap.ErrFull):
			return i, list.Close()
		case err != nil:
			return i, err
		}
	}
	return len(entries), list.Close()
}
