package forecast

// What a frontier takes was measured, with entries of a sitemap of one host, as files
// of package pebblestore, in bytes for each URL:
//
//	                       URLs of 54 bytes   of 104 bytes
//	pending                             113            164   10,000 and 100,000 URLs
//	                                    126            203   a million
//	fetched, with an ETag               226                  10,000 and 100,000
//	                                    269            379   300,000
//	                                    130                  a million
//
// These are the most it took at any time; the database takes less again when it has
// tidied up, which it does the sooner the more there is. TestFrontierSize, in package
// crawler, holds that a small frontier is near the figures that follow.
const (
	frontierPerURL  = 150 // bytes for each URL
	frontierPerByte = 2.2 // for each byte of its URL
)

// The memory of a crawl was measured by the crawls in the package comment of
// pebblestore: 242 MB with 5 million URLs, and 1,352 with 50 million; and by that of
// a site of 200 pages.
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
