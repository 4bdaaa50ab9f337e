package pebblestore

import (
	"errors"
	"io"
	"os"
)

// Lock locks the directory dir as a store that is open has it, and makes it where it is
// missing, without a store in it. It is for who keeps a frontier elsewhere and files
// beside dir that two processes must not write. The error is an *InUseError when another
// has it.
func Lock(dir string) (io.Closer, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	d, err := lockDirectory(dir, false)
	if err != nil {
		return nil, err
	}
	if err := d.sign(); err != nil {
		return nil, errors.Join(err, d.close())
	}
	return lock{d}, nil
}

type lock struct{ *directory }

// Close gives the lock back.
func (l lock) Close() error { return l.close() }
