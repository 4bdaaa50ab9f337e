package logstore

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/frontier/internal/siphash"
)

// openings are the functions that open a store.
var openings = map[string]func(dir string) error{
	"Open": func(dir string) error {
		s, err := Open(dir, nil)
		if err != nil {
			return err
		}
		return s.Close()
	},
	"OpenReadOnly": func(dir string) error {
		v, err := OpenReadOnly(dir)
		if err != nil {
			return err
		}
		return v.Close()
	},
}

func TestInUse(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "not", "there", "yet")
	s := open(t, dir, nil)
	link := filepath.Join(t.TempDir(), "link")
	must(t, os.Symlink(dir, link))
	for _, path := range []string{dir, dir + "/.", link} {
		for name, open := range openings {
			err := open(path)
			if use, ok := errors.AsType[*InUseError](err); !ok || !errors.Is(err, ErrInUse) || use.Dir != path || use.PID != os.Getpid() {
				t.Fatalf("%s(%s) = %#v", name, path, err)
			}
			if text := err.Error(); !strings.Contains(text, path) || !strings.Contains(text, fmt.Sprint(os.Getpid())) {
				t.Errorf("%s(%s) = %q, which does not say where or who", name, path, text)
			}
		}
	}
	addURLs(t, s, "http://a.test/1") // the first store still works
	closeStore(t, s)
	must(t, s.Close())
	v, err := OpenReadOnly(link)
	must(t, err)
	s = open(t, dir, nil) // beside a reader
	finish(t, s, leaseURL(t, s, "http://a.test/1"), outcomeDone)
	closeStore(t, s)
	for u, err := range v.URLs() {
		if err != nil || u.State != Pending {
			t.Errorf("the reader finds %+v, %v", u, err)
		}
	}
	must(t, v.Close())
	must(t, os.WriteFile(filepath.Join(dir, ownerName), []byte("?"), 0o600))
	if pid := readOwner(dir); pid != 0 {
		t.Errorf("owner %d of an unreadable file", pid)
	}
}

// contents returns the files of a directory by name.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	files, err := os.ReadDir(dir)
	must(t, err)
	for _, f := range files {
		data, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			data = []byte(err.Error())
		}
		all[f.Name()] = string(data)
	}
	return all
}

// first returns a first frame with another magic, version or seed.
func first(magic string, version uint64, rest int) string {
	body := append(binary.AppendUvarint([]byte(magic), version), make([]byte, rest)...)
	frame := append(make([]byte, headSize), appendRecord(nil, 0, body)...)
	putHead(frame, typeFormat, 0)
	return string(frame)
}

// A directory without a log has no store.
func TestCheckOfNothing(t *testing.T) {
	dir := t.TempDir()
	for range 2 { // empty, and with the files of a lock
		if err := Check(dir); !errors.Is(err, ErrNotFrontier) {
			t.Errorf("Check = %v", err)
		}
		lock, err := Lock(dir)
		must(t, err)
		must(t, lock.Close())
	}
}

// TestOpenRejects opens directories that are no store of this version. Nothing in them may change.
func TestOpenRejects(t *testing.T) {
	const seed = idSize + len(siphash.Key{})
	whole := first(magic, version, seed)
	for name, c := range map[string]struct {
		files map[string]string
		want  error
		text  string
	}{
		"other files":                    {map[string]string{"pages.jsonl": ""}, ErrNotFrontier, "pages.jsonl"},
		"a directory":                    {map[string]string{"log/": ""}, ErrNotFrontier, "log"},
		"a database of an older version": {map[string]string{"MANIFEST-000001": "", "000002.log": ""}, ErrFormat, "format 2"},
		"a later version":                {map[string]string{logName: first(magic, version+1, seed)}, ErrFormat, "begin anew in another directory"},
		"a later version with URLs":      {map[string]string{logName: first(magic, version+1, 100)}, ErrFormat, fmt.Sprint("format ", version+1)},
		"a text":                         {map[string]string{logName: strings.Repeat("text", 100)}, ErrDamaged, "byte 0"},
		"no seed":                        {map[string]string{logName: first(magic, version, seed-1)}, ErrDamaged, "seed"},
		"no format":                      {map[string]string{logName: string(make([]byte, headSize)) + whole[headSize:]}, ErrDamaged, "byte 0"},
		"zeros":                          {map[string]string{logName: string(make([]byte, 2000))}, ErrDamaged, "byte 0"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range c.files {
				if path := filepath.Join(dir, name); strings.HasSuffix(name, "/") {
					must(t, os.Mkdir(path, 0o700))
				} else {
					must(t, os.WriteFile(path, []byte(text), 0o600))
				}
			}
			before := contents(t, dir)
			for call, open := range openings {
				if err := open(dir); !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) || !strings.Contains(err.Error(), dir) {
					t.Errorf("%s = %v, want %v with %q", call, err, c.want, c.text)
				}
			}
			after := contents(t, dir)
			delete(after, lockName)
			if diff := cmp.Diff(before, after); diff != "" {
				t.Errorf("the directory has changed (-before +after):\n%s", diff)
			}
		})
	}
}

func TestOpenReadOnlyWithoutStore(t *testing.T) {
	dir := t.TempDir()
	if _, err := OpenReadOnly(dir); !errors.Is(err, ErrNotFrontier) || len(contents(t, dir)) > 0 {
		t.Errorf("OpenReadOnly of an empty directory = %v, and leaves %v", err, contents(t, dir))
	}
	if _, err := OpenReadOnly(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("OpenReadOnly of nothing = %v", err)
	}
}

// TestLostLog has no log, or an empty one, beside an index: the store is damaged, and not created anew.
func TestLostLog(t *testing.T) {
	for name, lose := range map[string]func(log string) error{
		"removed": os.Remove,
		"emptied": func(log string) error { return os.Truncate(log, 0) },
	} {
		dir := t.TempDir()
		s := open(t, dir, nil)
		addURLs(t, s, "http://a.test/1")
		closeStore(t, s)
		must(t, lose(filepath.Join(dir, logName)))
		for call, open := range openings {
			if err := open(dir); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), dir) {
				t.Errorf("%s: %s = %v, want %v", name, call, err, ErrDamaged)
			}
		}
	}
}
