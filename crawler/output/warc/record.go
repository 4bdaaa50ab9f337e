package warc

import (
	"crypto/sha1" //nolint:gosec // a name for content, by the convention of the field; see doc.go
	"encoding/base32"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"strconv"
	"time"
)

// A recordID names a record for good: a random UUID (RFC 9562, version 4). The zero
// value is none.
type recordID [16]byte

func newID(random io.Reader) (id recordID, err error) {
	if _, err := io.ReadFull(random, id[:]); err != nil {
		return id, fmt.Errorf("identifier of a record: %w", err)
	}
	id[6] = id[6]&0x0f | 0x40
	id[8] = id[8]&0x3f | 0x80
	return id, nil
}

// appendTo appends the identifier in the form in which every field has it.
func (id recordID) appendTo(dst []byte) []byte {
	dst = append(dst, "<urn:uuid:"...)
	for i, part := range [][]byte{id[:4], id[4:6], id[6:8], id[8:10], id[10:]} {
		if i > 0 {
			dst = append(dst, '-')
		}
		dst = hex.AppendEncode(dst, part)
	}
	return append(dst, '>')
}

// An encoder makes headers of records, one after the other, in memory that it uses
// again.
type encoder struct {
	head []byte
	sha1 hash.Hash
	sum  []byte
}

func newEncoder() *encoder {
	return &encoder{sha1: sha1.New()} //nolint:gosec // as above
}

// begin starts the header of a record with the fields that every one has.
func (e *encoder) begin(kind string, id recordID, date time.Time) {
	e.head = append(e.head[:0], "WARC/"+edition+"\r\n"...)
	e.add("WARC-Type", kind)
	e.addID("WARC-Record-ID", id)
	e.add("WARC-Date", formatDate(date))
}

// add adds a field whose value is of our own making.
func (e *encoder) add(name, value string) {
	e.head = append(e.head, name...)
	e.head = append(e.head, ": "...)
	e.head = append(e.head, value...)
	e.head = append(e.head, "\r\n"...)
}

// addID adds a field with the identifier of a record.
func (e *encoder) addID(name string, id recordID) {
	e.head = append(e.head, name...)
	e.head = append(e.head, ": "...)
	e.head = id.appendTo(e.head)
	e.head = append(e.head, "\r\n"...)
}

// addURI adds a field with a URL that may come from anywhere.
func (e *encoder) addURI(name, url string) {
	e.head = append(e.head, name...)
	e.head = append(e.head, ": "...)
	e.head = appendURI(e.head, url)
	e.head = append(e.head, "\r\n"...)
}

// addDigest adds a field with the digest of the parts as one.
func (e *encoder) addDigest(name string, parts ...[]byte) {
	e.sha1.Reset()
	for _, part := range parts {
		_, _ = e.sha1.Write(part) // never fails, as hash.Hash says
	}
	e.sum = e.sha1.Sum(e.sum[:0])
	e.head = append(e.head, name...)
	e.head = append(e.head, ": sha1:"...)
	e.head = base32.StdEncoding.AppendEncode(e.head, e.sum)
	e.head = append(e.head, "\r\n"...)
}

// end ends the header with what it says about the block, and returns it until the
// next begin.
func (e *encoder) end(contentType string, block ...[]byte) []byte {
	e.addDigest("WARC-Block-Digest", block...)
	e.add("Content-Type", contentType)
	e.head = append(e.head, "Content-Length: "...)
	e.head = strconv.AppendInt(e.head, int64(size(block)), 10)
	e.head = append(e.head, "\r\n\r\n"...)
	return e.head
}

func size(parts [][]byte) int {
	n := 0
	for _, part := range parts {
		n += len(part)
	}
	return n
}
