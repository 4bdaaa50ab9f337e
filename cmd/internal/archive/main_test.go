package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// writeTree writes a folder "p" with files of some time and permissions.
func writeTree(t *testing.T, when time.Time, program, text os.FileMode) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "p")
	for name, mode := range map[string]os.FileMode{"politecrawl": program, "man/man1/a.1": text} {
		path := filepath.Join(dir, name)
		err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte("content of "+name), 0o600), os.Chmod(path, mode), os.Chtimes(path, when, when))
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// The bytes of an archive depend on names, contents and the permission to execute alone.
func TestArchivesAreReproducible(t *testing.T) {
	first, second := writeTree(t, time.Now(), 0o755, 0o644), writeTree(t, time.Unix(1e9, 0), 0o700, 0o600)
	for _, ending := range []string{".tar.gz", ".zip"} {
		var packed [2][]byte
		for i, dir := range []string{first, second} {
			name := filepath.Join(t.TempDir(), "archive"+ending)
			if err := pack(name, dir); err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			packed[i] = text
		}
		if !bytes.Equal(packed[0], packed[1]) {
			t.Errorf("%s: two archives of the same files differ", ending)
		}
		want := "p/man/man1/a.1 -rw-r--r-- content of man/man1/a.1\np/politecrawl -rwxr-xr-x content of politecrawl\n"
		if got := list(t, ending, packed[0]); got != want {
			t.Errorf("%s has\n%s, want\n%s", ending, got, want)
		}
	}
}

// list returns a line for each file of an archive.
func list(t *testing.T, ending string, packed []byte) (lines string) {
	t.Helper()
	if ending == ".zip" {
		z, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range z.File {
			r, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(r)
			if err != nil {
				t.Fatal(err)
			}
			lines += fmt.Sprintf("%s %s %s\n", f.Name, f.Mode(), text)
		}
		return lines
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return lines
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		lines += fmt.Sprintf("%s %s %s\n", h.Name, h.FileInfo().Mode(), text)
	}
}

func TestPackMissingFolder(t *testing.T) {
	if err := pack(filepath.Join(t.TempDir(), "a.zip"), filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
}
