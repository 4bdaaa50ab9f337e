package frontier_test

import (
	"testing"
	"testing/synctest"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/storetest"
)

func TestMemory(t *testing.T) {
	storetest.Run(t, storetest.Store{
		Open:      func(string) (frontier.Frontier, error) { return frontier.NewMemory(nil), nil },
		Bubble:    synctest.Test,
		URLBytes:  40,
		HostBytes: 500,
	})
}
