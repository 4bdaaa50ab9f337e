//go:build linux || darwin || freebsd

package seen

import "syscall"

// minMapping is the smallest size that is worth a mapping.
const minMapping = 64 << 10

// allocate returns memory outside of Go's heap if it is large. It is zero.
func allocate(size int) []byte {
	if size < minMapping {
		return make([]byte, size)
	}
	b, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil { // such as a limit of mappings
		return make([]byte, size)
	}
	return b
}

// release frees memory of allocate.
func release(b []byte) {
	if len(b) >= minMapping {
		_ = syscall.Munmap(b) // an error if it is of the heap
	}
}
