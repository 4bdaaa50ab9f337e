package robotstxt

import "sync"

// scratch is memory in which the lists of a file grow, since their lengths are known only
// when the file is parsed. Its lists have no pointers, so it keeps no file in memory.
type scratch struct {
	rules    []ruleLine
	names    []name
	blocks   []block
	mentions []int32
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// manyRules is the number of rules that are not copied, and typicalLine the length of a line in
// octets, for the first guess of their number.
const (
	manyRules   = 1024
	typicalLine = 32
)

// lend gives its memory to a file.
func (s *scratch) lend(f *File) {
	if n := len(f.text) / typicalLine; n > max(manyRules, cap(s.rules)) {
		s.rules = make([]ruleLine, 0, n)
	}
	f.rules, f.names.list, f.blocks, f.mentions = s.rules[:0], s.names[:0], s.blocks[:0], s.mentions[:0]
}

// take takes its memory back from a parsed file, which keeps copies of the right length.
func (s *scratch) take(f *File) {
	s.rules, s.names, s.blocks, s.mentions = f.rules, f.names.list, f.blocks, f.mentions
	if n := len(f.rules); n > manyRules && n > cap(f.rules)/2 {
		s.rules = nil // the file keeps it
	} else {
		f.rules = append([]ruleLine(nil), s.rules...)
	}
	f.names.list = append(f.few.names[:0], s.names...)
	f.blocks = append(f.few.blocks[:0], s.blocks...)
	f.mentions = append(f.few.mentions[:0], s.mentions...)
}
