package warc

import (
	"bytes"
	"fmt"
	"time"
)

// libarchive unpacks a file in blocks of this size, and finds a header only when all
// of it lies in one.
const blockSize = 64 << 10

// gap returns how many bytes have to stand before a record that would begin at at,
// so that its header lies in one block, and so that the block in which the record
// ends is full or has room for a filler again. It is nothing or at least filler, the
// size of the least filler there is.
func gap(at, header, record, filler int64) int64 {
	if header > blockSize {
		return 0 // no place would do
	}
	for gap := int64(0); ; gap = max(gap+1, filler) {
		begin := (at + gap) % blockSize
		behind := (begin + record) % blockSize
		if begin+header <= blockSize && (behind == 0 || blockSize-behind >= filler) {
			return gap
		}
	}
}

// A filler is a record of a wanted size that says nothing: metadata about no other
// record, in fields of which every reader may take or leave what it knows.
type filler struct {
	head  []byte
	block []byte
}

const fillerBlock = "padding: \r\n"

// newFiller makes a filler of as many bytes as leastFiller returns or more.
func newFiller(edition Edition, id recordID, date time.Time, bytesWanted int) filler {
	f := filler{
		head: fmt.Appendf(nil, "WARC/%s\r\nWARC-Type: metadata\r\nWARC-Record-ID: %s\r\nWARC-Date: %s\r\n"+
			"Content-Type: %s\r\nContent-Length: 00000\r\n\r\n", edition, id.appendTo(nil), edition.date(date), typeFields),
	}
	dots := bytesWanted - len(f.head) - len(fillerBlock) - len(recordEnd)
	f.block = append(f.block, "padding: "...)
	f.block = append(f.block, bytes.Repeat([]byte("."), max(dots, 0))...)
	f.block = append(f.block, "\r\n"...)
	// Leading zeros, so that the header is as long for one length as for another.
	at := len(f.head) - len("00000\r\n\r\n")
	copy(f.head[at:], fmt.Sprintf("%05d", len(f.block)))
	return f
}

// leastFiller returns the size of the least filler.
func leastFiller(edition Edition) int64 {
	f := newFiller(edition, recordID{}, time.Time{}, 0)
	return int64(len(f.head) + len(f.block) + len(recordEnd))
}
