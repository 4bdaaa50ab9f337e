// Package gunzip reads gzip streams as browsers do.
//
// Many servers send more than a gzip stream: a line end that a template adds, zeros up to a block size,
// or a comment of a cache. Package [compress/gzip] fails on such bytes, after it has returned all of the
// content. Others send a stream in several members, or state a wrong checksum. A [Reader] reads all
// members, ignores what follows them, and reports a wrong checksum as [ErrTrailer], so that the caller
// decides whether it matters.
package gunzip

import (
	"bufio"
	"compress/flate"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"hash"
	"hash/crc32"
	"io"
)

// ErrTrailer says that the checksum or the length after the content is wrong or missing. All of the
// content was read before.
var ErrTrailer = errors.New("gzip: wrong or missing checksum")

// errIncomplete replaces io.ErrUnexpectedEOF, which does not say what was incomplete.
var errIncomplete = errors.New("it is incomplete")

// Fault returns what is wrong with the data of a [Reader] that returned err. It returns nil if err has
// another cause, such as the source of the data.
func Fault(err error) error {
	var corrupt flate.CorruptInputError
	switch {
	case err == io.ErrUnexpectedEOF: //nolint:errorlint // a wrapped one is an error of the source
		return errIncomplete
	case errors.As(err, &corrupt), errors.Is(err, gzip.ErrHeader), errors.Is(err, ErrTrailer):
		return err
	}
	return nil
}

// Reader decompresses the members of a gzip stream (RFC 1952). It ends where no further member begins.
type Reader struct {
	r    *bufio.Reader
	data io.ReadCloser
	sum  hash.Hash32
	size uint32 // of the content of the member
	err  error  // of the next Read
}

// NewReader reads the header of the first member. The error is [io.EOF] if r is empty,
// [gzip.ErrHeader], or one of r.
func NewReader(r io.Reader) (*Reader, error) {
	z := &Reader{r: bufio.NewReader(r), sum: crc32.NewIEEE()}
	return z, z.open()
}

// The flags of a member.
const (
	flagHeaderSum = 1 << (iota + 1)
	flagExtra
	flagName
	flagComment
)

// maxText is the maximum length of a name or a comment, as in compress/gzip.
const maxText = 511

// open reads the header of a member. It does not verify its checksum.
func (z *Reader) open() error {
	var fixed [10]byte
	if n, err := io.ReadFull(z.r, fixed[:]); err != nil {
		if n > 0 && err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return err
	}
	if fixed[0] != 0x1f || fixed[1] != 0x8b || fixed[2] != 8 {
		return gzip.ErrHeader
	}
	skip := 0
	flags := fixed[3]
	if flags&flagExtra != 0 {
		var length [2]byte
		if _, err := io.ReadFull(z.r, length[:]); err != nil {
			return unexpected(err)
		}
		skip = int(binary.LittleEndian.Uint16(length[:]))
	}
	if _, err := z.r.Discard(skip); err != nil {
		return unexpected(err)
	}
	for _, text := range [...]byte{flagName, flagComment} {
		if flags&text == 0 {
			continue
		}
		for n := 0; ; n++ {
			switch c, err := z.r.ReadByte(); {
			case err != nil:
				return unexpected(err)
			case n == maxText:
				return gzip.ErrHeader
			case c != 0:
				continue
			}
			break
		}
	}
	if flags&flagHeaderSum != 0 {
		if _, err := z.r.Discard(2); err != nil {
			return unexpected(err)
		}
	}
	z.sum.Reset()
	z.size = 0
	if z.data == nil {
		z.data = flate.NewReader(z.r) // it reads single bytes, and so none after its end
		return nil
	}
	return z.data.(flate.Resetter).Reset(z.r, nil)
}

func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// Read implements io.Reader. Beyond the errors of r and of compress/flate, it returns [ErrTrailer].
func (z *Reader) Read(p []byte) (n int, err error) {
	for n == 0 && z.err == nil && len(p) > 0 {
		n, err = z.data.Read(p)
		_, _ = z.sum.Write(p[:n]) // which never fails
		z.size += uint32(n)
		if z.err = err; err == io.EOF {
			z.err = z.next()
		}
	}
	return n, z.err
}

// next reads the trailer of a member and the header of the next one. The error is io.EOF if there is
// none.
func (z *Reader) next() error {
	var trailer [8]byte
	switch _, err := io.ReadFull(z.r, trailer[:]); {
	case err == io.EOF, err == io.ErrUnexpectedEOF:
		return ErrTrailer
	case err != nil:
		return err
	case binary.LittleEndian.Uint32(trailer[:4]) != z.sum.Sum32() || binary.LittleEndian.Uint32(trailer[4:]) != z.size:
		return ErrTrailer
	}
	magic, err := z.r.Peek(3)
	switch {
	case len(magic) < 3 && err != io.EOF:
		return err
	case string(magic) != "\x1f\x8b\x08":
		return io.EOF // what follows is not a part of the stream
	}
	return z.open()
}

// Close does nothing. It does not close r.
func (z *Reader) Close() error { return nil }
