// Package descriptors knows how many files and connections a process may have open at a
// time.
//
// Each connection takes a descriptor, and so does each file of a database. A process that
// has none left can neither connect nor write, and what it then sees looks like a site
// that is down. So who keeps many open asks first how many there are.
package descriptors

// Unlimited is what Limit says where there is no limit, or none is known.
const Unlimited = 1 << 20
