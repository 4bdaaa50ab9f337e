package crawler

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// copies knows the pages that were written by the hashes of their bodies, so that
// those with the same body can be told.
type copies struct {
	name string           // of pages.jsonl
	file *os.File         // opened when it is needed; nil: not yet
	at   map[uint64]int64 // where the line of the first page with a hash begins
}

func newCopies(name string) *copies { return &copies{name: name, at: make(map[uint64]int64)} }

// mark notes that a page is about to be written after pending, which is to be
// written at the end of a file of that length. One whose body another page has is
// marked as its copy.
func (c *copies) mark(p *output.Page, length int64, pending []byte) error {
	hash, err := strconv.ParseUint(p.Hash, 16, 64)
	if err != nil {
		return nil // it has no body, or none that may be shown
	}
	at, ok := c.at[hash]
	if !ok {
		c.at[hash] = length + int64(len(pending))
		return nil
	}
	var first output.Page
	if at >= length {
		err = json.NewDecoder(bytes.NewReader(pending[at-length:])).Decode(&first)
	} else {
		err = c.read(at, &first)
	}
	p.DuplicateOf = first.URL
	return err
}

// restore notes a page whose line begins at a place.
func (c *copies) restore(p *output.Page, at int64) {
	hash, err := strconv.ParseUint(p.Hash, 16, 64)
	if err != nil || p.DuplicateOf != "" {
		return
	}
	c.at[hash] = at
}

// read reads the line that begins at a place in the file.
func (c *copies) read(at int64, p *output.Page) (err error) {
	if c.file == nil {
		if c.file, err = os.Open(c.name); err != nil {
			return fmt.Errorf("crawler: %w", err)
		}
	}
	rest := io.NewSectionReader(c.file, at, math.MaxInt64-at)
	if err := json.NewDecoder(rest).Decode(p); err != nil {
		return fmt.Errorf("crawler: %q: %w", c.name, err)
	}
	return nil
}

func (c *copies) close() error {
	if c.file == nil {
		return nil
	}
	return c.file.Close()
}
