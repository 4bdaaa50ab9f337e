package warc

import (
	"bytes"
	"fmt"
	"time"
)

// libarchive unpacks a file in blocks of this size. It finds the header of a record
// only when all of it lies in one.
const blockSize = 64 << 10

// overread returns how far behind the end of a record libarchive looks for the next
// one after a program has read the record's block. Version 3.6.2, and others, count
// twice what they took of it from all of their own blocks but the last.
func overread(blockAt, length int64) int64 {
	if length == 0 {
		return 0
	}
	last := (blockAt + length - 1) / blockSize * blockSize
	return max(last-blockAt, 0)
}

// room returns how many bytes of fillers have to stand before a record that would
// begin at at, and behind it, so that libarchive finds it and the next one. Each is
// nothing or at least filler, the size of the least filler there is; and where the
// next record begins, there is room for that again. Last says that no place would do
// for the next one: what stands behind the record has to be the end of the file.
func room(at, header, block, filler int64) (before, behind int64, last bool) {
	fits := func(at, header int64) bool { return at%blockSize+header <= blockSize }
	for _, last := range []bool{false, true} {
		for before := int64(0); before < blockSize+filler; before = max(before+1, filler) {
			start := at + before
			end := start + header + block + int64(len(recordEnd))
			behind := overread(start+header, block)
			if fits(start, header) &&
				(behind == 0 || behind >= filler && fits(end, filler)) &&
				(last || fits(end+behind, filler)) {
				return before, behind, last
			}
		}
	}
	return 0, 0, true // a header that lies in two blocks wherever it begins
}

// A filler is a record of a wanted size that says nothing: metadata about no other
// record, in fields of which every reader may take or leave what it knows.
type filler struct {
	head  []byte
	block [][]byte // in parts, since it may be as long as the largest body
}

// dots are what most of a filler is.
var dots = bytes.Repeat([]byte("."), 1<<15)

// fill makes a filler of as many bytes as leastFiller returns, or more.
func fill(edition Edition, id recordID, date time.Time, total int64) filler {
	// The length has leading zeros, so that the header is always as long.
	const header = "WARC/%s\r\nWARC-Type: metadata\r\nWARC-Record-ID: %s\r\nWARC-Date: %s\r\n" +
		"Content-Type: " + typeFields + "\r\nContent-Length: %012d\r\n\r\n"
	head := func(length int) []byte {
		return fmt.Appendf(nil, header, edition, id.appendTo(nil), edition.date(date), length)
	}
	const name, end = "padding: ", "\r\n"
	length := max(int(total)-len(head(0))-len(recordEnd), len(name)+len(end))
	block := [][]byte{[]byte(name)}
	for left := length - len(name) - len(end); left > 0; left -= len(dots) {
		block = append(block, dots[:min(left, len(dots))])
	}
	return filler{head(length), append(block, []byte(end))}
}

// leastFiller returns the size of the least filler.
func leastFiller(edition Edition) int64 {
	f := fill(edition, recordID{}, time.Time{}, 0)
	return int64(len(f.head) + size(f.block) + len(recordEnd))
}
