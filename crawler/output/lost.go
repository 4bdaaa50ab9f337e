package output

import (
	"errors"
	"fmt"
)

// ErrIncomplete says that files of a format lack data from before their checkpoint.
var ErrIncomplete = errors.New("incomplete")

// A Loss describes data that a file of a crawl has lost since it was written. Somebody changed
// or removed the file, or the machine crashed before the data was on disk.
type Loss struct {
	File       string `json:"file"`        // name in the directory of the crawl
	Bytes      int64  `json:"bytes"`       // number of lost bytes; 0 means the whole file, of unknown size
	SizeBefore int64  `json:"size_before"` // size of the file before the loss, in bytes; 0 if not known

	Damage string `json:"damage,omitempty"` // which lines cannot be read, and why
}

// String describes the loss in a sentence.
func (l Loss) String() string {
	switch {
	case l.Damage != "":
		return fmt.Sprintf("%s is damaged: %s; all other lines can be read", l.File, l.Damage)
	case l.Bytes == 0:
		return l.File + " is gone"
	}
	return fmt.Sprintf("%s has lost %d of %d bytes", l.File, l.Bytes, l.SizeBefore)
}
