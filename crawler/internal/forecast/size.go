package forecast

// The maximum disk space of package logstore, before the next start compacts it. Measured with entries
// of a sitemap, with its index: 117 bytes for a waiting URL of 54 bytes and 473 for a fetched one with
// an ETag; 169 and 575 for a URL of 104 bytes. Some 200 of them are not of the URL: the checkpoint of
// each page, its lease, and the head of its commit. TestFrontierSize in package crawler checks that a
// small frontier is near these estimates.
const (
	frontierPerURL  = 370 // bytes for each URL
	frontierPerByte = 2.1 // for each byte of its URL
)

// Estimated from the memory of a crawl of 200 URLs, and of package logstore with 1.7 million (68 MB) and
// 5.7 million (149 MB).
const (
	memoryBase   = 60 << 20
	memoryPerURL = 20
)

// FrontierBytes returns the size on disk of a frontier with this number of URLs, which have this
// total length in bytes.
func FrontierBytes(urls int, bytes int64) int64 {
	return int64(urls)*frontierPerURL + int64(frontierPerByte*float64(bytes))
}

// MemoryBytes returns the memory of a crawl with this number of URLs.
func MemoryBytes(urls int) int64 {
	return memoryBase + int64(urls)*memoryPerURL
}
