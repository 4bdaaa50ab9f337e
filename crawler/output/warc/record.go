package warc

import (
	"crypto/sha1" //nolint:gosec // the usual digest of WARC files; see README.md
	"encoding/base32"
	"fmt"
	"io"
	"strconv"
	"time"
)

// A recordID is a random UUID (RFC 9562, version 4). The zero value means no record.
type recordID [16]byte

func newID(random io.Reader) (id recordID, err error) {
	if _, err := io.ReadFull(random, id[:]); err != nil {
		return id, fmt.Errorf("create record ID: %w", err)
	}
	id[6] = id[6]&0x0f | 0x40
	id[8] = id[8]&0x3f | 0x80
	return id, nil
}

// String returns the ID as in the fields of records.
func (id recordID) String() string {
	return fmt.Sprintf("<urn:uuid:%x-%x-%x-%x-%x>", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}

// An encoder makes headers of records in a reused buffer.
type encoder struct{ head []byte }

// begin starts the header of a record with the common fields.
func (e *encoder) begin(kind string, id recordID, date time.Time) {
	e.head = append(e.head[:0], "WARC/"+edition+"\r\n"...)
	e.add("WARC-Type", kind)
	e.add("WARC-Record-ID", id.String())
	e.add("WARC-Date", formatDate(date))
}

// add adds a field. The value must not have a line break.
func (e *encoder) add(name, value string) {
	e.head = append(e.head, name+": "+value+"\r\n"...)
}

// end adds the fields about the block. The header is valid until the next begin.
func (e *encoder) end(contentType string, block ...[]byte) []byte {
	size := 0
	for _, part := range block {
		size += len(part)
	}
	e.add("WARC-Block-Digest", digest(block...))
	e.add("Content-Type", contentType)
	e.add("Content-Length", strconv.Itoa(size))
	e.head = append(e.head, "\r\n"...)
	return e.head
}

// digest returns the digest of the concatenated parts.
func digest(parts ...[]byte) string {
	h := sha1.New() //nolint:gosec // as above
	for _, part := range parts {
		_, _ = h.Write(part) // never fails, as hash.Hash says
	}
	return "sha1:" + base32.StdEncoding.EncodeToString(h.Sum(nil))
}
