package results

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// duplicates has the hashes of the bodies of written pages, to mark pages with the same body.
type duplicates struct {
	lineReader // of pages.jsonl

	at map[uint64]int64 // hash → offset of the line of the first page with it
}

func newDuplicates(name string) *duplicates {
	return &duplicates{lineReader: lineReader{name: name}, at: make(map[uint64]int64)}
}

// mark marks a page as a duplicate if an earlier page has the same body. The page will be
// written after pending, at the end of a file of a length.
func (d *duplicates) mark(p *output.Page, length int64, pending []byte) error {
	hash, err := strconv.ParseUint(p.Hash, 16, 64)
	if err != nil || p.Truncated != "" {
		return nil // no body, a withheld one, or only its beginning
	}
	at, ok := d.at[hash]
	if !ok {
		d.at[hash] = length + int64(len(pending))
		return nil
	}
	var first struct {
		URL string `json:"url"`
	}
	if at >= length {
		err = json.NewDecoder(bytes.NewReader(pending[at-length:])).Decode(&first)
	} else {
		err = d.read(at, &first)
	}
	p.DuplicateOf = first.URL
	return err
}

// restore adds a page whose line begins at an offset.
func (d *duplicates) restore(p *output.Page, at int64) {
	hash, err := strconv.ParseUint(p.Hash, 16, 64)
	if err != nil || p.Truncated != "" || p.DuplicateOf != "" {
		return
	}
	d.at[hash] = at
}
