// Package whole finds out what of a file of lines is whole: its last line may have been
// torn when the process that wrote it was killed, or its machine went down.
package whole

import (
	"bytes"
	"io"
)

// Lines returns how many of the first length bytes of a file are whole lines. It reads
// backwards from there, no further than to the end of the last of them.
func Lines(r io.ReaderAt, length int64) (int64, error) {
	var buf [4096]byte
	for end := length; end > 0; {
		start := max(end-int64(len(buf)), 0)
		part := buf[:end-start]
		if _, err := r.ReadAt(part, start); err != nil {
			return 0, err
		}
		if i := bytes.LastIndexByte(part, '\n'); i >= 0 {
			return start + int64(i) + 1, nil
		}
		end = start
	}
	return 0, nil
}
