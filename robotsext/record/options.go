package record

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"time"
)

// Cache stores records. A failure must never turn a disallow into an allow. Methods are
// called concurrently, with contexts that are never canceled.
type Cache interface {
	// Load returns nil, nil only if nothing was ever stored for o. It fails if a record
	// cannot be read or may have been evicted. The File of the record may be nil.
	Load(ctx context.Context, o Origin) (*Record, error)
	// Store replaces the record of rec.Origin. If it fails, Load must not return the old
	// record, which may allow what rec disallows.
	Store(ctx context.Context, rec *Record) error
}

// CacheOptions configure how long and where records are stored. Records of tdmrep.json, which only
// the purpose [usage.TDM] needs, have limits of the same size of their own, and no Backend.
type CacheOptions struct {
	MinAge, MaxAge time.Duration // limits of a record's lifetime; zero means 5 minutes and 24 h; a negative MinAge means no minimum
	MaxRecords     int           // in memory; zero means 100,000
	MaxBytes       int64         // in memory, estimated; zero means 512 MiB
	Backend        Cache         // storage in addition to memory; nil means none
}

// FetchOptions configure requests for robots.txt and sitemaps.
type FetchOptions struct {
	Timeout time.Duration      // for one robots.txt, including redirects; zero means 30 s
	Schemes map[string]Fetcher // fetchers by scheme; only "ftp" is allowed; without it ftp URLs fail with ErrUnsupportedScheme
	// Wait blocks until u may be requested; done is called after the request. Timeout
	// excludes the wait. After an error the verdict is Later, with a retry within a minute.
	Wait func(ctx context.Context, u *url.URL) (done func(), err error)
}

// Fetcher opens a robots.txt, tdmrep.json or sitemap, or returns fs.ErrNotExist.
type Fetcher func(ctx context.Context, u *url.URL) (io.ReadCloser, error)

// Signer signs requests, so that a site can verify who sends them. The Signer of package botauth
// is one.
type Signer interface {
	// Send sends a signed copy of req through base. If the site asks for another signature, it
	// calls wait and sends one more copy.
	Send(base http.RoundTripper, req *http.Request, wait func(context.Context) error) (*http.Response, error)
}

// OutageOptions configure what applies while robots.txt is unreachable.
type OutageOptions struct {
	RetryMin, RetryMax time.Duration     // backoff between retries; zero means 1 minute and 1 hour; at most 24 h
	Profile            OutageProfile     // zero means ProfileRFC9309
	Available          func(Origin) bool // for ProfileGoogle: reports whether the site works; nil means that a page had a status other than 429 and 5xx in the last 24 h
}

// OutageProfile decides what applies during a long outage of robots.txt.
type OutageProfile uint8

// The profiles.
const (
	ProfileRFC9309    OutageProfile = iota // up to 30 days: nothing is allowed; then: the last copy applies, or everything is allowed if there was none
	ProfileGoogle                          // up to 12 h: nothing is allowed; then up to 30 days more: the last copy, or everything if there was none; then: everything if OutageOptions.Available returns true, else nothing
	ProfileGoogle2019                      // same as ProfileRFC9309
	ProfilePre2019                         // nothing is allowed, however long the outage lasts
)
