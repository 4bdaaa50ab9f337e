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

// lend gives its memory to a file.
func (s *scratch) lend(f *File) {
	f.rules, f.names.list, f.blocks, f.mentions = s.rules[:0], s.names[:0], s.blocks[:0], s.mentions[:0]
}

// take takes its memory back from a parsed file, which keeps copies of the right length.
func (s *scratch) take(f *File) {
	s.rules, s.names, s.blocks, s.mentions = f.rules, f.names.list, f.blocks, f.mentions
	f.rules = append([]ruleLine(nil), s.rules...)
	f.names.list = append(f.few.names[:0], s.names...)
	f.blocks = append(f.few.blocks[:0], s.blocks...)
	f.mentions = append(f.few.mentions[:0], s.mentions...)
}
