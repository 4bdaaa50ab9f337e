package redisstore

import (
	"context"
	"fmt"
	"strings"
)

// keeps returns an ErrEvicts when a server would forget keys of the crawl rather than
// refuse writes. One that does not say is taken at its default, which does not.
func (s *Store) keeps(ctx context.Context) error {
	for _, node := range s.client.Nodes() {
		info, err := node.Do(ctx, node.B().Info().Section("memory").Build()).ToString()
		if err != nil {
			continue // a user who may not ask
		}
		var limit, policy string
		for line := range strings.Lines(info) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
			switch name {
			case "maxmemory":
				limit = value
			case "maxmemory_policy":
				policy = value
			}
		}
		if limit != "0" && strings.HasPrefix(policy, "allkeys-") {
			return fmt.Errorf("%w: its maxmemory-policy is %s, and has to be noeviction", ErrEvicts, policy)
		}
	}
	return nil
}
