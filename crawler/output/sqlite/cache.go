package sqlite

import "strings"

const (
	// cacheURLs is how many URLs a cache knows at least, once it has been given so
	// many; it may know twice as many.
	cacheURLs = 1 << 15

	// cacheLength is the longest URL that is kept.
	cacheLength = 512
)

// A cache knows the ids of URLs that links led to of late. Most links of a page are
// those of the page before it.
//
// It has two generations: when the young one is full it becomes the old one, whose
// URLs are forgotten unless they are asked for.
type cache struct {
	size       int
	young, old map[string]int64
}

func newCache(size int) *cache { return &cache{size: size, young: make(map[string]int64)} }

func (c *cache) get(url string) (id int64, ok bool) {
	if id, ok = c.young[url]; ok {
		return id, true
	}
	if id, ok = c.old[url]; ok {
		c.put(url, id)
	}
	return id, ok
}

func (c *cache) put(url string, id int64) {
	if len(url) > cacheLength {
		return
	}
	if len(c.young) >= c.size {
		c.old, c.young = c.young, make(map[string]int64)
	}
	c.young[strings.Clone(url)] = id // which may be a piece of a page
}
