package crawler

import (
	"cmp"
	"errors"
	"fmt"
	"net/mail"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/net/http/httpguts"

	"github.com/politecrawl/politecrawl/crawler/extract"
	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore"
	"github.com/politecrawl/politecrawl/crawler/internal/results"
	"github.com/politecrawl/politecrawl/crawler/internal/scope"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
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

// Validate returns nil, or an error that joins one [*ConfigError] for each problem. Its
// text has one line for each.
func (c Config) Validate() error {
	var p problems
	p.add("urls", require(len(c.URLs) > 0, "there is no start URL"))
	for _, s := range c.settings() {
		s.check(&p)
	}
	c.checkCredentials(&p)
	c.Sharing.checkCredentials(&p, &c.Credentials)
	c.checkExcluded(&p)
	return errors.Join(p...)
}

// checkCredentials checks the credentials without reading the files that they name.
func (c *Config) checkCredentials(p *problems) {
	given := *c
	given.Credentials.CookieFile, given.Credentials.Netrc = "", false
	_, err := newCredentials(&given)
	if bad, ok := errors.AsType[*ConfigError](err); ok && !p.has(bad.Key) {
		p.add(bad.Key, bad.Problem)
	}
}

// checkHeader checks a parsed field of Credentials.
func (c *Config) checkHeader(name, value string, err error) error {
	return cmp.Or(err, checkAgent(name, value, c.Fetch.UserAgent), checkSignature(name, c.Fetch.Identity))
}

// checkExcluded rejects start URLs that include or exclude excludes.
func (c *Config) checkExcluded(p *problems) {
	bounds, err := c.Scope.bounds()
	if err != nil {
		return // it is reported already
	}
	for _, raw := range c.URLs {
		if u, err := weburl.Parse(raw); err == nil {
			why := bounds.Excluded(u.Canonical)
			p.add("urls", require(why == "", "start URL %q %s; omit the URL, or change the expression", u.Canonical, why))
		}
	}
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

// checkKeptHeader checks the name of a header that pages.jsonl shall have.
func checkKeptHeader(name string) error {
	if strings.EqualFold(name, "Set-Cookie") || strings.EqualFold(name, "Set-Cookie2") {
		return fmt.Errorf("the value of %s may be a secret, so it is not written; omit it", name)
	}
	return require(httpguts.ValidHeaderFieldName(name), "%q is not the name of a header", name)
}

// checkUserAgent checks the value of the header User-Agent.
func checkUserAgent(agent string) error {
	if !httpguts.ValidHeaderFieldValue(agent) {
		return fmt.Errorf("%q holds a line end or another control character, which no field of a request can", agent)
	}
	_, err := robotstxt.ProductToken(agent)
	return require(err == nil, "%q contains no product token (letters, digits, dots, - and _)", agent)
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

// checkCredentials rejects credentials that every start URL of a shared crawl would get. Whoever can
// write to Redis can add start URLs.
func (c *Sharing) checkCredentials(p *problems, given *Credentials) {
	if c.Frontier == "" {
		return
	}
	const named = "other processes of a shared crawl can add start URLs; name the origin, with header-for or basic-auth"
	p.add("header", require(len(given.Header) == 0, named))
	p.add("netrc", require(!given.Netrc, named))
	p.add("cookie-file", require(given.CookieFile == "", named))
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

// checkFrontier checks the address of a shared frontier, which may be empty.
func checkFrontier(address string) error {
	if address == "" {
		return nil
	}
	password, err := redisstore.CheckAddress(address)
	if err != nil {
		return fmt.Errorf("%w; write it as redis://host:port", err)
	}
	// The text does not repeat the address.
	return require(!password, "the address contains a password, which other users could see in the process list and the crawl would store; set %s, or name a file that contains it (frontier-password-file)",
		redisstore.PasswordVariable)
}

// Validate returns nil, or an error like that of [Config.Validate].
func (c *Sharing) Validate() error {
	cfg := Default() // the rest of it is valid
	cfg.URLs, cfg.Sharing = []string{"https://example.com/"}, *c
	return cfg.Validate()
}

var warcPrefix = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$`)

// checkName checks a name in Redis.
func (c *Sharing) checkName(name string) error {
	return require(c.Frontier == "" || redisstore.ValidName(name), "%q is no name: only letters, digits, '.', '_', '-', and at most 100 of them", name)
}

// require returns an error with this text unless ok.
func require(ok bool, format string, args ...any) error {
	if ok {
		return nil
	}
	return fmt.Errorf(format, args...)
}

// valid returns a check whether a value can be parsed.
func valid[T, Parsed any](parse func(T) (Parsed, error)) func(T) error {
	return func(text T) error {
		_, err := parse(text)
		return err
	}
}

// oneOf returns a check whether a value is one of these words.
func oneOf[T ~string](words ...T) func(T) error {
	return func(word T) error {
		list := strings.ReplaceAll(strings.Trim(fmt.Sprint(words), "[]"), " ", ", ")
		return require(slices.Contains(words, word), "%q is not one of %s", string(word), list)
	}
}

// maxDuration is the longest duration of a key. The crawl multiplies and adds them, and a
// time.Duration ends at 292 years.
const maxDuration = 365 * 24 * time.Hour

type number interface{ int | int64 | time.Duration }

// limit checks a limit that is off at zero.
func limit[N number](n N) error { return orZero[N]("means no limit")(n) }

// orZero returns a check whether a number is not negative. The error says what zero means.
func orZero[N number](means string) func(N) error {
	return func(n N) error {
		if n < 0 {
			return fmt.Errorf("%v is negative; 0 %s", n, means)
		}
		return notNegative(n)
	}
}

func notNegative[N number](n N) error {
	if d, ok := any(n).(time.Duration); ok && d > maxDuration {
		return fmt.Errorf("%v is longer than %v", d, maxDuration)
	}
	return require(n >= 0, "%v is negative", n)
}

// positive checks a duration that must not be zero.
func positive(d time.Duration) error {
	if d <= 0 {
		return fmt.Errorf("%v is not positive", d)
	}
	return notNegative(d)
}

func positiveCount(n int) error { return require(n >= 1, "%d is less than 1", n) }

// problems collects the errors of a configuration.
type problems []error

// add adds the error of a key, if err is not nil.
func (p *problems) add(key string, err error) {
	if err != nil {
		*p = append(*p, &ConfigError{Key: key, Problem: err})
	}
}

// has reports whether a key has an error.
func (p *problems) has(key string) bool {
	return slices.ContainsFunc(*p, func(err error) bool { return err.(*ConfigError).Key == key }) //nolint:errorlint // add made it
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
