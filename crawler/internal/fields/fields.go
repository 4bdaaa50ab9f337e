// Package fields encodes and decodes records of a frontier, also those that a crawl gives it. Fields follow
// each other, and the last one may have no length. Decoding a damaged record returns an error.
package fields

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// ErrCut means that a record ends before its last field.
var ErrCut = errors.New("a record is cut off")

// AppendString appends the length of s and s.
func AppendString(buf []byte, s string) []byte {
	return append(binary.AppendUvarint(buf, uint64(len(s))), s...)
}

// AppendValidators appends v. Its last field has no length.
func AppendValidators(buf []byte, v *frontier.Validators) []byte {
	buf = AppendString(buf, v.ETag)
	buf = AppendString(buf, v.LastModified)
	return append(buf, v.BodyHash...)
}

// A Reader decodes a record. After a missing field, Bad is set and all fields are zero.
type Reader struct {
	Rest []byte // still to be read
	Bad  bool
}

// Err returns ErrCut if a field was missing.
func (r *Reader) Err() error {
	if r.Bad {
		return ErrCut
	}
	return nil
}

func (r *Reader) bytes(n int) []byte {
	if r.Bad || n > len(r.Rest) {
		r.Bad = true
		return nil
	}
	b := r.Rest[:n]
	r.Rest = r.Rest[n:]
	return b
}

// Byte reads a byte.
func (r *Reader) Byte() byte {
	if b := r.bytes(1); b != nil {
		return b[0]
	}
	return 0
}

// Uint32 reads a big-endian number.
func (r *Reader) Uint32() uint32 {
	if b := r.bytes(4); b != nil {
		return binary.BigEndian.Uint32(b)
	}
	return 0
}

// Uint64 reads a big-endian number.
func (r *Reader) Uint64() uint64 {
	if b := r.bytes(8); b != nil {
		return binary.BigEndian.Uint64(b)
	}
	return 0
}

// Uvarint reads a number as written by binary.AppendUvarint.
func (r *Reader) Uvarint() uint64 {
	v, n := binary.Uvarint(r.Rest)
	if r.Bad = r.Bad || n <= 0; r.bytes(n) == nil {
		return 0
	}
	return v
}

// Int is Uvarint for a number that fits into an int.
func (r *Reader) Int() int { return int(min(r.Uvarint(), math.MaxInt)) }

// Count reads the number of fields that follow, each of at least one byte.
func (r *Reader) Count() int {
	n := r.Int()
	if n > len(r.Rest) {
		r.Bad = true
		return 0
	}
	return n
}

// Varint reads a number as written by binary.AppendVarint.
func (r *Reader) Varint() int64 {
	v, n := binary.Varint(r.Rest)
	if r.Bad = r.Bad || n <= 0; r.bytes(n) == nil {
		return 0
	}
	return v
}

// String reads a string as written by AppendString.
func (r *Reader) String() string { return string(r.bytes(r.Int())) }

// Tail returns a copy of the rest, or nil.
func (r *Reader) Tail() []byte {
	if len(r.Rest) == 0 {
		return nil
	}
	return bytes.Clone(r.Rest)
}

// Validators reads validators as written by AppendValidators.
func (r *Reader) Validators() *frontier.Validators {
	return &frontier.Validators{ETag: r.String(), LastModified: r.String(), BodyHash: r.Tail()}
}
