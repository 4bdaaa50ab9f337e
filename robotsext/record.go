package robotsext

import (
	"net/http"
	"net/url"
	"time"

	"github.com/politecrawl/politecrawl/robotsext/internal/lookup"
	"github.com/politecrawl/politecrawl/robotsext/record"
)

type (
	// Record is what is known about the robots.txt of an origin.
	Record = record.Record
	// Origin is the scope of one robots.txt, such as "https://example.com:8443".
	Origin = record.Origin
	// Outcome is the result of fetching robots.txt.
	Outcome = record.Outcome
	// Cache stores records.
	Cache = record.Cache
	// CacheOptions configure how long and where records are stored.
	CacheOptions = record.CacheOptions
	// FetchOptions configure requests for robots.txt and sitemaps.
	FetchOptions = record.FetchOptions
	// Fetcher opens the files of ftp URLs.
	Fetcher = record.Fetcher
	// Signer signs requests, such as the one of package botauth.
	Signer = record.Signer
	// OutageOptions configure what applies while robots.txt is unreachable.
	OutageOptions = record.OutageOptions
	// OutageProfile decides what applies during a long outage.
	OutageProfile = record.OutageProfile
)

// The outcomes, and the profiles for a long outage.
const (
	OutcomeRules       = record.OutcomeRules
	OutcomeAllowAll    = record.OutcomeAllowAll
	OutcomeUnreachable = record.OutcomeUnreachable

	ProfileRFC9309    = record.ProfileRFC9309
	ProfileGoogle     = record.ProfileGoogle
	ProfileGoogle2019 = record.ProfileGoogle2019
	ProfilePre2019    = record.ProfilePre2019
)

// OriginOf returns the origin of an absolute http, https or ftp URL. It fails with
// ErrUnsupportedScheme or ErrInvalidHost.
func OriginOf(u *url.URL) (Origin, error) { return record.OriginOf(u) }

// NewFileCache returns a Cache of files in dir, for one process at a time.
func NewFileCache(dir string) (Cache, error) { return lookup.NewFileCache(dir) }

// NewMemoryCache returns a Cache for several Robots. Zero means the default.
func NewMemoryCache(maxRecords int, maxBytes int64) Cache {
	return lookup.NewMemoryCache(maxRecords, maxBytes)
}

// NoStore reports whether Cache-Control contains no-store (RFC 9111 5.2.2.5).
func NoStore(h http.Header) bool { return lookup.NoStore(h) }

// RetryAfter returns the longest Retry-After of a response received at now, at most 24 h. A list
// such as "5, 60" counts as several fields.
func RetryAfter(h http.Header, now time.Time) time.Duration { return lookup.RetryAfter(h, now) }
