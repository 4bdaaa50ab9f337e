package logstore

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"iter"
	"os"

	"github.com/politecrawl/politecrawl/crawler/frontier/internal/seen"
	"github.com/politecrawl/politecrawl/crawler/frontier/internal/siphash"
	"github.com/politecrawl/politecrawl/crawler/internal/durable"
	"github.com/politecrawl/politecrawl/crawler/internal/fields"
)

const (
	magic        = "politecrawl frontier\n"
	version      = 3
	lastDatabase = 2 // formats 1 and 2 were databases

	headSize   = 9 // length, type and checksum of a frame
	typeFormat = 'F'
	typeCommit = 'C'
	sumSize    = 4                                                                     // of a record
	idSize     = 16                                                                    // of a log
	firstSize  = headSize + sumSize + 1 + len(magic) + 1 + idSize + len(siphash.Key{}) // of the first frame
	sectorSize = 512
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// A file is a log.
type file struct {
	*os.File
	path  string
	salt  uint32 // start value of checksums: two logs have different ones
	id    [idSize]byte
	seed  siphash.Key
	start int64 // end of the first frame
	size  int64 // end of the last frame
}

// createFile creates an empty log. Nothing is synced.
func createFile(path string, seed siphash.Key) (*file, error) {
	f := &file{path: path, seed: seed}
	if _, err := rand.Read(f.id[:]); err != nil {
		return nil, err
	}
	head := binary.AppendUvarint([]byte(magic), version)
	head = append(append(head, f.id[:]...), seed[:]...)
	payload := append(make([]byte, headSize), appendRecord(nil, 0, head)...)
	putHead(payload, typeFormat, 0)
	var err error
	if f.File, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o644); err != nil {
		return nil, err
	}
	if _, err := f.Write(payload); err != nil {
		return nil, errors.Join(err, f.Close(), os.Remove(path))
	}
	f.begin(int64(len(payload)))
	f.size = f.start
	return f, nil
}

// openFile opens a log and reads its first frame. It returns io.ErrUnexpectedEOF if that was not
// written whole, so the log never had another one.
func openFile(path string, flag int) (*file, error) {
	open, err := os.OpenFile(path, flag, 0)
	if err != nil {
		return nil, err
	}
	f := &file{File: open, path: path}
	if err := f.readFormat(); err != nil {
		return nil, errors.Join(err, open.Close())
	}
	return f, nil
}

func (f *file) readFormat() error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	f.size = info.Size()
	s := f.scan(0, f.size)
	records, err := s.next(typeFormat)
	switch {
	case err == nil:
	case f.size <= int64(firstSize) && (errors.Is(err, io.EOF) || errors.Is(err, errTorn)):
		return io.ErrUnexpectedEOF
	case errors.Is(err, errTorn):
		return damaged(f.path, 0, "its beginning was not written")
	default:
		return err
	}
	for _, body := range f.records(0, records) {
		rest, ok := bytes.CutPrefix(body, []byte(magic))
		if !ok {
			break
		}
		r := &fields.Reader{Rest: rest}
		if v := r.Uvarint(); v != version {
			return formatError(f.path, v)
		}
		if copy(f.id[:], r.Rest)+copy(f.seed[:], r.Rest[min(idSize, len(r.Rest)):]) < idSize+len(f.seed) {
			return damaged(f.path, 0, "its seed is missing")
		}
		f.begin(s.at)
		return nil
	}
	return damaged(f.path, 0, "it has no format")
}

// formatError says what to do with a store of another version.
func formatError(path string, found uint64) error {
	return fmt.Errorf("%w: %s has format %d and this version needs %d; finish the crawl with the version of the program that began it, or begin anew in another directory",
		ErrFormat, path, found, version)
}

func (f *file) begin(start int64) {
	f.start, f.salt = start, crc32.Checksum(f.id[:], castagnoli)
}

// appendRecord appends a record: checksum, length and body.
func appendRecord(buf []byte, salt uint32, body []byte) []byte {
	at := len(buf)
	buf = append(buf, make([]byte, sumSize)...)
	buf = binary.AppendUvarint(buf, uint64(len(body)))
	buf = append(buf, body...)
	binary.LittleEndian.PutUint32(buf[at:], crc32.Update(salt, castagnoli, buf[at+sumSize:]))
	return buf
}

// putHead writes the head of a frame whose records follow it.
func putHead(frame []byte, kind byte, salt uint32) {
	binary.LittleEndian.PutUint32(frame, uint32(len(frame)-headSize))
	frame[4] = kind
	binary.LittleEndian.PutUint32(frame[5:], crc32.Update(salt, castagnoli, frame[:5]))
}

// maxFrame is the largest size of a frame.
const maxFrame = 1 << 30

// append writes a commit, which has room for its head.
func (f *file) append(frame []byte) error {
	if f.size+int64(len(frame)) > seen.MaxOffset || len(frame) > maxFrame {
		return fmt.Errorf("%s: too large", f.path)
	}
	putHead(frame, typeCommit, f.salt)
	if _, err := f.WriteAt(frame, f.size); err != nil {
		_ = f.Truncate(f.size) // else opening it cuts what was written
		return err
	}
	f.size += int64(len(frame))
	return nil
}

// guess is the size of most records.
const guess = 512

// record returns the body of the record at an offset.
func (f *file) record(at int64) ([]byte, error) {
	buf := make([]byte, guess)
	n, err := f.ReadAt(buf, at)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	length, k := binary.Uvarint(buf[min(sumSize, n):n])
	if k <= 0 || length > maxFrame {
		return nil, damaged(f.path, at, "a record is cut off")
	}
	if size := sumSize + k + int(length); size > n {
		buf = make([]byte, size)
		if n, err = f.ReadAt(buf, at); n < size {
			if errors.Is(err, io.EOF) {
				err = damaged(f.path, at, "a record is cut off")
			}
			return nil, err
		}
	}
	body, _, err := f.cutRecord(at, buf)
	return body, err
}

// cutRecord returns the body of the first record of buf, and what follows.
func (f *file) cutRecord(at int64, buf []byte) (body, rest []byte, err error) {
	if len(buf) > sumSize {
		length, k := binary.Uvarint(buf[sumSize:])
		if begin := sumSize + k; k > 0 && length > 0 && length <= uint64(len(buf)-begin) {
			end := begin + int(length)
			if binary.LittleEndian.Uint32(buf) == crc32.Update(f.salt, castagnoli, buf[sumSize:end]) {
				return buf[begin:end], buf[end:], nil
			}
		}
	}
	return nil, nil, damaged(f.path, at, "a checksum is wrong")
}

// records returns the offset and body of each record of a frame that scanner.next returned.
func (f *file) records(at int64, frame []byte) iter.Seq2[int64, []byte] {
	return func(yield func(int64, []byte) bool) {
		for len(frame) > 0 {
			length, k := binary.Uvarint(frame[sumSize:])
			begin := sumSize + k
			end := begin + int(length)
			if !yield(at, frame[begin:end]) {
				return
			}
			at, frame = at+int64(end), frame[end:]
		}
	}
}

// A scanner reads the frames of a log one after the other.
type scanner struct {
	file  *file
	in    *bufio.Reader
	at    int64 // end of the last frame
	to    int64
	frame []byte
}

const bufferSize = 1 << 20

func (f *file) scan(from, to int64) *scanner {
	in := bufio.NewReaderSize(io.NewSectionReader(f, from, to-from), int(min(to-from, bufferSize)))
	return &scanner{file: f, in: in, at: from, to: to}
}

// errTorn means that the last frame was not written whole.
var errTorn = errors.New("the last frame is not whole")

// next returns the records of the next frame, whose checksums are right, or io.EOF, errTorn or
// ErrDamaged.
func (s *scanner) next(kind byte) ([]byte, error) {
	left := s.to - s.at
	if left == 0 {
		return nil, io.EOF
	}
	head, err := s.in.Peek(int(min(headSize, left)))
	switch {
	case err != nil:
		return nil, err
	case len(head) < headSize:
		return nil, errTorn
	case !s.isHead(head) || head[4] != kind:
		begin, _ := s.in.Peek(int(min(left, 2*sectorSize)))
		return nil, s.torn(s.at, begin, headSize, damaged(s.file.path, s.at, "the head of a frame is wrong"))
	}
	length := int64(binary.LittleEndian.Uint32(head))
	if headSize+length > left {
		return nil, errTorn
	}
	if int64(cap(s.frame)) < length {
		s.frame = make([]byte, length)
	}
	frame := s.frame[:length]
	if _, err := s.in.Discard(headSize); err != nil {
		return nil, err
	}
	if _, err := io.ReadFull(s.in, frame); err != nil {
		return nil, err
	}
	at := s.at + headSize
	for rest := frame; len(rest) > 0; {
		var err error
		if _, rest, err = s.file.cutRecord(at+length-int64(len(rest)), rest); err != nil {
			return nil, s.torn(at, frame, len(frame), err)
		}
	}
	s.at = at + length
	return frame, nil
}

func (s *scanner) isHead(head []byte) bool {
	return binary.LittleEndian.Uint32(head[5:]) == crc32.Update(s.file.salt, castagnoli, head[:5])
}

// torn returns errTorn for a frame with a wrong checksum if it is the last one, and one of the sectors
// that its first n bytes at an offset are in was never written, so that it has only zeros. Otherwise it
// returns the error.
func (s *scanner) torn(at int64, frame []byte, n int, err error) error {
	for n > 0 && len(frame) > 0 {
		sector := frame[:min(sectorSize-int(at%sectorSize), len(frame))]
		if bytes.Count(sector, []byte{0}) == len(sector) {
			if s.isFollowed() {
				return err
			}
			return errTorn
		}
		at, frame, n = at+int64(len(sector)), frame[len(sector):], n-len(sector)
	}
	return err
}

// isFollowed reports whether a commit follows the beginning of the current frame.
func (s *scanner) isFollowed() bool {
	in := bufio.NewReaderSize(io.NewSectionReader(s.file, s.at+1, s.to-s.at-1), bufferSize)
	for {
		head, err := in.Peek(headSize)
		if err != nil {
			return false
		}
		if head[4] == typeCommit && s.isHead(head) {
			return true
		}
		_, _ = in.Discard(1) // it has been read
	}
}

// cut removes what follows the last whole frame, which ends there, and syncs.
func (f *file) cut(end int64) error {
	if err := f.Truncate(end); err != nil {
		return err
	}
	f.size = end
	return durable.File(f.File)
}
