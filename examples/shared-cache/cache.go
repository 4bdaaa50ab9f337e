package main

import (
	"context"
	"encoding/json"
	"time"

	"github.com/redis/rueidis"

	"github.com/politecrawl/politecrawl/robotsext"
)

// redisCache is a robotsext.Cache in Redis. A missing key means that no record was ever stored, so
// keys do not expire. Redis must not evict them either (maxmemory-policy noeviction, the default),
// and needs persistence: a lost record may allow everything after an outage of 30 days.
type redisCache struct{ client rueidis.Client }

const keyPrefix = "robots:"

// redisTimeout is for one call: the contexts of robotsext never end, and checks wait for the cache.
// After an error, robotsext requests robots.txt itself.
const redisTimeout = time.Second

// Load returns the record of o.
func (c redisCache) Load(ctx context.Context, o robotsext.Origin) (*robotsext.Record, error) {
	ctx, cancel := context.WithTimeout(ctx, redisTimeout)
	defer cancel()
	rec := new(robotsext.Record)
	err := c.client.Do(ctx, c.client.B().Get().Key(keyPrefix+string(o)).Build()).DecodeJSON(rec)
	if rueidis.IsRedisNil(err) {
		return nil, nil
	}
	return rec, err
}

// Store replaces the record of rec.Origin. If it fails, other processes may use the old record
// until it expires.
func (c redisCache) Store(ctx context.Context, rec *robotsext.Record) error {
	ctx, cancel := context.WithTimeout(ctx, redisTimeout)
	defer cancel()
	text, err := json.Marshal(rec)
	if err != nil {
		return err
	}
	return c.client.Do(ctx, c.client.B().Set().Key(keyPrefix+string(rec.Origin)).Value(rueidis.BinaryString(text)).Build()).Error()
}
