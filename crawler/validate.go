package crawler

import (
	"cmp"
	"errors"
	"fmt"
	"net/mail"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/net/http/httpguts"

	"github.com/politecrawl/politecrawl/crawler/extract"
	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore"
	"github.com/politecrawl/politecrawl/crawler/internal/credentials"
	"github.com/politecrawl/politecrawl/crawler/internal/fetch"
	"github.com/politecrawl/politecrawl/crawler/internal/results"
	"github.com/politecrawl/politecrawl/crawler/internal/scope"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/params"
	"github.com/politecrawl/politecrawl/robotsext/guard"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// ErrConfig says that a configuration is not valid.
var ErrConfig = errors.New("bad configuration")

// A ConfigError describes a problem with the value of one key of a [Config]. It wraps
// [ErrConfig].
type ConfigError struct {
	Key     string // as in a configuration file
	Problem error
}

// Error implements error.
func (e *ConfigError) Error() string {
	return fmt.Sprintf("%v: %s: %v", ErrConfig, e.Key, e.Problem)
}

// Unwrap returns ErrConfig and the problem.
func (e *ConfigError) Unwrap() []error { return []error{ErrConfig, e.Problem} }

// maxDuration is the longest duration of a key, a year, and maxResponseFactor the largest
// factor. The crawl multiplies and adds them, and a time.Duration ends at 292 years.
const (
	maxDuration       = 365 * 24 * time.Hour
	maxResponseFactor = 100
)

// Validate returns nil, or an error that joins one [*ConfigError] for each problem. Its
// text has one line for each.
func (c Config) Validate() error {
	var p problems
	p.check(len(c.URLs) > 0, "urls", "there is no start URL")
	for _, raw := range c.URLs {
		p.add("urls", checkStart(raw))
	}
	c.Output.validate(&p)
	c.Limits.validate(&p)
	c.Politeness.validate(&p)
	c.Scope.validate(&p)
	c.Robots.validate(&p)
	c.Usage.validate(&p)
	c.Sitemaps.validate(&p)
	c.Fetch.validate(&p)
	c.checkCredentials(&p)
	c.Sharing.validate(&p)
	c.Sharing.checkCredentials(&p, &c.Credentials)
	c.checkExcluded(&p)
	return errors.Join(p...)
}

// checkCredentials checks the credentials without reading the files that they name.
func (c *Config) checkCredentials(p *problems) {
	known := len(*p)
	if c.Credentials.validate(p, &c.Fetch); len(*p) > known {
		return
	}
	given := *c
	given.Credentials.CookieFile, given.Credentials.Netrc = "", false
	_, err := newCredentials(&given)
	if bad, ok := errors.AsType[*ConfigError](err); ok {
		p.add(bad.Key, bad.Problem)
	}
}

// checkExcluded rejects start URLs that include or exclude excludes.
func (c *Config) checkExcluded(p *problems) {
	bounds, err := c.Scope.bounds()
	if err != nil {
		return // Scope.validate reports it
	}
	for _, raw := range c.URLs {
		if u, err := weburl.Parse(raw); err == nil {
			why := bounds.Excluded(u.Canonical)
			p.check(why == "", "urls", "start URL %q %s; omit the URL, or change the expression", u.Canonical, why)
		}
	}
}

func (o *Output) validate(p *problems) {
	p.check(o.Dir != "", "output", "is empty; name the directory to write")
	_, err := fieldRules(o.Extract)
	p.add("extract", err)
	p.check(o.Links.valid(), "links", "%q is not one of false, true, full", string(o.Links))
	for _, name := range o.KeepHeader {
		p.check(httpguts.ValidHeaderFieldName(name), "keep-header", "%q is not the name of a header", name)
		p.check(!strings.EqualFold(name, "Set-Cookie") && !strings.EqualFold(name, "Set-Cookie2"), "keep-header", "the value of %s may be a secret, so it is not written; omit it", name)
	}
	p.check(o.KeepGenerations >= 0, "keep-generations", "%d is negative; 0 keeps all", o.KeepGenerations)
	p.check(o.Durability.valid(), "durability", "%q is not one of process, power", string(o.Durability))
}

func (u *Usage) validate(p *problems) {
	_, _, err := u.purposes()
	p.add("purpose", err)
	p.check(u.Unknown == UnknownAllow || u.Unknown == UnknownRefuse, "unknown", "%q is not one of allow, refuse", string(u.Unknown))
	p.check(u.Unknown == UnknownAllow || len(u.Purposes) > 0, "unknown", "has no effect without a purpose; set purpose too")
}

func (l *Limits) validate(p *problems) {
	p.check(l.Concurrency >= 1, "concurrency", "%d is less than 1", l.Concurrency)
	checkLimit(p, "max-pages", l.MaxPages)
	checkLimit(p, "max-host-pages", l.MaxHostPages)
	checkLimit(p, "max-hosts", l.MaxHosts)
	checkLimit(p, "max-bytes", l.MaxBytes)
	checkLimit(p, "max-time", l.MaxTime)
	p.checkYear("max-time", l.MaxTime)
	p.check(l.MaxWait >= 0, "max-wait", "%v is negative", l.MaxWait)
	p.checkYear("max-wait", l.MaxWait)
	checkLimit(p, "max-links", l.MaxLinks)
	checkLimit(p, "trap-pages", l.TrapPages)
}

func (o *Politeness) validate(p *problems) {
	p.check(o.Delay >= 0, "delay", "%v is negative", o.Delay)
	p.checkYear("delay", o.Delay)
	p.check(o.MaxCrawlDelay >= 0, "max-crawl-delay", "%v is negative", o.MaxCrawlDelay)
	p.checkYear("max-crawl-delay", o.MaxCrawlDelay)
	p.check(o.ResponseFactor >= 0 && o.ResponseFactor <= maxResponseFactor, "response-factor", "%v is not a number from 0 to %d", o.ResponseFactor, maxResponseFactor)
	p.check(o.PerHost >= 1, "per-host", "%d is less than 1", o.PerHost)
	checkLimit(p, "per-ip", o.PerIP)
}

func (s *Scope) validate(p *problems) {
	p.check(scope.Kind(s.Kind).Valid(), "scope", "%q is not one of host, path, domain, any", string(s.Kind))
	_, err := scope.ParsePatterns(s.Include)
	p.add("include", err)
	_, err = scope.ParsePatterns(s.Exclude)
	p.add("exclude", err)
	for _, kind := range s.Check {
		p.check(slices.Contains(checkKinds, kind), "check", "%q is not one of %s", kind, strings.Join(checkKinds, ", "))
	}
	_, err = weburl.ParseHosts(s.ForbidHost)
	p.add("forbid-host", err)
	p.check(s.MaxDepth >= -1, "max-depth", "%d is less than -1, which means no limit", s.MaxDepth)
	p.check(s.MaxURL > 0 && s.MaxURL <= weburl.MaxLength, "max-url", "%d is not a number of bytes from 1 to %d", s.MaxURL, weburl.MaxLength)
	checkLimit(p, "max-params", s.MaxParams)
	checkLimit(p, "max-repeats", s.MaxRepeats)
	_, err = params.New(s.DropParams)
	p.add("drop-params", err)
}

// bounds returns the limits of single URLs.
func (s *Scope) bounds() (scope.Bounds, error) {
	include, err := scope.ParsePatterns(s.Include)
	if err != nil {
		return scope.Bounds{}, err
	}
	exclude, err := scope.ParsePatterns(s.Exclude)
	return scope.Bounds{
		MaxDepth: s.MaxDepth, MaxURL: s.MaxURL, MaxParams: s.MaxParams, MaxRepeats: s.MaxRepeats, Include: include, Exclude: exclude,
	}, err
}

func (r *Robots) validate(p *problems) {
	p.checkTimeout("robots-timeout", r.Timeout)
	p.checkTimeout("robots-retry", r.Retry)
}

func (s *Sitemaps) validate(p *problems) {
	p.check(s.Order.valid(), "sitemap-order", "%q is not one of lastmod, priority, none", string(s.Order))
	_, err := parseSince(s.Since)
	p.add("since", err)
	p.check(s.MaxFiles >= 0, "max-sitemaps", "%d is negative; 0 is to read none", s.MaxFiles)
	checkLimit(p, "max-sitemap-entries", s.MaxEntries)
}

func (f *Fetch) validate(p *problems) {
	p.check(httpguts.ValidHeaderFieldValue(f.UserAgent), "user-agent", "%q holds a line end or another control character, which no field of a request can", f.UserAgent)
	_, err := robotstxt.ProductToken(f.UserAgent)
	p.check(err == nil, "user-agent", "%q contains no product token (letters, digits, dots, - and _)", f.UserAgent)
	p.add("contact", checkContact(f.Contact))
	p.check(!f.CheckDNS || f.Identity != "", "check-dns", "needs the identity whose domain the names must be under; set identity too")
	_, err = fetch.ParseTypes(f.Types)
	p.add("types", err)
	p.checkTimeout("timeout", f.Timeout)
	checkLimit(p, "first-byte-timeout", f.FirstByteTimeout)
	p.checkYear("first-byte-timeout", f.FirstByteTimeout)
	checkLimit(p, "stall-timeout", f.StallTimeout)
	p.checkYear("stall-timeout", f.StallTimeout)
	p.check(f.MaxBody > 0, "max-body", "%d is not a number of bytes to read", f.MaxBody)
	p.check(f.Retries >= 0, "retries", "%d is negative", f.Retries)
	for _, raw := range f.Proxies {
		p.add("proxy", checkProxy(raw))
	}
	for _, text := range f.AllowAddr {
		_, err := guard.ParsePrefix(text)
		p.add("allow-addr", err)
	}
}

// checkContact checks an email address, which may be empty.
func checkContact(text string) error {
	if text == "" {
		return nil
	}
	at, err := mail.ParseAddress(text)
	if err == nil && at.Address == text && isASCII(text) {
		return nil
	}
	return fmt.Errorf("%q is not an email address; write it as crawler@example.com, without a name", text)
}

func isASCII(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

func (c *Credentials) validate(p *problems, fetch *Fetch) {
	for _, text := range c.Header {
		name, value, err := credentials.ParseHeader(text)
		p.add("header", cmp.Or(err, checkAgent(name, value, fetch.UserAgent), checkSignature(name, fetch.Identity)))
	}
	for _, text := range c.HeaderFor {
		_, name, value, err := credentials.ParseHeaderFor(text)
		p.add("header-for", cmp.Or(err, checkAgent(name, value, fetch.UserAgent), checkSignature(name, fetch.Identity)))
	}
	for _, text := range c.BasicAuth {
		_, _, err := credentials.ParseBasicAuth(text)
		p.add("basic-auth", err)
	}
}

// checkCredentials rejects credentials that every start URL of a shared crawl would get. Whoever can
// write to Redis can add start URLs.
func (c *Sharing) checkCredentials(p *problems, given *Credentials) {
	if c.Frontier == "" {
		return
	}
	const named = "other processes of a shared crawl can add start URLs; name the origin, with header-for or basic-auth"
	p.check(len(given.Header) == 0, "header", named)
	p.check(!given.Netrc, "netrc", named)
	p.check(given.CookieFile == "", "cookie-file", named)
}

// checkSignature returns an error if a header field would replace a field with which the identity
// signs each request.
func checkSignature(name, identity string) error {
	if identity == "" || name != "Signature" && name != "Signature-Input" && name != "Signature-Agent" {
		return nil
	}
	return fmt.Errorf("the identity sets %s itself; leave it out, or crawl without identity", name)
}

// checkAgent returns an error if a header field changes the name of the crawler.
func checkAgent(name, value, userAgent string) error {
	if name != "User-Agent" {
		return nil
	}
	own, _ := robotstxt.ProductToken(userAgent)
	if token, _ := robotstxt.ProductToken(value); !strings.EqualFold(token, own) {
		return fmt.Errorf("User-Agent does not begin with %s, by which sites know this crawler; change the name with user-agent", own)
	}
	return nil
}

// Validate returns nil, or an error like that of [Config.Validate].
func (c *Sharing) Validate() error {
	var p problems
	c.validate(&p)
	return errors.Join(p...)
}

func (c *Sharing) validate(p *problems) {
	if c.Frontier != "" {
		password, err := redisstore.CheckAddress(c.Frontier)
		if err != nil {
			p.add("frontier", fmt.Errorf("%w; write it as redis://host:port", err))
		}
		// The text does not repeat the address.
		p.check(!password, "frontier", "the address contains a password, which other users could see in the process list and the crawl would store; set %s, or name a file that contains it (frontier-password-file)",
			redisstore.PasswordVariable)
		for _, name := range []struct{ key, value string }{{"crawl-name", c.CrawlName}, {"frontier-prefix", c.Prefix}, {"worker-name", c.WorkerName}} {
			p.check(redisstore.ValidName(name.value) || name.key == "worker-name" && name.value == "",
				name.key, "%q is no name: only letters, digits, '.', '_', '-', and at most 100 of them", name.value)
		}
	}
	p.check(c.ExpectedURLs > 0, "expected-urls", "%d is not a number of URLs", c.ExpectedURLs)
}

// problems collects the errors of a configuration.
type problems []error

// add adds the error of a key, if err is not nil.
func (p *problems) add(key string, err error) {
	if err != nil {
		*p = append(*p, &ConfigError{Key: key, Problem: err})
	}
}

// check adds an error of a key unless ok.
func (p *problems) check(ok bool, key, format string, args ...any) {
	if !ok {
		p.add(key, fmt.Errorf(format, args...))
	}
}

// checkYear checks that a duration is at most a year.
func (p *problems) checkYear(key string, d time.Duration) {
	p.check(d <= maxDuration, key, "%v is longer than %v", d, maxDuration)
}

// checkTimeout checks a duration that must not be zero.
func (p *problems) checkTimeout(key string, d time.Duration) {
	p.check(d > 0, key, "%v is not positive", d)
	p.checkYear(key, d)
}

// checkLimit checks a limit that is off at zero.
func checkLimit[N int | int64 | time.Duration](p *problems, key string, n N) {
	p.check(n >= 0, key, "%v is negative; 0 means no limit", n)
}

// fieldRules compiles the rules of extract.
func fieldRules(texts []string) (*extract.Rules, error) {
	rules := make(map[string]extract.Rule, len(texts))
	for _, text := range texts {
		name, rule, err := extract.ParseField(text)
		if err != nil {
			return nil, err
		}
		if _, twice := rules[name]; twice {
			return nil, fmt.Errorf("field %q has two rules", name)
		}
		rules[name] = rule
	}
	return extract.NewRules(rules)
}

// formatError adds the key to an error about formats.
func formatError(err error) error {
	if bad, ok := errors.AsType[results.FormatError](err); ok {
		return &ConfigError{Key: "also-write", Problem: bad}
	}
	return err
}

// parseSince parses a date or a time. Empty is the zero time.
func parseSince(s string) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is neither a date like 2026-01-31 nor a time like 2026-01-31T12:00:00Z", s)
}
