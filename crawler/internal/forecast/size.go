package forecast

// The most that the files of package pebblestore took: 113 to 269 bytes for a URL of 54
// bytes, 164 to 379 for one of 104. TestFrontierSize, in package crawler, holds that a small
// frontier is near the figures that follow.
const (
	frontierPerURL  = 150 // bytes for each URL
	frontierPerByte = 2.2 // for each byte of its URL
)

// The memory of crawls of 200 URLs, of 5 million (242 MB) and of 50 million (1,352 MB).
const (
	memoryBase     = 60 << 20
	memoryPerURL   = 25
	memoryReadsURL = 500     // more, for those read ahead of their turn
	memoryReads    = 200_000 // of which there are so many at the most
)

// FrontierBytes returns the size on disk of a frontier with so many URLs of so many bytes
// together.
func FrontierBytes(urls int, bytes int64) int64 {
	return int64(urls)*frontierPerURL + int64(frontierPerByte*float64(bytes))
}

// MemoryBytes returns the memory that a crawl of so many URLs takes.
func MemoryBytes(urls int) int64 {
	return memoryBase + int64(urls)*memoryPerURL + int64(min(urls, memoryReads))*memoryReadsURL
}
