package output

import (
	"errors"
	"fmt"
)

// ErrIncomplete says that the files of a format lack something that its mark counts.
var ErrIncomplete = errors.New("incomplete")

// A Loss is what a file of a crawl has lost since it was written: somebody has changed or
// removed it, or the machine went down before its disk had all of it.
type Loss struct {
	File  string `json:"file"`  // its name in the directory of the crawl
	Bytes int64  `json:"bytes"` // that are gone; 0: the whole file is, and nobody knows how long it was
	Had   int64  `json:"had"`   // bytes that it had; 0: not known

	Damage string `json:"damage,omitempty"` // which of its lines are there and cannot be read, and why
}

// String says it for a person.
func (l Loss) String() string {
	switch {
	case l.Damage != "":
		return fmt.Sprintf("%s is damaged: %s; all other lines can be read", l.File, l.Damage)
	case l.Bytes == 0:
		return l.File + " is gone"
	}
	return fmt.Sprintf("%s has lost %d of %d bytes", l.File, l.Bytes, l.Had)
}
