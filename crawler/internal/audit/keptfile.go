package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"regexp"

	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
	"github.com/politecrawl/politecrawl/robotsext/usage"
)

// A keptFile is a version of a robots.txt or tdmrep.json.
type keptFile struct {
	absent string // why it has no text; empty if it has
	text   []byte // until it is parsed

	robots  *robotstxt.File
	group   *robotstxt.Group
	tdmrep  *usage.TDMRep // nil if invalid
	problem string        // of the tdmrep.json
}

// The reasons of keptFile.absent.
const (
	absentNoStore = "no-store"
	absentChanged = "changed" // verifyFiles reports it
	absentMissing = "missing"
)

const (
	maxVersion = 1 << 20  // bytes of a kept file; a crawl reads fewer
	maxParsed  = 64 << 20 // bytes of the files that are kept parsed
)

var versionName = regexp.MustCompile(`^[0-9a-f]{64}$`)

// verifyFiles compares the kept files with their names, and calls differs for each difference.
func (v *verifier) verifyFiles(differs func(Difference) error) error {
	folder, err := os.Open(output.VersionPath(v.Dir, ""))
	if errors.Is(err, fs.ErrNotExist) {
		return nil // of a crawl that met no robots.txt
	}
	if err != nil {
		return err
	}
	defer func() { _ = folder.Close() }()
	for {
		names, err := folder.Readdirnames(1000)
		for _, name := range names {
			if !versionName.MatchString(name) {
				continue
			}
			v.Files++
			path := output.VersionPath(v.Dir, name)
			hash, err := hashFile(path)
			if err == nil && hash != name {
				err = differs(Difference{File: path, Problem: "the file was changed: its SHA-256 is " + hash})
			}
			if err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// hashFile returns the SHA-256 of a file of any size.
func hashFile(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }()
	h := sha256.New()
	if _, err := io.Copy(h, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// file returns a kept file, from memory or parsed by parse.
func (v *verifier) file(kind, hash string, parse func(*keptFile)) (*keptFile, error) {
	key := kind + hash
	if f := v.files[key]; f != nil {
		return f, nil
	}
	f := &keptFile{}
	if err := f.read(v.Dir, hash); err != nil {
		return nil, err
	}
	size := 1000 + 4*len(f.text) // of a tdmrep.json, estimated
	if f.absent == "" {
		parse(f)
		if f.text = nil; f.robots != nil {
			size = f.robots.Size()
		}
	}
	if v.size += size; v.size > maxParsed {
		clear(v.files)
		v.size = size
	}
	v.files[key] = f
	return f, nil
}

// read reads the text.
func (f *keptFile) read(dir, hash string) error {
	path := output.VersionPath(dir, hash)
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		f.absent = absentMissing
		if _, err := os.Lstat(path + output.NoStore); err == nil {
			f.absent = absentNoStore
		}
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	if f.text, err = io.ReadAll(io.LimitReader(file, maxVersion)); err != nil {
		return err
	}
	if usage.Hash(f.text) != hash {
		f.absent = absentChanged
	}
	return nil
}
