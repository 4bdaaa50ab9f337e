package logstore

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestHeadAcrossSectors has a frame whose head begins with zeros that end a sector. If its other bytes are
// damaged, it must not look like a frame that was not written, since that would cut off what follows.
func TestHeadAcrossSectors(t *testing.T) {
	for _, follows := range []bool{true, false} {
		dir := t.TempDir()
		s := open(t, dir, nil)
		pad := func(size int) { // adds a frame of this size
			t.Helper()
			length := size - headSize - sumSize - 1 - len("n")
			if length > 120 {
				length--
			}
			_, err := s.Finish(t.Context(), nil, []byte(strings.Repeat("x", length)))
			must(t, err)
		}
		pad(sectorSize - 1 - int(s.file.size)) // one byte of the sector is left
		at := s.file.size
		pad(headSize + 256) // the lowest byte of its length is 0
		if follows {
			addURLs(t, s, "http://a.test/1")
		}
		closeStore(t, s)
		must(t, os.Remove(filepath.Join(dir, indexName)))
		log, err := os.ReadFile(s.file.path)
		must(t, err)
		if at%sectorSize != sectorSize-1 || binary.LittleEndian.Uint32(log[at:]) != 256 {
			t.Fatalf("the frame at %d has %d bytes", at, binary.LittleEndian.Uint32(log[at:]))
		}
		log[at+5] ^= 1
		must(t, os.WriteFile(s.file.path, log, 0o600))
		_, err = Open(dir, nil)
		if follows != (err != nil) {
			t.Errorf("a frame follows: %v; Open = %v", follows, err)
		}
	}
}
