package output

import (
	"errors"
	"fmt"
)

// ErrIncomplete says that the files of a format have less than their mark says.
var ErrIncomplete = errors.New("incomplete")

// A Loss says what a file of a crawl has lost since it was written: somebody changed or removed
// it, or the machine crashed before the data was on disk.
type Loss struct {
	File  string `json:"file"`  // its name in the directory of the crawl
	Bytes int64  `json:"bytes"` // lost; 0: the whole file, of unknown size
	Had   int64  `json:"had"`   // original size in bytes; 0: unknown

	Damage string `json:"damage,omitempty"` // which of its lines cannot be read, and why
}

// String returns a description for a person.
func (l Loss) String() string {
	switch {
	case l.Damage != "":
		return fmt.Sprintf("%s is damaged: %s; all other lines can be read", l.File, l.Damage)
	case l.Bytes == 0:
		return l.File + " is gone"
	}
	return fmt.Sprintf("%s has lost %d of %d bytes", l.File, l.Bytes, l.Had)
}
