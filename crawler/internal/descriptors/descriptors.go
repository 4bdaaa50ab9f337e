// Package descriptors knows how many files and connections a process may have open at a
// time. To one that has no descriptor left every site looks as if it were down.
package descriptors

// Unlimited is what Limit says where there is no limit, or none is known.
const Unlimited = 1 << 20
