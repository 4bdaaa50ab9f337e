package redisstore

import "testing"

// The errors of a batch are compared by shard, so that it returns the same one each time.
func TestTransactionsAreInTheOrderOfShards(t *testing.T) {
	ss := make(sections)
	for shard := range 64 {
		ss.of(shard)
	}
	for shard, tn := range (&batch{s: &schedule{crawl: &crawl{server: new(server)}}}).transactions(ss) {
		if tn.shard != shard || tn.section != ss[shard] {
			t.Fatalf("transaction %d is of shard %d", shard, tn.shard)
		}
	}
}
