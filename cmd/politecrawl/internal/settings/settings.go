// Package settings puts the configuration of a crawl together: from flags, the environment, a
// file and the defaults, in this order of precedence, or from an earlier crawl.
package settings

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/spf13/viper"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/logging"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/site"
	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore"
)

// Settings are the configuration of a crawl, and of the log of this run.
type Settings struct {
	Config crawler.Config
	Log    logging.Config // not kept with the crawl

	keys    *pflag.FlagSet         // a flag for each key, set on its field
	file    string                 // --config
	seeds   string                 // --seeds
	resume  string                 // --resume
	recrawl string                 // --recrawl
	from    map[string]string      // by key: where its value comes from
	lines   map[string]int         // by key: its line in file, where that is known
	given   func(flag string) bool // tells whether a flag was given
}

// Where values come from, beside flags, environment and file.
const (
	commandLine = "command line" // start URLs that are arguments or seeds
	fromDefault = "default"
)

// New returns the defaults. It is the one place where a key is tied to its field, its kind
// of value and its meaning. The keys of the log, which are not kept with a crawl, come last.
// The flag of a key also parses its value from the environment and from a file, so that the
// same text means the same everywhere.
func New() *Settings {
	s := &Settings{Config: crawler.Default(), from: map[string]string{}, given: func(string) bool { return false }}
	c := &s.Config
	s.keys = pflag.NewFlagSet("keys", pflag.ContinueOnError)
	s.keys.SortFlags = false
	k := s.keys
	k.StringArrayVar(&c.URLs, "urls", c.URLs, "start URLs")
	k.StringVar(&c.Output, "output", c.Output, "write the directory `DIR`, which must not hold another crawl")
	k.IntVar(&c.Workers, "workers", c.Workers, "work on `N` URLs at a time, over all hosts")
	k.DurationVar(&c.Delay, "delay", c.Delay, "least time between two requests to a host")
	k.IntVar(&c.PerHost, "per-host", c.PerHost, "have at most `N` requests in flight on a host")
	k.IntVar(&c.PerIP, "per-ip", c.PerIP, "have at most `N` requests in flight on an IP address (0: no limit)")
	k.DurationVar(&c.MaxCrawlDelay, "max-crawl-delay", c.MaxCrawlDelay, "longest Crawl-delay of a robots.txt that is obeyed as written")
	k.Float64Var(&c.ResponseFactor, "response-factor", c.ResponseFactor, "let a host rest at least `F` times as long as its last answer took")
	k.IntVar(&c.MaxPages, "max-pages", c.MaxPages, "end after `N` pages (0: no limit)")
	k.IntVar(&c.MaxHostPages, "max-host-pages", c.MaxHostPages, "fetch at most `N` pages of a host (0: no limit)")
	k.IntVar(&c.TrapPages, "trap-pages", c.TrapPages, "fetch `N` pages of one pattern of URLs (/calendar?month) of a host, and more only while they have something new or lead nowhere (0: no limit)")
	k.IntVar(&c.MaxHosts, "max-hosts", c.MaxHosts, "take up at most `N` hosts, with --scope domain or any (0: no limit)")
	k.Int64Var(&c.MaxBytes, "max-bytes", c.MaxBytes, "end after pages of `N` bytes in all (0: no limit)")
	k.IntVar(&c.MaxDepth, "max-depth", c.MaxDepth, "follow links `N` steps away from a start URL or sitemap entry (-1: no limit)")
	k.DurationVar(&c.MaxTime, "max-time", c.MaxTime, "end after so long (0: no limit)")
	k.DurationVar(&c.MaxWait, "max-wait", c.MaxWait, "longest wait, when nothing else is left, for hosts that cannot be asked yet (robots.txt unreachable, Retry-After)")
	k.StringVar((*string)(&c.Scope), "scope", string(c.Scope), "what belongs to the crawl: `host|domain|any`")
	k.StringVar(&c.UserAgent, "user-agent", c.UserAgent, "`NAME` sent with every request; its product token chooses the rules")
	k.DurationVar(&c.Timeout, "timeout", c.Timeout, "longest time for one page")
	k.DurationVar(&c.FirstByteTimeout, "first-byte-timeout", c.FirstByteTimeout, "longest time for an answer to begin (0: no limit but --timeout)")
	k.DurationVar(&c.StallTimeout, "stall-timeout", c.StallTimeout, "break an answer off that brings less than 1 KiB in so long (0: no limit but --timeout)")
	k.IntVar(&c.MaxBody, "max-body", c.MaxBody, "read at most `N` bytes of a page")
	k.IntVar(&c.MaxLinks, "max-links", c.MaxLinks, "take up at most `N` distinct URLs that a page links to (0: no limit)")
	k.IntVar(&c.MaxURL, "max-url", c.MaxURL, "take up URLs of at most `N` bytes")
	k.IntVar(&c.MaxParams, "max-params", c.MaxParams, "take up URLs of at most `N` query parameters (0: no limit)")
	k.IntVar(&c.MaxRepeats, "max-repeats", c.MaxRepeats, "follow links in whose path a part stands at most `N` times in a row (0: no limit)")
	k.IntVar(&c.Retries, "retries", c.Retries, "ask `N` more times for a page that failed")
	k.StringArrayVar(&c.Proxies, ProxyKey, c.Proxies, "send requests through the proxy `URL`; given several times, each host has one of them; one with a password is better set as "+Variable(ProxyKey)+", which other users do not see")
	site.AddAllowFlag(k, &c.AllowAddr)
	k.BoolVar(&c.Links, "links", c.Links, "list in links.jsonl what each page links to")
	k.StringSliceVar(&c.Write, "write", c.Write, "write the crawl down as `FORMAT` too: csv, sqlite, warc or warc-1.1; several with commas between them")
	k.StringArrayVar(&c.Extract, "extract", c.Extract, "add the field `NAME=SELECTOR` to pages.jsonl: title2=h1, images=img@src[]; may be given several times")
	k.StringArrayVar(&c.DropParams, "drop-params", c.DropParams, "take the query parameter `NAME` out of links (sid, utm_*); may be given several times")
	k.BoolVar(&c.CleanParam, "clean-param", c.CleanParam, "take out the query parameters that robots.txt names in Clean-param lines")
	k.StringVar((*string)(&c.SitemapOrder), "sitemap-order", string(c.SitemapOrder), "which entries of sitemaps come first: `lastmod|priority|none`")
	k.StringVar(&c.Since, "since", c.Since, "leave alone what sitemaps say has not changed since `DATE`")
	k.BoolVar(&c.OnlySitemaps, "only-sitemaps", c.OnlySitemaps, "fetch the start URLs and what sitemaps list, and follow no links")
	k.BoolVar(&c.ProbeSitemap, "probe-sitemap", c.ProbeSitemap, "ask for /sitemap.xml where robots.txt names no sitemap")
	k.IntVar(&c.MaxSitemaps, "max-sitemaps", c.MaxSitemaps, "read at most `N` sitemap files for a host")
	k.IntVar(&c.MaxSitemapEntries, "max-sitemap-entries", c.MaxSitemapEntries, "take at most `N` pages from the sitemaps of a host (0: no limit)")
	k.BoolVar(&c.ObeyNoindex, "obey-noindex", c.ObeyNoindex, "list pages that ask for noindex without their content")
	k.BoolVar(&c.ObeyNofollow, "obey-nofollow", c.ObeyNofollow, "leave links alone that are nofollow, ugc or sponsored")
	k.DurationVar(&c.RobotsTimeout, "robots-timeout", c.RobotsTimeout, "longest time for one robots.txt with its redirects")
	k.DurationVar(&c.RobotsRetry, "robots-retry", c.RobotsRetry, "time to the first new try of a robots.txt that could not be reached")
	k.StringVar((*string)(&c.Durability), "durability", string(c.Durability), "what the crawl can go on after, the end of its process or that of the machine: `process|power`")
	k.StringVar(&c.Frontier, "frontier", c.Frontier, "share the crawl with other processes, by the Redis or Valkey at `URL`: redis://host:port, rediss:// for TLS, several hosts with commas between them")
	k.StringVar(&c.Join, "join", c.Join, "`NAME` of the crawl that is shared; the first process makes it, the others have its settings")
	k.StringVar(&c.Worker, "worker", c.Worker, "`NAME` of this process in a crawl that is shared (default: the machine's, with a random ending)")
	k.StringVar(&c.FrontierPrefix, "frontier-prefix", c.FrontierPrefix, "`PREFIX` of all keys in Redis")
	k.StringVar(&c.FrontierPasswordFile, "frontier-password-file", c.FrontierPasswordFile, "`FILE` with the password for Redis (default: the variable "+redisstore.PasswordVariable+")")
	k.IntVar(&c.ExpectedURLs, "expected-urls", c.ExpectedURLs, "make room in Redis for `N` URLs; each beyond takes more memory")
	s.Log.AddFlags(k)
	return s
}

// AddFlags adds the flags of all keys to cmd, and the flags that name a configuration file
// and a list of start URLs.
func (s *Settings) AddFlags(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.SortFlags = false
	s.given = fs.Changed
	fs.StringVar(&s.seeds, "seeds", "", "`FILE` of more start URLs, one a line (-: standard input)")
	fs.StringVar(&s.file, "config", "", "YAML, TOML or JSON `FILE` of the keys below; see configs/crawl.yaml")
	s.keys.VisitAll(func(f *pflag.Flag) {
		if f.Name != "urls" { // they are the arguments
			fs.AddFlag(f)
		}
	})
	// Both flags are there and have no completion yet, so this cannot fail.
	_ = cmd.RegisterFlagCompletionFunc("config", cobra.FixedCompletions(configKinds, cobra.ShellCompDirectiveFilterFileExt))
	_ = cmd.RegisterFlagCompletionFunc("write", completeFormats)
}

// AddKeys adds the flags of some keys alone to cmd.
func (s *Settings) AddKeys(cmd *cobra.Command, keys ...string) {
	cmd.Flags().SortFlags = false
	for _, key := range keys {
		cmd.Flags().AddFlag(s.keys.Lookup(key))
	}
}

// LoadKeys gives some keys their values, from flags and the environment.
func (s *Settings) LoadKeys(keys ...string) error {
	v, err := s.sources()
	if err != nil {
		return err
	}
	for _, key := range keys {
		if err := s.resolve(v, s.keys.Lookup(key)); err != nil {
			return cli.WithCode(cli.ExitMisuse, err)
		}
	}
	return nil
}

// Visit calls f for each key, whose flag has the value, with where the value came from.
func (s *Settings) Visit(f func(key *pflag.Flag, from string)) {
	s.keys.VisitAll(func(key *pflag.Flag) { f(key, s.from[key.Name]) })
}

// IsSet tells whether the value of a key is not the default.
func (s *Settings) IsSet(key string) bool { return s.from[key] != fromDefault }

// Load completes the configuration after the flags have been parsed. The start URLs on the
// command line, arguments and seeds together, replace those in the environment or the file.
func (s *Settings) Load(args []string, stdin io.Reader) error {
	for name, value := range map[string]string{"seeds": s.seeds, "config": s.file} {
		if value == "" && s.given(name) { // as of a variable that is not set
			return cli.Misuse("--%s names no file", name)
		}
	}
	if s.seeds != "" {
		more, err := readSeeds(s.seeds, stdin)
		if err != nil {
			return err
		}
		args = slices.Concat(args, more)
	}
	v, err := s.sources()
	if err != nil {
		return err
	}
	var bad []error
	s.keys.VisitAll(func(f *pflag.Flag) {
		if f.Name == "urls" && len(args) > 0 {
			s.Config.URLs, s.from[f.Name] = args, commandLine
		} else if err := s.resolve(v, f); err != nil {
			bad = append(bad, err)
		}
	})
	if len(bad) > 0 {
		return cli.WithCode(cli.ExitMisuse, errors.Join(bad...))
	}
	return s.checkURLs()
}

// sources opens the environment and the file.
func (s *Settings) sources() (*viper.Viper, error) {
	if err := s.checkEnvironment(os.Environ()); err != nil {
		return nil, err
	}
	v := viper.New()
	v.SetEnvPrefix(envPrefix)
	v.SetEnvKeyReplacer(strings.NewReplacer("-", "_"))
	v.AutomaticEnv()
	if s.file == "" {
		return v, nil
	}
	return v, s.read(v)
}

// resolve gives a key its value from the first source that has one.
func (s *Settings) resolve(v *viper.Viper, f *pflag.Flag) error {
	env := Variable(f.Name)
	switch {
	case f.Changed:
		s.from[f.Name] = "flag --" + f.Name
		return nil
	case os.Getenv(env) != "":
		s.from[f.Name] = "environment " + env
	case v.InConfig(f.Name):
		s.from[f.Name] = "file " + s.at(f.Name)
	default:
		s.from[f.Name] = fromDefault
		return nil
	}
	if err := assign(f, v.Get(f.Name)); err != nil {
		return fmt.Errorf("%s in %s: %w", f.Name, s.from[f.Name], err)
	}
	return nil
}

// at is the place of a key in the configuration file.
func (s *Settings) at(key string) string {
	if line := s.lines[key]; line > 0 {
		return fmt.Sprintf("%s:%d", s.file, line)
	}
	return s.file
}

// Validate returns what is wrong with the configuration, each line with where the value
// came from.
func (s *Settings) Validate() error {
	err := s.Config.Validate()
	if err == nil {
		return nil
	}
	var bad []error
	for line := range strings.Lines(cli.WithoutPrefix(err).Error()) {
		line = strings.TrimSpace(line)
		key, _, _ := strings.Cut(strings.TrimPrefix(line, "bad configuration: "), ":")
		if from := s.from[key]; from != "" && from != fromDefault && from != commandLine {
			line += " (" + from + ")"
		}
		bad = append(bad, errors.New(line))
	}
	return cli.WithCode(cli.ExitMisuse, errors.Join(bad...))
}

// checkURLs refuses start URLs that are none, where they were written.
func (s *Settings) checkURLs() error {
	var bad []error
	for _, raw := range s.Config.URLs {
		if _, err := site.ParseOrigin(strings.TrimSpace(raw)); err != nil {
			if from := s.from["urls"]; from != commandLine {
				err = fmt.Errorf("urls in %s: %w", from, err)
			}
			bad = append(bad, err)
		}
	}
	if len(bad) > 0 {
		return cli.WithCode(cli.ExitMisuse, errors.Join(bad...))
	}
	return nil
}

// readSeeds reads the list of URLs that --seeds names.
func readSeeds(name string, stdin io.Reader) ([]string, error) {
	list, err := cli.ReadInput(name, stdin)
	if err != nil {
		return nil, fmt.Errorf("--seeds: %w", err)
	}
	if name != cli.Stdin {
		name = strconv.Quote(name)
	}
	name = cli.InputName(name)
	var urls []string
	var bad []error
	for line, err := range cli.Lines(bytes.NewReader(list)) {
		if err == nil {
			_, err = site.ParseOrigin(line.Text)
		}
		switch {
		case err == nil:
			urls = append(urls, line.Text)
		case len(bad) == maxBadSeeds:
			return nil, cli.WithCode(cli.ExitMisuse, errors.Join(append(bad, fmt.Errorf("--seeds: %s has more such lines", name))...))
		case line.Number > 0:
			bad = append(bad, fmt.Errorf("--seeds: %s, line %d: %w", name, line.Number, err))
		default:
			bad = append(bad, fmt.Errorf("--seeds: %s: %w", name, err))
		}
	}
	switch {
	case len(bad) > 0:
		return nil, cli.WithCode(cli.ExitMisuse, errors.Join(bad...))
	case len(urls) == 0:
		return nil, cli.Misuse("--seeds: %s holds no URL; write them one a line", name)
	}
	return urls, nil
}

// maxBadSeeds is how many bad lines of a list are shown: it may not be a list of
// URLs at all.
const maxBadSeeds = 5

// completeFormats completes a list of formats, each once.
func completeFormats(_ *cobra.Command, _ []string, toComplete string) ([]cobra.Completion, cobra.ShellCompDirective) {
	typed := toComplete[:strings.LastIndex(toComplete, ",")+1]
	var lists []cobra.Completion
	for _, format := range Formats(new(crawler.Config)) {
		if !slices.Contains(strings.Split(typed, ","), format.Name) {
			lists = append(lists, typed+format.Name)
		}
	}
	return lists, cobra.ShellCompDirectiveNoFileComp
}

// ProxyKey is the key whose values may have a password in them.
const ProxyKey = "proxy"

// WithoutSecrets returns the URLs of proxies as they may be shown; none is an empty list.
func WithoutSecrets(proxies []string) []string {
	return append([]string{}, crawler.Config{Proxies: proxies}.WithoutSecrets().Proxies...)
}

// SecretFlags returns the flags that were given with a secret in them, each with the variable
// of the environment to use instead, which other users do not see.
func (s *Settings) SecretFlags() map[string]string {
	seen := make(map[string]string)
	if s.from[ProxyKey] == "flag --"+ProxyKey && !slices.Equal(WithoutSecrets(s.Config.Proxies), s.Config.Proxies) {
		seen["--"+ProxyKey] = Variable(ProxyKey)
	}
	if s.given(TokenFlag) {
		seen["--"+TokenFlag] = TokenVariable
	}
	return seen
}
