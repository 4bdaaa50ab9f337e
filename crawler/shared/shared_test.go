package shared

import (
	"errors"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore"
	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore/redistest"
)

// Nil options mean the crawl "default". A missing crawl is reported and not created.
func TestMissingCrawl(t *testing.T) {
	server := redistest.Start(t)
	for range 2 {
		if c, _, err := Status(t.Context(), server.URL(), nil); !errors.Is(err, redisstore.ErrNotFound) || c != nil {
			t.Errorf("status: %+v, %v", c, err)
		}
		if c, err := Stop(t.Context(), server.URL(), nil); !errors.Is(err, redisstore.ErrNotFound) || c != nil {
			t.Errorf("stop: %+v, %v", c, err)
		}
	}
}
