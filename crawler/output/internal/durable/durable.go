// Package durable brings to the disk what the formats of package output write.
package durable

import (
	"errors"
	"os"
)

// Dir returns when the names in a directory have reached the disk. A file whose bytes
// have, and whose name has not, is not there after the machine went down.
func Dir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
