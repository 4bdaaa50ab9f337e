package robotstxt

import (
	"math"
	"time"
)

// Defaults of the zero Options.
const (
	// DefaultMaxBytes is how much of a body is read: 500 KiB, the least that
	// RFC 9309 section 2.5 asks for and what Google uses.
	DefaultMaxBytes = 500 * 1024

	// DefaultMaxExtensions bounds File.Extensions, which a body of garbage would
	// otherwise fill with several times its own size. No ordinary file comes near
	// it.
	DefaultMaxExtensions = 10000

	// DefaultMaxCrawlDelay caps Crawl-delay.
	DefaultMaxCrawlDelay = 30 * time.Second
)

// Options departs from the specification, field by field. The zero value, like
// a nil *Options, is the specification.
type Options struct {
	// MaxBytes is the number of bytes of the body that are parsed. A line that the
	// limit cuts in two is ignored. Zero means DefaultMaxBytes, negative no limit. A
	// caller that reads from the network should pass up to MaxBytes+1 bytes: the last
	// one tells a cut line from a whole one.
	MaxBytes int

	// MaxFindings bounds File.Findings. Zero means 1,000, negative
	// none at all. The first misspelt User-agent line and the first field beyond
	// MaxExtensions have their findings all the same, since more hangs on them.
	MaxFindings int

	// MaxExtensions bounds File.Extensions: fields after that many are ignored,
	// Crawl-delay among them. Zero means DefaultMaxExtensions, negative no
	// limit.
	MaxExtensions int

	// MaxCrawlDelay caps Group.CrawlDelay. Zero means DefaultMaxCrawlDelay,
	// negative no cap.
	MaxCrawlDelay time.Duration

	// RequestRateDelay lets Request-rate lines lengthen Group.CrawlDelay: 1/10m
	// is one request every 600 s. The cap applies.
	RequestRateDelay bool

	// Lenient accepts Google's list of misspelt fields, fields by prefix, and a
	// line of exactly two words without a colon.
	Lenient bool

	// WideTokens lets agents such as MJ12bot be addressed: a User-agent line
	// then also names its value up to the first space, slash or star.
	WideTokens bool

	// AssumeSlash reads "fish/" as "/fish/", as the oldest edition does.
	AssumeSlash bool

	// GoogleParser gives the verdicts of Google's open-source parser, bug for
	// bug, for comparison. It implies no size limit (unless MaxBytes is
	// positive) and overrules every other option that changes a verdict.
	GoogleParser bool
}

// forGoogle returns the options that GoogleParser leaves in force.
func (o *Options) forGoogle() Options {
	return Options{
		MaxBytes:         o.MaxBytes,
		MaxFindings:      o.MaxFindings,
		MaxExtensions:    o.MaxExtensions,
		MaxCrawlDelay:    o.MaxCrawlDelay,
		RequestRateDelay: o.RequestRateDelay,
	}
}

func (o *Options) maxBytes(d decision) int {
	switch {
	case o.MaxBytes > 0:
		return min(o.MaxBytes, maxText)
	case o.MaxBytes == 0 && !d.has(googleLimit):
		return DefaultMaxBytes
	}
	return maxText
}

// maxText is what spans can address.
const maxText = math.MaxInt32 / 2

const defaultMaxFindings = 1000

func (o *Options) maxFindings() int {
	if o.MaxFindings == 0 {
		return defaultMaxFindings
	}
	return max(o.MaxFindings, 0)
}

func (o *Options) maxExtensions() int {
	switch {
	case o.MaxExtensions == 0:
		return DefaultMaxExtensions
	case o.MaxExtensions < 0:
		return math.MaxInt
	}
	return o.MaxExtensions
}

// capDelay applies MaxCrawlDelay.
func (o *Options) capDelay(d time.Duration) time.Duration {
	switch {
	case o.MaxCrawlDelay < 0:
		return d
	case o.MaxCrawlDelay == 0:
		return min(d, DefaultMaxCrawlDelay)
	}
	return min(d, o.MaxCrawlDelay)
}
