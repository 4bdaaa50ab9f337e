//go:build unix

package pebblestore

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/politecrawl/politecrawl/crawler/frontier/storetest"
)

// soon returns the result of call, which must return quickly.
func soon(t *testing.T, call func() error) error {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- call() }()
	select {
	case err := <-done:
		return err
	case <-time.After(10 * time.Second):
		t.Fatal("it does not return")
		return nil
	}
}

// TestOpenOnFullDisk opens a store whose log must be converted into tables, without room for
// them.
func TestOpenOnFullDisk(t *testing.T) {
	if alone(t) {
		return
	}
	original := filepath.Join(t.TempDir(), "killed")
	dir := t.TempDir()
	s := open(t, dir, nil)
	var urls []string
	for n := range 1000 {
		items := itemsOf(fmt.Sprintf("http://a.test/%d", n))
		items[0].Meta = make([]byte, 1000)
		if _, err := rand.Read(items[0].Meta); err != nil {
			t.Fatal(err)
		}
		addItems(t, s, items...)
		urls = append(urls, items[0].URL)
	}
	if err := os.CopyFS(original, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	closeStore(t, s)
	for _, room := range []int64{0, 1 << 10, 8 << 10, 100 << 10, 500 << 10} {
		t.Run(fmt.Sprint(room), func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "copy")
			if err := os.CopyFS(dir, os.DirFS(original)); err != nil {
				t.Fatal(err)
			}
			d, err := openDirectory(dir)
			if err != nil {
				t.Fatal(err)
			}
			disk := &fullDisk{FS: vfs.Default}
			disk.room.Store(room)
			d.fs = disk
			opts := (&Options{memTable: 256 << 10}).withDefaults()
			err = soon(t, func() error { return errors.Join(newStore(opts, d).open(), d.Close()) })
			if !errors.Is(err, syscall.ENOSPC) {
				t.Errorf("open = %v, want %v", err, syscall.ENOSPC)
			}
			disk.room.Store(1 << 40) // the failed opening must not use the room

			again := open(t, dir, nil)
			known, err := again.Known(t.Context(), keysOf(urls...))
			if err != nil || bytes.Contains(fmt.Append(nil, known), []byte("false")) {
				t.Errorf("Known = %v, %v, want all", known, err)
			}
			closeStore(t, again)
			check(t, dir)
		})
	}
}

// TestCloseOnFullDisk checks that Close returns the failure if no other call did.
func TestCloseOnFullDisk(t *testing.T) {
	if alone(t) {
		return
	}
	for name, fill := range map[string]func(*Store, *fullDisk){
		"while it closes": func(_ *Store, disk *fullDisk) { disk.room.Store(0) },
		"before": func(s *Store, disk *fullDisk) {
			disk.room.Store(0)
			leaseURL(t, s, "http://a.test/1") // its attempt is written in the background
			<-s.failed
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			disk := &fullDisk{FS: vfs.Default}
			disk.room.Store(1 << 20)
			s := openOn(t, dir, disk, nil)
			addURLs(t, s, "http://a.test/1")
			fill(s, disk)
			if err := soon(t, s.Close); !errors.Is(err, syscall.ENOSPC) {
				t.Errorf("Close = %v, want %v", err, syscall.ENOSPC)
			}
			if err := soon(t, s.Close); err != nil {
				t.Errorf("second Close = %v", err)
			}
			disk.room.Store(1 << 40)
			again := open(t, dir, nil)
			leaseURL(t, again, "http://a.test/1")
			closeStore(t, again)
			check(t, dir)
		})
	}
}

// TestFailureReturnedOnce checks that Close does not return a failure that another call has
// returned.
func TestFailureReturnedOnce(t *testing.T) {
	if alone(t) {
		return
	}
	for name := range storetest.Calls((*Store)(nil)) {
		t.Run(name, func(t *testing.T) {
			disk := &fullDisk{FS: vfs.Default}
			disk.room.Store(1 << 20)
			s := openOn(t, t.TempDir(), disk, nil)
			addURLs(t, s, "http://a.test/1")
			disk.room.Store(0)
			leaseURL(t, s, "http://a.test/1")
			<-s.failed
			if err := storetest.Calls(s)[name](t.Context()); !errors.Is(err, syscall.ENOSPC) {
				t.Errorf("%s = %v, want %v", name, err, syscall.ENOSPC)
			}
			if err := s.Close(); err != nil {
				t.Errorf("Close = %v after %s has returned the failure", err, name)
			}
		})
	}
}
