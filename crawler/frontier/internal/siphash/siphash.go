// Package siphash is SipHash-2-4, a keyed hash of strings. Without the secret key nobody can
// construct collisions. Unlike hash/maphash it returns the same hashes after a restart.
package siphash

import (
	"encoding/binary"

	"github.com/dchest/siphash"
)

// A Key is the key of a hash. It should be random and secret.
type Key [16]byte

// Sum returns the hash of s under k.
func (k *Key) Sum(s string) uint64 {
	k0, k1 := binary.LittleEndian.Uint64(k[:8]), binary.LittleEndian.Uint64(k[8:])
	var short [256]byte // long enough for most URLs, so that nothing is allocated
	return siphash.Hash(k0, k1, append(short[:0], s...))
}
