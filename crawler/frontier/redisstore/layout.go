package redisstore

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"strconv"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/internal/siphash"
)

const (
	// format is the version of the layout. In version 1 a host was an origin. In version 2 the
	// settings of a crawl had no allowed addresses, and robots.txt records had other units.
	format = 3

	// perBucket is the average number of hashes in a bucket when all expected URLs are known.
	// A bucket then rarely has more than 400. Redis converts a set of more than 512 integers
	// (set-max-intset-entries) to a hash table, which needs six times the memory.
	perBucket = 300

	// hashes is the number of different hashes. With another decimal digit for the state of
	// the URL they are still 64-bit integers.
	hashes = (1<<63 - 10) / 10
)

// A layout has the fixed properties of a crawl.
type layout struct {
	namespace string // prefix of all keys
	id        string // unique, also among crawls of the same name
	shards    int
	buckets   int // of a shard
	urls      siphash.Key
	places    siphash.Key
	settings  string
	whole     bool // all shards have been created
}

func newLayout(o *Options) layout {
	l := layout{
		namespace: namespace(o), id: newNonce(), shards: o.Shards, settings: string(o.Settings),
		buckets: max(o.ExpectedURLs/(o.Shards*perBucket), 1),
	}
	_, _ = rand.Read(l.urls[:]) // never fails
	_, _ = rand.Read(l.places[:])
	return l
}

func namespace(o *Options) string { return o.Prefix + ":" + o.CrawlName + ":" }

// newNonce returns a random unique name.
func newNonce() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// fields are the fields of the crawl's record.
func (l *layout) fields() []string {
	return []string{
		"format", strconv.Itoa(format), "id", l.id,
		"shards", strconv.Itoa(l.shards), "buckets", strconv.Itoa(l.buckets),
		"urls", hex.EncodeToString(l.urls[:]), "places", hex.EncodeToString(l.places[:]),
		"settings", l.settings,
	}
}

func readLayout(namespace string, fields map[string]string) (layout, error) {
	l := layout{namespace: namespace, id: fields["id"], settings: fields["settings"], whole: fields["whole"] != ""}
	if fields["format"] != strconv.Itoa(format) {
		return l, fmt.Errorf("%w: %s has format %s and this version needs %d; finish the crawl with the version of the program that began it, or begin one of another name",
			ErrFormat, l.key("meta"), cmp.Or(fields["format"], "0"), format)
	}
	if fields["deleted"] != "" {
		return l, fmt.Errorf("%w: %s is being deleted", ErrDeleted, l.namespace)
	}
	var err [4]error
	l.shards, err[0] = strconv.Atoi(fields["shards"])
	l.buckets, err[1] = strconv.Atoi(fields["buckets"])
	err[2] = readKey(&l.urls, fields["urls"])
	err[3] = readKey(&l.places, fields["places"])
	if e := cmp.Or(err[:]...); e != nil {
		return l, fmt.Errorf("%w: %s: %w", ErrFormat, l.key("meta"), e)
	}
	if l.id == "" || l.shards < 1 || l.shards > maxShards || l.buckets < 1 {
		return l, fmt.Errorf("%w: %s has %d shards of %d buckets", ErrFormat, l.key("meta"), l.shards, l.buckets)
	}
	return l, nil
}

func readKey(k *siphash.Key, text string) error {
	b, err := hex.DecodeString(text)
	if err == nil && len(b) != len(k) {
		err = fmt.Errorf("a key of %d bytes", len(b))
	}
	copy(k[:], b)
	return err
}

// key returns a key of the whole crawl. These keys are on one server.
func (l *layout) key(name string) string { return l.namespace + "{all}:" + name }

// wake is the channel of messages that wake workers.
func (l *layout) wake() string { return l.namespace + "wake" }

// in returns a key of a shard. The text in { } is the hash tag, which selects the server in a
// Cluster.
func (l *layout) in(shard int, name string) string {
	return l.namespace + "{s" + strconv.Itoa(shard) + "}:" + name
}

func (l *layout) shard(h frontier.Host) int { return l.shardOf(string(h)) }

func (l *layout) shardOf(name string) int { return int(l.places.Sum(name) % uint64(l.shards)) }

// place returns the bucket and the hash of a key. Two keys collide only if both are equal.
func (l *layout) place(key string, sum uint64) (bucket int, hash string) {
	bucket = int(l.places.Sum(key) % uint64(l.buckets))
	return bucket, strconv.FormatUint(1+sum%(hashes-1), 10)
}
