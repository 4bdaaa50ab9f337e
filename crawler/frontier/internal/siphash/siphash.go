// Package siphash is SipHash-2-4, a hash of strings under a secret key: without
// the key nobody can tell which strings share a hash, and so nobody can make
// such strings. Unlike hash/maphash it gives the same hashes after a restart.
package siphash

import (
	"encoding/binary"

	"github.com/dchest/siphash"
)

// A Key is what a hash is under. It should be random, and kept secret.
type Key [16]byte

// Sum returns the hash of s under k.
func (k *Key) Sum(s string) uint64 {
	k0, k1 := binary.LittleEndian.Uint64(k[:8]), binary.LittleEndian.Uint64(k[8:])
	var short [256]byte // most URLs fit, so that the copy takes no memory
	return siphash.Hash(k0, k1, append(short[:0], s...))
}
