package crawler

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strconv"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// copies knows the pages that were written by the hashes of their bodies, so that
// those with the same body can be told.
type copies struct {
	name string           // of pages.jsonl
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
func (c *copies) read(at int64, p *output.Page) error {
	file, err := os.Open(c.name)
	if err != nil {
		return fmt.Errorf("crawler: %w", err)
	}
	defer func() { _ = file.Close() }()
	if _, err := file.Seek(at, 0); err != nil {
		return fmt.Errorf("crawler: %w", err)
	}
	if err := json.NewDecoder(file).Decode(p); err != nil {
		return fmt.Errorf("crawler: %q: %w", c.name, err)
	}
	return nil
}
