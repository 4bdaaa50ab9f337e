// Command archive packs a folder into a .tar.gz or .zip file:
//
//	go run ./cmd/internal/archive dist/politecrawl-linux-amd64.tar.gz DIR
//
// The same names and contents give the same bytes, whatever the times and owners of the files are.
// Only the permission to execute is kept.
package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: archive FILE.tar.gz|FILE.zip DIR")
		os.Exit(2)
	}
	if err := pack(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "archive:", err)
		os.Exit(1)
	}
}

// epoch is the time of each file, the first that a .zip file can have.
var epoch = time.Date(1980, time.January, 1, 0, 0, 0, 0, time.UTC)

// pack writes the archive of a folder. The name of the folder is the first part of each name in it.
func pack(name, dir string) (err error) {
	out, err := os.Create(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	if strings.HasSuffix(name, ".zip") {
		z := zip.NewWriter(out)
		return errors.Join(addFiles(dir, func(path string, mode fs.FileMode, _ int64) (io.Writer, error) {
			h := &zip.FileHeader{Name: path, Method: zip.Deflate, Modified: epoch}
			h.SetMode(mode)
			return z.CreateHeader(h)
		}), z.Close())
	}
	z := gzip.NewWriter(out)
	t := tar.NewWriter(z)
	return errors.Join(addFiles(dir, func(path string, mode fs.FileMode, size int64) (io.Writer, error) {
		return t, t.WriteHeader(&tar.Header{Name: path, Mode: int64(mode), Size: size, ModTime: epoch})
	}), t.Close(), z.Close())
}

// addFiles adds the files of a folder in the order of their names. Add returns where to write one.
func addFiles(dir string, add func(path string, mode fs.FileMode, size int64) (io.Writer, error)) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	return fs.WalkDir(root.FS(), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		mode := fs.FileMode(0o644)
		if info.Mode()&0o111 != 0 {
			mode = 0o755
		}
		text, err := root.ReadFile(path)
		if err != nil {
			return err
		}
		w, err := add(filepath.Base(dir)+"/"+path, mode, int64(len(text)))
		if err != nil {
			return err
		}
		_, err = w.Write(text)
		return err
	})
}
