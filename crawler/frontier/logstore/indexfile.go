package logstore

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/durable"
	"github.com/politecrawl/politecrawl/crawler/internal/fields"
)

const indexMagic = "politecrawl index\n"

// save writes the index of a store that is being closed, so that the next Open need not read the log.
// Without room on the disk, it writes none.
func (s *Store) save(now instant) error {
	if err := durable.File(s.file.File); err != nil { // an index must not outlive its log
		return err
	}
	for _, h := range s.hosts {
		for _, slot := range h.Slots() {
			if e := slot.Entry; e != nil {
				s.count(h, frontier.Counts{InFlight: -1, Pending: 1})
				h.queue.again.Push(e.returned)
			}
		}
	}
	path := filepath.Join(s.dir.path, indexName)
	if err := s.index.write(path+newSuffix, now); err != nil {
		s.opts.Logger.Warn("the index of the frontier is not written; the next start reads the log", "err", err)
		_ = os.Remove(path + newSuffix)
		return nil
	}
	return os.Rename(path+newSuffix, path)
}

func (x *index) write(path string, now instant) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	sum := crc32.New(castagnoli)
	w := bufio.NewWriterSize(io.MultiWriter(f, sum), 1<<16)
	buf := append(binary.AppendUvarint([]byte(indexMagic), version), x.file.id[:]...)
	buf = binary.AppendUvarint(buf, uint64(x.file.size))
	if _, err := w.Write(buf); err != nil {
		return err
	}
	if _, err := x.records.WriteTo(w); err != nil {
		return err
	}
	if err := x.writeQueues(w, now); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err = f.Write(sum.Sum(nil))
	return err
}

// writeQueues writes what follows the offsets of the records.
func (x *index) writeQueues(w *bufio.Writer, now instant) error {
	var buf []byte
	numbers := func(of ...int) {
		for _, n := range of {
			buf = binary.AppendUvarint(buf, uint64(n))
		}
	}
	c := x.counts
	if x.note == nil {
		numbers(0)
	} else {
		numbers(1)
		buf = fields.AppendString(buf, string(x.note))
	}
	numbers(c.URLs, c.Pending, c.Scheduled, c.Done, c.Dropped, x.sites, int(x.turn), int(x.live), len(x.timed))
	for _, t := range x.timed {
		buf = binary.AppendVarint(buf, t.ready)
		numbers(int(t.at))
	}
	numbers(len(x.hosts))
	for _, h := range x.hosts {
		record := appendHost(nil, x.record(h, now))
		buf = fields.AppendString(buf, string(record[1:]))
		changed := 0
		if h.changed {
			changed = 1
		}
		numbers(changed, len(h.queue.fresh))
		for _, b := range h.queue.fresh {
			o := &b.offsets
			numbers(int(b.priority), o.n, int(o.first), int(o.last))
			buf = fields.AppendString(buf, string(o.gaps[o.read:]))
		}
		numbers(len(h.queue.again))
		for _, r := range h.queue.again {
			numbers(int(r.turn), int(r.at), int(r.attempts), int(r.priority))
		}
		if _, err := w.Write(buf); err != nil {
			return err
		}
		buf = buf[:0]
	}
	_, err := w.Write(buf)
	return err
}

// errIndex means that an index is not that of its log, or damaged.
var errIndex = errors.New("not the index of the log")

// load reads an index file. After an error the index is empty.
func (x *index) load(path string) (err error) {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() {
		if err = errors.Join(err, f.Close()); err != nil {
			x.records.Clear()
		}
	}()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	size := info.Size() - crc32.Size
	sum := crc32.New(castagnoli)
	r := bufio.NewReaderSize(io.TeeReader(io.LimitReader(f, size), sum), 1<<16)
	want := append(binary.AppendUvarint([]byte(indexMagic), version), x.file.id[:]...)
	want = binary.AppendUvarint(want, uint64(x.file.size))
	head := make([]byte, len(want))
	if _, err := io.ReadFull(r, head); err != nil || string(head) != string(want) {
		return fmt.Errorf("%s: %w", path, errIndex)
	}
	if err := x.records.ReadFrom(r, size); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	rest, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	var found [crc32.Size]byte
	if _, err := f.ReadAt(found[:], size); err != nil || binary.BigEndian.Uint32(found[:]) != sum.Sum32() {
		return fmt.Errorf("%s: %w", path, errIndex)
	}
	in := &fields.Reader{Rest: rest}
	x.readQueues(in)
	return in.Err() // not of a file with the right checksum
}

// readQueues reads what writeQueues wrote.
func (x *index) readQueues(in *fields.Reader) {
	if in.Int() == 1 {
		x.note = []byte(in.String())
	}
	for _, n := range []*int{&x.counts.URLs, &x.counts.Pending, &x.counts.Scheduled, &x.counts.Done, &x.counts.Dropped, &x.sites} {
		*n = in.Int()
	}
	x.turn, x.live = in.Uvarint(), int64(in.Int())
	for range in.Count() {
		x.timed.Push(timed{in.Varint(), int64(in.Int())})
	}
	for range in.Count() {
		rec := readHost(&fields.Reader{Rest: []byte(in.String())})
		h := x.host(rec.name)
		x.restore(h, rec)
		h.counts, h.changed = rec.counts, in.Int() == 1
		for range in.Count() {
			b := band{priority: uint8(in.Int())}
			b.offsets = offsets{n: in.Int(), first: int64(in.Int()), last: int64(in.Int()), gaps: []byte(in.String())}
			h.queue.fresh = append(h.queue.fresh, b)
		}
		for range in.Count() {
			h.queue.again.Push(returned{in.Uvarint(), int64(in.Int()), int32(in.Int()), uint8(in.Int())})
		}
	}
}
