package warc

import (
	"crypto/rand"
	"crypto/sha1" //nolint:gosec // the usual digest of WARC files; see README.md
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"hash"
	"slices"
	"strconv"
	"time"
)

// newID returns the ID of a record: a random UUID (RFC 9562, version 4).
func newID() string {
	var id [16]byte
	_, _ = rand.Read(id[:]) // never fails
	id[6] = id[6]&0x0f | 0x40
	id[8] = id[8]&0x3f | 0x80
	return fmt.Sprintf("<urn:uuid:%x-%x-%x-%x-%x>", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}

// An encoder makes headers of records in a reused buffer.
type encoder struct {
	head    []byte
	newHash func() hash.Hash // of digests
}

func newEncoder(algorithm string) *encoder {
	if algorithm == SHA256 {
		return &encoder{newHash: sha256.New}
	}
	return &encoder{newHash: sha1.New}
}

// begin starts the header of a record with the common fields.
func (e *encoder) begin(kind, id string, date time.Time) {
	e.head = append(e.head[:0], "WARC/"+edition+"\r\n"...)
	e.add("WARC-Type", kind)
	e.add("WARC-Record-ID", id)
	e.add("WARC-Date", formatDate(date))
}

// add adds a field. The value must not have a line break.
func (e *encoder) add(name, value string) {
	e.head = append(e.head, name+": "+value+"\r\n"...)
}

// addAll adds fields, given as names and values, that have a value.
func (e *encoder) addAll(fields ...string) {
	for field := range slices.Chunk(fields, 2) {
		if field[1] != "" {
			e.add(field[0], field[1])
		}
	}
}

// end adds the fields about the block. The header is valid until the next begin.
func (e *encoder) end(contentType, blockDigest string, size int64) []byte {
	e.add("WARC-Block-Digest", blockDigest)
	e.add("Content-Type", contentType)
	e.add("Content-Length", strconv.FormatInt(size, 10))
	e.head = append(e.head, "\r\n"...)
	return e.head
}

// digestOf returns the digest of a block in memory.
func (e *encoder) digestOf(block []byte) string {
	h := e.newHash()
	h.Write(block)
	return digest(h)
}

// digest returns a digest as the fields of records have it.
func digest(h hash.Hash) string {
	if h.Size() == sha256.Size {
		return fmt.Sprintf("sha256:%x", h.Sum(nil))
	}
	return "sha1:" + base32.StdEncoding.EncodeToString(h.Sum(nil))
}
