// Package heap limits the memory of the program.
package heap

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

const (
	// gcPercent is large because a crawl makes much garbage and keeps little: for some 20 MB
	// more it takes an eighth of the processor time less.
	gcPercent = 400

	// minMemory is the smallest memory limit, which small crawls do not reach.
	minMemory = 96 << 20
)

// Limit limits the garbage of a small heap by gcPercent, and the garbage of a large heap by
// its size. It does not change what GOGC or GOMEMLIMIT sets.
func Limit() {
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(gcPercent)
	if os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	debug.SetMemoryLimit(minMemory)
	afterNextCollection(&collection{})
}

// memoryLimit returns the memory limit of a program with this many bytes in use. Executable, frontier
// and fragments add to it, so that the whole process takes at most some three times these bytes.
func memoryLimit(inUse uint64) int64 { return max(minMemory, 2*int64(inUse)) }

// A collection is garbage, so the collector frees it.
type collection struct {
	_ *collection // a pointer: Go frees small objects without pointers later
}

// afterNextCollection adapts the memory limit after each garbage collection.
func afterNextCollection(c *collection) {
	runtime.AddCleanup(c, func(struct{}) {
		debug.SetMemoryLimit(memoryLimit(inUse()))
		afterNextCollection(&collection{})
	}, struct{}{})
}

// inUse returns the bytes of the objects that the last garbage collection found, and of the stacks.
func inUse() uint64 {
	samples := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}}
	metrics.Read(samples)
	return samples[0].Value.Uint64() + samples[1].Value.Uint64()
}
