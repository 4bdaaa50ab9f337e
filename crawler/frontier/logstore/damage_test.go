package logstore

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/internal/loadtest"
)

// A sample is a store that was closed after random calls.
type sample struct {
	dir        string
	log, index []byte
	states     map[string]State
	frames     []int64 // where they begin
	records    []int64
}

func newSample(t testing.TB, steps int) *sample {
	t.Helper()
	p := &sample{dir: t.TempDir()}
	s := open(t, p.dir, nil)
	w := newWorker(t, s, 6)
	for range steps {
		w.step()
	}
	_, err := s.Finish(t.Context(), nil, []byte("note"))
	must(t, err)
	closeStore(t, s)
	p.states = w.states
	p.log, err = os.ReadFile(filepath.Join(p.dir, logName))
	must(t, err)
	p.index, err = os.ReadFile(filepath.Join(p.dir, indexName))
	must(t, err)
	f, err := openFile(filepath.Join(p.dir, logName), os.O_RDONLY)
	must(t, err)
	defer f.Close()
	p.frames, p.records = []int64{0}, []int64{0, headSize}
	scan := f.scan(f.start, f.size)
	for at := scan.at; at < f.size; at = scan.at {
		frame, err := scan.next(typeCommit)
		must(t, err)
		p.frames = append(p.frames, at)
		for at := range f.records(at+headSize, frame) {
			p.records = append(p.records, at)
		}
	}
	return p
}

// write makes a directory of a log and an index; nil is none.
func (p *sample) write(t testing.TB, dir string, log, index []byte) {
	t.Helper()
	for name, text := range map[string][]byte{logName: log, indexName: index} {
		var err error
		if name = filepath.Join(dir, name); text != nil {
			err = os.WriteFile(name, text, 0o600)
		} else if err = os.Remove(name); errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		must(t, err)
	}
}

// before returns the greatest place that is not after an offset.
func before(places []int64, at int) int64 {
	i, found := slices.BinarySearch(places, int64(at))
	if !found {
		i--
	}
	return places[i]
}

// namedByte returns the offset in an error.
func namedByte(t testing.TB, err error) int64 {
	t.Helper()
	if m := regexp.MustCompile(`log, byte ([0-9]+): `).FindStringSubmatch(err.Error()); errors.Is(err, ErrDamaged) && m != nil {
		n, err := strconv.ParseInt(m[1], 10, 64)
		must(t, err)
		return n
	}
	t.Fatalf("%v, want %v and the place", err, ErrDamaged)
	return 0
}

// Zeros are damage if a frame follows, however many: the frame was written later.
func TestZerosBeforeFrame(t *testing.T) {
	p := newSample(t, 200)
	last := p.frames[len(p.frames)-1]
	for _, size := range []int{sectorSize, 8 * sectorSize} {
		for at := 0; at < int(last)-size; at += sectorSize {
			dir := t.TempDir()
			log := slices.Clone(p.log)
			clear(log[at : at+size])
			p.write(t, dir, log, nil)
			if _, err := Open(dir, nil); !errors.Is(err, ErrDamaged) {
				t.Errorf("%d zeros at %d: Open = %v", size, at, err)
			}
		}
	}
}

// TestFlippedBits flips bits of a log. The damaged frame or record is named, what is before the frame can be
// read, and no URL that is over is leased again.
func TestFlippedBits(t *testing.T) {
	flips, withIndex := 1000, 200
	if testing.Short() {
		flips, withIndex = 150, 30
	}
	p := newSample(t, 200)
	prefix := make(map[int64]map[string]State) // what is before a frame, by its place
	rng := rand.New(rand.NewPCG(7, 8))
	dir := t.TempDir()
	for n := range flips {
		at := rng.IntN(len(p.log))
		log := slices.Clone(p.log)
		log[at] ^= 1 << rng.IntN(8)
		frame, record := before(p.frames, at), before(p.records, at)
		p.write(t, dir, log, nil)
		s, err := Open(dir, nil)
		if err == nil {
			t.Errorf("byte %d: Open finds no damage", at)
			closeStore(t, s)
			continue
		}
		named := namedByte(t, err)
		if named != frame && named != record {
			t.Errorf("byte %d of the record at %d in the frame at %d: %v", at, record, frame, err)
		}
		if frame == 0 {
			if _, err := OpenReadOnly(dir); !errors.Is(err, ErrDamaged) {
				t.Errorf("byte %d: OpenReadOnly = %v", at, err)
			}
		} else {
			if prefix[frame] == nil {
				p.write(t, dir, p.log[:frame], nil)
				urls, err := readOnly(t, dir)
				must(t, err)
				prefix[frame] = statesOf(urls)
				p.write(t, dir, log, nil)
			}
			if urls, err := readOnly(t, dir); !errors.Is(err, ErrDamaged) || !maps.Equal(statesOf(urls), prefix[frame]) {
				t.Errorf("byte %d: %v %s", at, err, cmp.Diff(prefix[frame], statesOf(urls)))
			}
		}
		if n >= withIndex {
			continue
		}
		p.write(t, dir, log, p.index)
		if s, err = Open(dir, nil); err != nil {
			if frame > 0 {
				t.Errorf("byte %d: Open with index = %v", at, err)
			}
			continue
		}
		urls, err := loadtest.Drain(t.Context(), s, 1, 0)
		for i, url := range urls {
			if p.states[url] != Pending || slices.Contains(urls[:i], url) {
				t.Errorf("byte %d: %s is %v, and is leased", at, url, p.states[url])
			}
		}
		for err == nil { // the record of a scheduled URL is read in the background
			var st frontier.Stats
			if st, err = s.Stats(t.Context()); st.Finished() {
				break
			}
			time.Sleep(time.Millisecond)
		}
		if err != nil && namedByte(t, err) != record {
			t.Errorf("byte %d of the record at %d: %v", at, record, err)
		}
		closeStore(t, s)
	}
}

// TestIndex opens a store with and without the index that Close wrote.
func TestIndex(t *testing.T) {
	seeds := uint64(10)
	if testing.Short() {
		seeds = 3
	}
	for seed := range seeds {
		synctest.Test(t, func(t *testing.T) {
			dir := t.TempDir()
			s := open(t, dir, nil)
			w := newWorker(t, s, seed)
			w.unit = time.Second
			for range 200 {
				w.step()
				time.Sleep(time.Duration(w.rng.IntN(1000)) * time.Millisecond)
			}
			_, err := s.Finish(t.Context(), nil, []byte("note"))
			must(t, err)
			closeStore(t, s)
			bare := copyOf(t, dir, indexName)
			before, indexed := open(t, bare, nil), open(t, dir, nil)
			defer before.Close()
			defer indexed.Close()
			compareStores(t, before, indexed)
		})
	}
}

// compareStores fails if two stores differ, or lease different URLs of a host.
func compareStores(t *testing.T, want, got *Store) {
	t.Helper()
	if diff := cmp.Diff(dump(t, want), dump(t, got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	wanted, leased := make(map[frontier.Host][]string), make(map[frontier.Host][]string)
	for {
		drain(t, want, wanted)
		drain(t, got, leased)
		if diff := cmp.Diff(wanted, leased); diff != "" {
			t.Fatalf("leases of each host (-want +got):\n%s", diff)
		}
		if st, err := want.Stats(t.Context()); err != nil || st.Finished() {
			break
		}
		time.Sleep(500 * time.Millisecond)
	}
	if diff := cmp.Diff(dump(t, want), dump(t, got)); diff != "" {
		t.Errorf("after all is done (-want +got):\n%s", diff)
	}
}

// drain finishes the URLs that are due, and notes the leases of each host.
func drain(t *testing.T, s *Store, leased map[frontier.Host][]string) {
	t.Helper()
	for {
		got, err := s.Lease(t.Context(), frontier.LeaseRequest{Max: 5})
		if must(t, err); len(got) == 0 {
			return
		}
		for _, l := range got {
			leased[l.Host] = append(leased[l.Host], fmt.Sprint(l.URL, " ", l.Attempt, " ", string(l.Meta), l.Validators))
			finish(t, s, l, frontier.Outcome{Result: frontier.Done})
		}
	}
}

// TestIndexOfAnotherLog has indexes that do not fit the log: they are ignored.
func TestIndexOfAnotherLog(t *testing.T) {
	p, other := newSample(t, 60), newSample(t, 60)
	rng := rand.New(rand.NewPCG(9, 10))
	type test struct {
		name  string
		index []byte
	}
	tests := []test{{"of another log", other.index}, {"empty", []byte{}}, {"more", append(slices.Clone(p.index), 0)}}
	rounds := 50
	if testing.Short() {
		rounds = 15
	}
	for range rounds {
		at := rng.IntN(len(p.index))
		flipped := slices.Clone(p.index)
		flipped[at] ^= 1 << rng.IntN(8)
		tests = append(tests, test{"cut at " + strconv.Itoa(at), p.index[:at]}, test{"flipped at " + strconv.Itoa(at), flipped})
	}
	dir := t.TempDir()
	for _, c := range tests {
		p.write(t, dir, p.log, c.index)
		urls, err := readOnly(t, dir)
		if must(t, err); !maps.Equal(statesOf(urls), p.states) {
			t.Fatalf("%s, read only: %s", c.name, cmp.Diff(p.states, statesOf(urls)))
		}
		s := open(t, dir, nil)
		closeStore(t, s)
		if urls, err = readOnly(t, dir); err != nil || !maps.Equal(statesOf(urls), p.states) {
			t.Fatalf("%s: %v, %s", c.name, err, cmp.Diff(p.states, statesOf(urls)))
		}
	}
	// The index of a log that has grown, and was cut again.
	p.write(t, dir, append(slices.Clone(p.log), 1, 2, 3), p.index)
	s, warnings := openLogged(t, dir, nil)
	if text := warnings.String(); !strings.Contains(text, "bytes=3") {
		t.Errorf("Open warns %q", text)
	}
	closeStore(t, s)
	check(t, dir)
}

// FuzzLog reads logs with frames of any content, whose checksums may be right.
func FuzzLog(f *testing.F) {
	p := newSample(f, 30)
	start := p.frames[1]
	f.Add(p.log[start:], false)
	for i, at := range p.records[2:] {
		f.Add(p.log[at+sumSize+1:append(p.records, int64(len(p.log)))[i+3]], true)
	}
	f.Add(encodeHost(&hostRecord{name: "a.test", delay: 1<<63 - 1, limit: 1 << 40, counts: frontier.Counts{Done: 1<<63 - 1, Pending: 1<<63 - 1}}), true)
	f.Add(appendURL(nil, &urlRecord{state: Scheduled, ready: -1 << 63, host: "a.test", key: "http://a.test/", seq: 1<<64 - 1, attempts: 1 << 40}), true)
	f.Add([]byte("u\x00\x00\x00"), true)
	f.Fuzz(func(t *testing.T, content []byte, framed bool) {
		log := slices.Clone(p.log[:start])
		if framed { // a record at each newline
			salt := saltOf(t, p)
			for body := range strings.SplitSeq(string(content), "\n") {
				if body != "" {
					frame := appendRecord(make([]byte, headSize), salt, []byte(body))
					putHead(frame, typeCommit, salt)
					log = append(log, frame...)
				}
			}
		} else {
			log = append(log, content...)
		}
		dir := t.TempDir()
		p.write(t, dir, log, nil)
		if v, err := OpenReadOnly(dir); err == nil {
			for _, err := range v.URLs() {
				_ = err
			}
			for _, err := range v.Hosts() {
				_ = err
			}
			must(t, v.Close())
		}
		s, err := Open(dir, nil)
		if err != nil {
			return
		}
		if _, err := loadtest.Drain(t.Context(), s, 3, 0); err != nil {
			t.Logf("Drain = %v", err)
		}
		_ = s.Close()
	})
}

// saltOf returns the salt of a sample's log.
func saltOf(t testing.TB, p *sample) uint32 {
	f, err := openFile(filepath.Join(p.dir, logName), os.O_RDONLY)
	must(t, err)
	defer f.Close()
	return f.salt
}

// TestHeadAcrossSectors has a frame whose head begins with zeros that end a sector. If its other bytes are
// damaged, it must not look like a frame that was not written, since that would cut off what follows.
func TestHeadAcrossSectors(t *testing.T) {
	for _, follows := range []bool{true, false} {
		dir := t.TempDir()
		s := open(t, dir, nil)
		pad := func(size int) { // adds a frame of this size
			t.Helper()
			length := size - headSize - sumSize - 1 - len("n")
			if length > 120 {
				length--
			}
			_, err := s.Finish(t.Context(), nil, []byte(strings.Repeat("x", length)))
			must(t, err)
		}
		pad(sectorSize - 1 - int(s.file.size)) // one byte of the sector is left
		at := s.file.size
		pad(headSize + 256) // the lowest byte of its length is 0
		if follows {
			addURLs(t, s, "http://a.test/1")
		}
		closeStore(t, s)
		must(t, os.Remove(filepath.Join(dir, indexName)))
		log, err := os.ReadFile(s.file.path)
		must(t, err)
		if at%sectorSize != sectorSize-1 || binary.LittleEndian.Uint32(log[at:]) != 256 {
			t.Fatalf("the frame at %d has %d bytes", at, binary.LittleEndian.Uint32(log[at:]))
		}
		log[at+5] ^= 1
		must(t, os.WriteFile(s.file.path, log, 0o600))
		_, err = Open(dir, nil)
		if follows != (err != nil) {
			t.Errorf("a frame follows: %v; Open = %v", follows, err)
		}
	}
}
