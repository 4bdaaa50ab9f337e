package record

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// duplicates knows the written pages by the hashes of their bodies, so that pages
// with the same body are marked.
type duplicates struct {
	lineReader // of pages.jsonl

	at map[uint64]int64 // where the line of the first page with a hash begins
}

func newDuplicates(name string) *duplicates {
	return &duplicates{lineReader: lineReader{name: name}, at: make(map[uint64]int64)}
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
