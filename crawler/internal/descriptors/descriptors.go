// Package descriptors returns how many files and connections a process may have open. When
// descriptors run out, every site looks as if it were down.
package descriptors

// Unlimited is the Limit of a process without a known limit.
const Unlimited = 1 << 20
