//go:build unix

package pebblestore

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestOpenReadOnlyDirectory reads a store in a directory that this process may not write.
func TestOpenReadOnlyDirectory(t *testing.T) {
	if alone(t) { // since it changes the user
		return
	}
	top := filepath.Dir(t.TempDir()) // only its owner may enter it
	dir := filepath.Join(top, "store")
	s := open(t, dir, nil)
	addURLs(t, s, "http://a.test/1", "http://a.test/2")
	closeStore(t, s)

	end := openElsewhere(t, dir)
	forbid(t, top, dir)
	if _, err := OpenReadOnly(dir); !errors.Is(err, ErrInUse) {
		t.Errorf("OpenReadOnly of a store that is open = %v, want %v", err, ErrInUse)
	}
	end()
	before := list(t, dir)
	if _, err := Open(dir, nil); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("Open = %v, want %v", err, fs.ErrPermission)
	}
	look(t, dir)
	if after := list(t, dir); after != before {
		t.Errorf("%s has %s, and had %s", dir, after, before)
	}

	unlocked := filepath.Join(top, "copy")
	permit(t, top)
	if err := errors.Join(os.CopyFS(unlocked, os.DirFS(dir)), os.Remove(filepath.Join(unlocked, lockName))); err != nil {
		t.Fatal(err)
	}
	forbid(t, top, unlocked)
	look(t, unlocked)
}

// openElsewhere makes another process open a store until it is told to end.
func openElsewhere(t *testing.T, dir string) (end func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), leakEnv+"=", childEnv+"="+dir, variantEnv+"=default")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(in, "open -\n"); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); strings.TrimSpace(line) != "opened" {
		t.Fatalf("the other process says %q, %v", line, err)
	}
	return func() {
		if err := errors.Join(in.Close(), cmd.Wait()); err != nil {
			t.Error(err)
		}
	}
}

// forbid removes this process's permission to write a directory and its lock file, until permit
// or the end of the test.
func forbid(t *testing.T, top, dir string) {
	t.Helper()
	for name, mode := range map[string]fs.FileMode{
		top: 0o755, dir: 0o555,
		filepath.Join(dir, lockName): 0o444, filepath.Join(dir, ownerName): 0o444,
	} {
		if err := os.Chmod(name, mode); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
	if os.Getuid() == 0 { // root may write everywhere
		if err := syscall.Seteuid(65534); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		permit(t, top)
		if err := os.Chmod(dir, 0o700); err != nil {
			t.Error(err)
		}
	})
}

// permit makes this process the owner of top again.
func permit(t *testing.T, top string) {
	t.Helper()
	if os.Getuid() == 0 {
		if err := syscall.Seteuid(0); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(top, 0o700); err != nil {
		t.Fatal(err)
	}
}

// look opens the store, which has two pending URLs, for reading.
func look(t *testing.T, dir string) {
	t.Helper()
	v, err := OpenReadOnly(dir)
	if err != nil {
		t.Fatal(err)
	}
	for h, err := range v.Hosts() {
		if err != nil || h.Pending != 2 {
			t.Errorf("Hosts = %+v, %v, want 2 URLs pending", h, err)
		}
	}
	if err := v.Close(); err != nil {
		t.Error(err)
	}
}
