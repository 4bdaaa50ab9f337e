// Package fields writes records of the stores: fields one behind the other, the last of
// which may have no length. It reads them back, whatever a disk or a server made of them.
package fields

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// ErrCut says that a record ends before its last field.
var ErrCut = errors.New("a record is cut off")

// AppendString appends s with its length in front.
func AppendString(buf []byte, s string) []byte {
	return append(binary.AppendUvarint(buf, uint64(len(s))), s...)
}

// AppendValidators appends v, whose last field has no length.
func AppendValidators(buf []byte, v *frontier.Validators) []byte {
	buf = AppendString(buf, v.ETag)
	buf = AppendString(buf, v.LastModified)
	return append(buf, v.BodyHash...)
}

// A Reader reads a record from the front. After the first field that is not there all are
// zero, and Bad is set.
type Reader struct {
	Rest []byte // still to be read
	Bad  bool
}

// Err returns ErrCut when a field was not there.
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

// Uint32 reads a number in big endian.
func (r *Reader) Uint32() uint32 {
	if b := r.bytes(4); b != nil {
		return binary.BigEndian.Uint32(b)
	}
	return 0
}

// Uint64 reads a number in big endian.
func (r *Reader) Uint64() uint64 {
	if b := r.bytes(8); b != nil {
		return binary.BigEndian.Uint64(b)
	}
	return 0
}

// Uvarint reads a number that binary.AppendUvarint has written.
func (r *Reader) Uvarint() uint64 {
	v, n := binary.Uvarint(r.Rest)
	if r.Bad = r.Bad || n <= 0; r.bytes(n) == nil {
		return 0
	}
	return v
}

// Int is Uvarint for a number that fits into an int.
func (r *Reader) Int() int { return int(min(r.Uvarint(), math.MaxInt)) }

// Count is Int for a number of fields to come, each of which takes a byte at least.
func (r *Reader) Count() int {
	n := r.Int()
	if n > len(r.Rest) {
		r.Bad = true
		return 0
	}
	return n
}

// Varint reads a number that binary.AppendVarint has written.
func (r *Reader) Varint() int64 {
	v, n := binary.Varint(r.Rest)
	if r.Bad = r.Bad || n <= 0; r.bytes(n) == nil {
		return 0
	}
	return v
}

// String reads what AppendString has written.
func (r *Reader) String() string { return string(r.bytes(r.Int())) }

// Tail returns a copy of what is left, nil when that is nothing.
func (r *Reader) Tail() []byte {
	if len(r.Rest) == 0 {
		return nil
	}
	return bytes.Clone(r.Rest)
}

// Validators reads what AppendValidators has written.
func (r *Reader) Validators() *frontier.Validators {
	return &frontier.Validators{ETag: r.String(), LastModified: r.String(), BodyHash: r.Tail()}
}
