package redistest_test

import (
	"testing"

	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore"
	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore/redistest"
)

// How does a test start a Redis server?
func Example() {
	_ = func(t *testing.T) {
		server := redistest.Start(t, "--appendonly", "yes")
		f, err := redisstore.Open(t.Context(), server.URL(), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		server.Restart(t) // kills it with SIGKILL and starts it again with its data
	}
}
