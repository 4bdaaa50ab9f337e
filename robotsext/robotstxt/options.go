package robotstxt

import (
	"cmp"
	"math"
	"time"
)

// Defaults of Options.
const (
	// DefaultMaxBytes is the size limit of a body: 500 KiB, the minimum of RFC 9309
	// section 2.5 and Google's limit.
	DefaultMaxBytes = 500 * 1024

	// DefaultMaxExtensions limits File.Extensions, which could otherwise need several
	// times the memory of a hostile body. Ordinary files have far fewer.
	DefaultMaxExtensions = 10000

	// DefaultMaxCrawlDelay limits Crawl-delay.
	DefaultMaxCrawlDelay = 30 * time.Second
)

// Options configure parsing. The zero value and nil follow the specification,
// testdata/spec.md.
type Options struct {
	// MaxBytes limits the bytes of the body that are parsed. A line that the limit cuts is
	// ignored. Zero means DefaultMaxBytes, negative no limit. When reading from the
	// network, pass up to MaxBytes+1 bytes, so that Parse can tell a cut line from a whole
	// one.
	MaxBytes int

	// MaxFindings limits File.Findings. Zero means 1,000, negative no findings. Unless it
	// is negative, the first misspelled User-agent line and the first field beyond
	// MaxExtensions are always listed.
	MaxFindings int

	// MaxExtensions limits File.Extensions. Fields beyond the limit are ignored,
	// Crawl-delay included. Zero means DefaultMaxExtensions, negative no limit.
	MaxExtensions int

	// MaxCrawlDelay limits Group.CrawlDelay. Zero means DefaultMaxCrawlDelay, negative no
	// limit.
	MaxCrawlDelay time.Duration

	// RequestRateDelay lets Request-rate lines increase Group.CrawlDelay, up to
	// MaxCrawlDelay. 1/10m is one request every 600 s.
	RequestRateDelay bool

	// Lenient accepts lines that Google's parser accepts: misspelled fields such as
	// Disalow, fields with a suffix such as Disallowed, and two words without a colon, such
	// as "Disallow /x".
	Lenient bool

	// AssumeSlash reads "fish/" as "/fish/", as the specification of 1994 does.
	AssumeSlash bool

	// GoogleParser reproduces the verdicts of Google's open-source parser, bugs included,
	// for comparison. It disables the size limit (unless MaxBytes is positive) and
	// overrides every other option that changes a verdict. The names of crawlers are compared
	// as given, and no name is an error.
	GoogleParser bool
}

// forGoogle returns the options that stay in force under GoogleParser.
func (o *Options) forGoogle() Options {
	return Options{
		MaxBytes:         o.MaxBytes,
		MaxFindings:      o.MaxFindings,
		MaxExtensions:    o.MaxExtensions,
		MaxCrawlDelay:    o.MaxCrawlDelay,
		RequestRateDelay: o.RequestRateDelay,
	}
}

// limit returns the limit that an option sets: byDefault if value is zero, none if it is negative.
func limit[T int | time.Duration](value, byDefault, none T) T {
	if value < 0 {
		return none
	}
	return cmp.Or(value, byDefault)
}

func (o *Options) maxBytes(d decision) int {
	byDefault := DefaultMaxBytes
	if d.has(googleLimit) {
		byDefault = maxText
	}
	return min(limit(o.MaxBytes, byDefault, maxText), maxText)
}

// maxText is the longest text that a span can address.
const maxText = math.MaxInt32 / 2

const defaultMaxFindings = 1000

func (o *Options) maxFindings() int { return limit(o.MaxFindings, defaultMaxFindings, 0) }

func (o *Options) maxExtensions() int {
	return limit(o.MaxExtensions, DefaultMaxExtensions, math.MaxInt)
}

// capDelay applies MaxCrawlDelay.
func (o *Options) capDelay(d time.Duration) time.Duration {
	return min(d, limit(o.MaxCrawlDelay, DefaultMaxCrawlDelay, math.MaxInt64))
}
