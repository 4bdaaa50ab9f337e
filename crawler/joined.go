package crawler

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore"
)

// ownKeys are the keys of Config that each process of a shared crawl has by itself. The
// others are the crawl's. Start URLs are too, and a process may bring more of them.
var ownKeys = []string{
	"output", "workers", "per-ip", "proxy", "allow-addr", "write", "durability", "urls",
	"frontier", "join", "worker", "frontier-prefix", "frontier-password-file", "expected-urls",
}

// limitKeys are those of the crawl that can be changed when a process goes on with it.
var limitKeys = []string{"max-pages", "max-host-pages", "max-bytes", "max-time"}

// sharedLimits are limits of all processes of a crawl together. What is nil stays.
type sharedLimits struct {
	MaxPages     *int           `json:"max-pages,omitempty"`
	MaxHostPages *int           `json:"max-host-pages,omitempty"`
	MaxBytes     *int64         `json:"max-bytes,omitempty"`
	MaxTime      *time.Duration `json:"max-time,omitempty"`
}

// limitsOf returns the limits of c that have these keys.
func limitsOf(c *Config, keys []string) *sharedLimits {
	l := &sharedLimits{}
	for _, key := range keys {
		switch key {
		case "max-pages":
			l.MaxPages = &c.MaxPages
		case "max-host-pages":
			l.MaxHostPages = &c.MaxHostPages
		case "max-bytes":
			l.MaxBytes = &c.MaxBytes
		case "max-time":
			l.MaxTime = &c.MaxTime
		}
	}
	return l
}

func (l *sharedLimits) set(c *Config) {
	replace(&c.MaxPages, l.MaxPages)
	replace(&c.MaxHostPages, l.MaxHostPages)
	replace(&c.MaxBytes, l.MaxBytes)
	replace(&c.MaxTime, l.MaxTime)
}

// Joined returns cfg with the settings of the crawl that cfg.Join names at cfg.Frontier,
// so that a process can join it: all but those of the process itself, which are Output,
// Workers, PerIP, Proxies, AllowAddr, Write, Durability and what has to do with the frontier. Start
// URLs of cfg come on top of the crawl's. Given tells which keys of cfg are not to be
// changed: it is an [ErrConfig] when the crawl has another value for one of these. The
// error is [redisstore.ErrNone] when there is no such crawl, and the process that runs
// with cfg makes it.
func Joined(ctx context.Context, cfg Config, given func(key string) bool) (Config, error) {
	joined := cfg
	err := observe(ctx, cfg, func(store *redisstore.Store) error {
		heard, err := hear(ctx, store)
		if err != nil {
			return err
		}
		if joined, err = adopt(cfg, store.Settings(), heard.Told); err != nil {
			return err
		}
		return differs(joined, cfg, given)
	})
	return joined, err
}

// adopt returns cfg with the settings of a crawl, as they were told since.
func adopt(cfg Config, settings []byte, messages [][]byte) (Config, error) {
	mine, err := keysOf(cfg)
	if err != nil {
		return cfg, err
	}
	var theirs map[string]json.RawMessage
	if err := json.Unmarshal(settings, &theirs); err != nil {
		return cfg, fmt.Errorf("crawler: settings of the crawl %q: %w", cfg.Join, err)
	}
	for key, value := range theirs {
		if key != "urls" && !slices.Contains(ownKeys, key) {
			mine[key] = value
		}
	}
	text, err := json.Marshal(mine)
	if err != nil {
		return cfg, err
	}
	joined := Config{} // not cfg, whose lists are the caller's
	if err := json.Unmarshal(text, &joined); err != nil {
		return cfg, fmt.Errorf("crawler: settings of the crawl %q: %w", cfg.Join, err)
	}
	if err := json.Unmarshal(theirs["urls"], &joined.URLs); err != nil {
		return cfg, fmt.Errorf("crawler: settings of the crawl %q: urls: %w", cfg.Join, err)
	}
	for _, text := range messages {
		m, err := readTold(text)
		switch {
		case err != nil:
			return cfg, err
		case m.Limits != nil:
			m.Limits.set(&joined)
		}
	}
	for _, u := range cfg.URLs {
		if !slices.Contains(joined.URLs, u) {
			joined.URLs = append(joined.URLs, u)
		}
	}
	return joined, nil
}

// differs returns an error when cfg has another value than the crawl for a given key
// that all its processes share.
func differs(crawl, cfg Config, given func(key string) bool) error {
	keys, err := unlike(crawl, cfg)
	if err != nil {
		return err
	}
	keys = slices.DeleteFunc(keys, func(key string) bool { return given == nil || !given(key) })
	if len(keys) == 0 {
		return nil
	}
	return fmt.Errorf("%w: the crawl %q has another %s, which all who work on it share; leave that out, or begin a crawl of another name (join)",
		ErrConfig, cfg.Join, strings.Join(keys, ", another "))
}

// hear returns all that a crawl was told so far.
func hear(ctx context.Context, store *redisstore.Store) (*redisstore.News, error) {
	var told [][]byte
	for next := 0; ; {
		heard, err := store.Sync(ctx, nil, next)
		if err != nil {
			return nil, err
		}
		told, next = append(told, heard.Told...), heard.Next
		if len(heard.Told) == 0 {
			heard.Told = told
			return heard, nil
		}
	}
}

// unlike returns the keys that all processes of a crawl share and that two
// configurations have other values for, sorted.
func unlike(a, b Config) ([]string, error) {
	as, err := keysOf(a)
	if err != nil {
		return nil, err
	}
	bs, err := keysOf(b)
	if err != nil {
		return nil, err
	}
	var keys []string
	for _, key := range slices.Sorted(maps.Keys(as)) {
		if !slices.Contains(ownKeys, key) && !bytes.Equal(as[key], bs[key]) {
			keys = append(keys, key)
		}
	}
	return keys, nil
}

func keysOf(c Config) (keys map[string]json.RawMessage, err error) {
	text, err := json.Marshal(c) //nolint:gosec // G117: a name of a file, no password
	if err != nil {
		return nil, err
	}
	return keys, json.Unmarshal(text, &keys)
}

// settingsOf is what a crawl is made with: all that its processes share.
func settingsOf(c Config) ([]byte, error) {
	keys, err := keysOf(c)
	if err != nil {
		return nil, err
	}
	for _, key := range ownKeys {
		if key != "urls" {
			delete(keys, key)
		}
	}
	return json.Marshal(keys)
}

// checkShared says what is wrong with the address of a frontier and the names that go
// with it. It does not repeat what may be a password.
func checkShared(c *Config) error {
	if c.Frontier == "" {
		return nil
	}
	switch password, err := redisstore.CheckAddress(c.Frontier); {
	case err != nil:
		return fmt.Errorf("%s; write it as redis://host:port", strings.TrimPrefix(err.Error(), "redisstore: "))
	case password:
		return fmt.Errorf("the address has a password in it, which would be seen in the list of processes and be kept with the crawl; set %s, or name a file that has it (frontier-password-file)",
			redisstore.PasswordVariable)
	}
	for what, name := range map[string]string{"join": c.Join, "frontier-prefix": c.FrontierPrefix} {
		if !redisstore.ValidName(name) {
			return fmt.Errorf("%s: %q is no name: only letters, digits, '.', '_', '-', and at most 100 of them", what, name)
		}
	}
	if c.Worker != "" && !redisstore.ValidName(c.Worker) {
		return fmt.Errorf("worker: %q is no name: only letters, digits, '.', '_', '-', and at most 100 of them", c.Worker)
	}
	return nil
}

func storeOptions(c *Config) *redisstore.Options {
	return &redisstore.Options{
		Crawl: c.Join, Prefix: c.FrontierPrefix, Worker: c.Worker, Expected: c.ExpectedURLs,
		PasswordFile: c.FrontierPasswordFile,
	}
}

// replace sets a value, unless the new one is nil.
func replace[T any](old, value *T) {
	if value != nil {
		*old = *value
	}
}
