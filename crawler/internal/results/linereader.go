package results

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
)

// lineReader reads single lines of a JSON Lines file.
type lineReader struct {
	name string
	file *os.File // opened by the first read; nil: not yet
}

// read reads the line that begins at an offset.
func (l *lineReader) read(at int64, v any) (err error) {
	if l.file == nil {
		if l.file, err = os.Open(l.name); err != nil {
			return err
		}
	}
	rest := io.NewSectionReader(l.file, at, math.MaxInt64-at)
	if err := json.NewDecoder(rest).Decode(v); err != nil {
		return fmt.Errorf("%q: %w", l.name, err)
	}
	return nil
}

func (l *lineReader) close() error {
	if l.file == nil {
		return nil
	}
	return l.file.Close()
}
