package pebblestore

import "encoding/binary"

// The first byte of a key is its kind. Numbers are big-endian, so that keys sort by them.
const (
	kindMeta       = 'm' // name → value for the whole store
	kindName       = 'n' // host name → id
	kindHost       = 'h' // id → hostRecord
	kindSeen       = 's' // id, hash of the item's key → state, and the item if done or dropped
	kindQueue      = 'q' // id, priority, seq → pending or leased entry
	kindTime       = 't' // ms, seq → scheduled entry
	kindAttempt    = 'a' // id, seq → attempt of an open lease
	kindValidators = 'v' // id, hash → validators
	kindRobots     = 'r' // id, origin → robots record
)

const (
	metaFormat = "format"
	metaSeed   = "seed"
	metaRun    = "run"
	metaNote   = "note"
)

// A hostID is the number of a host in the store. 0 means none.
type hostID uint32

// A place is the position of an entry in the queue of its host.
type place struct {
	priority uint8
	seq      uint64
}

func (p place) before(q place) bool {
	return p.priority < q.priority || p.priority == q.priority && p.seq < q.seq
}

// front is before every place, and back after.
var (
	front = place{}
	back  = place{priority: 255, seq: 1<<64 - 1}
)

func metaKey(name string) []byte { return append([]byte{kindMeta}, name...) }
func nameKey(buf []byte, name string) []byte {
	return append(append(buf[:0], kindName), name...)
}

func idKey(buf []byte, kind byte, id hostID) []byte {
	return binary.BigEndian.AppendUint32(append(buf[:0], kind), uint32(id))
}

func hashKey(buf []byte, kind byte, id hostID, hash uint64) []byte {
	return binary.BigEndian.AppendUint64(idKey(buf, kind, id), hash)
}

func robotsKey(buf []byte, id hostID, origin string) []byte {
	return append(idKey(buf, kindRobots, id), origin...)
}

func queueKey(buf []byte, id hostID, p place) []byte {
	return binary.BigEndian.AppendUint64(append(idKey(buf, kindQueue, id), p.priority), p.seq)
}

func timeKey(buf []byte, ms int64, seq uint64) []byte {
	buf = binary.BigEndian.AppendUint64(append(buf[:0], kindTime), uint64(ms)^1<<63)
	return binary.BigEndian.AppendUint64(buf, seq)
}

func attemptKey(buf []byte, id hostID, seq uint64) []byte {
	return binary.BigEndian.AppendUint64(idKey(buf, kindAttempt, id), seq)
}

// idLen is the length of an idKey.
const idLen = 1 + 4

func originOf(key []byte) string { return string(key[idLen:]) }
func idOf(key []byte) hostID     { return hostID(binary.BigEndian.Uint32(key[1:])) }
func hashOf(key []byte) uint64   { return binary.BigEndian.Uint64(key[idLen:]) }
func seqOf(key []byte) uint64    { return binary.BigEndian.Uint64(key[len(key)-8:]) }
func placeOf(key []byte) place   { return place{key[idLen], seqOf(key)} }
func millisOf(key []byte) int64  { return int64(binary.BigEndian.Uint64(key[1:]) ^ 1<<63) }
