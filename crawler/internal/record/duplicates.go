package record

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

// duplicates knows the written pages by the hashes of their bodies, so that pages
// with the same body are marked.
type duplicates struct {
	name string           // of pages.jsonl
	file *os.File         // opened when it is needed; nil: not yet
	at   map[uint64]int64 // where the line of the first page with a hash begins
}

func newDuplicates(name string) *duplicates {
	return &duplicates{name: name, at: make(map[uint64]int64)}
}

// mark notes that a page is about to be written after pending, which is to be
// written at the end of a file of that length. One whose body another page has is
// marked as its duplicate.
func (d *duplicates) mark(p *output.Page, length int64, pending []byte) error {
	hash, err := strconv.ParseUint(p.Hash, 16, 64)
	if err != nil {
		return nil // it has no body, or none that may be shown
	}
	at, ok := d.at[hash]
	if !ok {
		d.at[hash] = length + int64(len(pending))
		return nil
	}
	var first output.Page
	if at >= length {
		err = json.NewDecoder(bytes.NewReader(pending[at-length:])).Decode(&first)
	} else {
		err = d.read(at, &first)
	}
	p.DuplicateOf = first.URL
	return err
}

// restore notes a page whose line begins at a place.
func (d *duplicates) restore(p *output.Page, at int64) {
	hash, err := strconv.ParseUint(p.Hash, 16, 64)
	if err != nil || p.DuplicateOf != "" {
		return
	}
	d.at[hash] = at
}

// read reads the line that begins at a place in the file.
func (d *duplicates) read(at int64, p *output.Page) (err error) {
	if d.file == nil {
		if d.file, err = os.Open(d.name); err != nil {
			return err
		}
	}
	rest := io.NewSectionReader(d.file, at, math.MaxInt64-at)
	if err := json.NewDecoder(rest).Decode(p); err != nil {
		return fmt.Errorf("%q: %w", d.name, err)
	}
	return nil
}

func (d *duplicates) close() error {
	if d.file == nil {
		return nil
	}
	return d.file.Close()
}
