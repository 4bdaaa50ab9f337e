package redisstore

import (
	"maps"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A name that a script does not know is nil there, and an argument without a reader is a mistake too.
func TestScriptsReadArgumentsByName(t *testing.T) {
	for operation, names := range argumentsOf {
		reads := regexp.MustCompile(`\bp\.(\w+)`)
		read := make(map[string]bool)
		if operation == "lib" || operation == "crawl" {
			reads = regexp.MustCompile(`\bcommon\.(\w+)`)
			read["operation"] = true // which newScript reads
		}
		for _, m := range reads.FindAllStringSubmatch(scriptText(operation), -1) {
			read[m[1]] = true
		}
		if diff := cmp.Diff(slices.Sorted(slices.Values(names)), slices.Sorted(maps.Keys(read))); diff != "" {
			t.Errorf("%s (-sent +read):\n%s", operation, diff)
		}
	}
}

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
