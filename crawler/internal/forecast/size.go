package forecast

// The maximum disk space of package logstore. Measured: 113 to 269 bytes for a URL of 54 bytes,
// 164 to 379 for a URL of 104 bytes. TestFrontierSize in package crawler checks that a small
// frontier is near these estimates.
const (
	frontierPerURL  = 150 // bytes for each URL
	frontierPerByte = 2.2 // for each byte of its URL
)

// Estimated from the memory of crawls of 200 URLs, of 5 million (242 MB) and 50 million (1,352 MB).
const (
	memoryBase     = 60 << 20
	memoryPerURL   = 25
	memoryReadsURL = 500     // additional, for URLs that are read before they are due
	memoryReads    = 200_000 // maximum number of these URLs
)

// FrontierBytes returns the size on disk of a frontier with this number of URLs, which have this
// total length in bytes.
func FrontierBytes(urls int, bytes int64) int64 {
	return int64(urls)*frontierPerURL + int64(frontierPerByte*float64(bytes))
}

// MemoryBytes returns the memory of a crawl with this number of URLs.
func MemoryBytes(urls int) int64 {
	return memoryBase + int64(urls)*memoryPerURL + int64(min(urls, memoryReads))*memoryReadsURL
}
