//go:build !unix

package descriptors

// Limit returns how many descriptors this process may have.
func Limit() int { return Unlimited }
