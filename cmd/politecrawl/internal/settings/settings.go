// Package settings assembles the configuration of a crawl from flags, the environment, a
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
	"github.com/politecrawl/politecrawl/robotsext/usage"
)

// Settings are the configuration of a crawl and of the log of this run.
type Settings struct {
	Config crawler.Config
	Log    logging.Config // not kept with the crawl

	keys    *pflag.FlagSet // a flag for each key, set on its field
	file    string         // --config
	urlFile string         // --url-file
	resume  string         // --resume
	recrawl string         // --recrawl

	continueFlag   bool // --continue
	continuesCrawl bool // there is a crawl to resume

	audit  bool                   // --audit
	values *viper.Viper           // of the environment and the file; nil: not read yet
	from   map[string]string      // by key: where its value comes from
	lines  map[string]int         // by key: its line in file, where that is known
	seen   map[string]string      // what the process list shows, by flag: the variable to use instead
	given  func(flag string) bool // tells whether a flag was given
	notice func(line string)      // prints a note; nil: nothing
}

// Where values come from, beside flags, environment and file.
const (
	commandLine = "command line" // start URLs that are arguments or of --url-file
	fromDefault = "default"
	fromCrawl   = "crawl " // and the directory
)

// New returns the defaults. It connects each key to its field, type and usage. The keys of
// the log, which are not stored with a crawl, come last. The flag of a key also parses its
// value from the environment and from a file.
func New() *Settings {
	s := &Settings{Config: crawler.Default(), from: map[string]string{}, seen: map[string]string{}, given: func(string) bool { return false }}
	c := &s.Config
	s.keys = pflag.NewFlagSet("keys", pflag.ContinueOnError)
	s.keys.SortFlags = false
	k := s.keys
	k.StringArrayVar(&c.URLs, "urls", c.URLs, "start URLs")
	k.StringVarP(&c.Output.Dir, "output", "o", c.Output.Dir, "write the crawl into `DIR`, which must not hold another crawl")
	k.IntVar(&c.Limits.Concurrency, "concurrency", c.Limits.Concurrency, "process `N` URLs at a time, on all hosts together")
	k.DurationVarP(&c.Politeness.Delay, "delay", "d", c.Politeness.Delay, "wait at least `DURATION` between two requests to a host")
	k.IntVar(&c.Politeness.PerHost, "per-host", c.Politeness.PerHost, "allow `N` requests in flight to a host")
	k.IntVar(&c.Politeness.PerIP, "per-ip", c.Politeness.PerIP, "allow `N` requests in flight to an IP address (default 0: no limit)")
	k.DurationVar(&c.Politeness.MaxCrawlDelay, "max-crawl-delay", c.Politeness.MaxCrawlDelay, "obey a Crawl-delay of up to `DURATION`; reduce longer ones to it")
	k.Float64Var(&c.Politeness.ResponseFactor, "response-factor", c.Politeness.ResponseFactor, "wait at least `F` times the host's last response time")
	k.IntVarP(&c.Limits.MaxPages, "max-pages", "n", c.Limits.MaxPages, "stop after `N` pages (default 0: no limit)")
	k.IntVar(&c.Limits.MaxHostPages, "max-host-pages", c.Limits.MaxHostPages, "fetch at most `N` pages of a host (default 0: no limit)")
	k.IntVar(&c.Limits.TrapPages, "trap-pages", c.Limits.TrapPages, "detect a spider trap after `N` pages of a URL pattern; 0: never")
	k.IntVar(&c.Limits.MaxHosts, "max-hosts", c.Limits.MaxHosts, "visit at most `N` hosts; 0: no limit")
	k.Int64Var(&c.Limits.MaxBytes, "max-bytes", c.Limits.MaxBytes, "stop after `N` bytes of pages and of what checks read (default 0: no limit)")
	k.IntVar(&c.Scope.MaxDepth, "max-depth", c.Scope.MaxDepth, "stay within `N` links of a start URL or sitemap entry; -1: no limit")
	k.DurationVar(&c.Limits.MaxTime, "max-time", c.Limits.MaxTime, "stop after `DURATION`, when requests under way end (default 0s: no limit)")
	k.DurationVar(&c.Limits.MaxWait, "max-wait", c.Limits.MaxWait, "wait at most `DURATION` if no remaining host allows a request")
	k.StringSliceVar(&c.Scope.Check, "check", c.Scope.Check, "check `KIND`: assets, external, fragments, canonical, hreflang, all (default none)")
	k.StringVar((*string)(&c.Scope.Kind), "scope", string(c.Scope.Kind), "crawl start hosts, start directories, domains, or any host")
	listWords(k, "scope", "host|path|domain|any")
	k.StringArrayVar(&c.Scope.Include, "include", c.Scope.Include, "fetch only URLs that match the regular expression `RE`; repeatable")
	k.StringArrayVar(&c.Scope.Exclude, "exclude", c.Scope.Exclude, "skip URLs that match the regular expression `RE`; repeatable")
	k.StringArrayVar(&c.Scope.ForbidHost, "forbid-host", c.Scope.ForbidHost, "report links and assets on `HOST` as errors; repeatable (default none)")
	site.AddUserAgentFlag(k, &c.Fetch.UserAgent)
	k.StringVar(&c.Fetch.Contact, "contact", c.Fetch.Contact, "send the email address `EMAIL` as From with every request (default: no From)")
	k.StringVar(&c.Fetch.Identity, "identity", c.Fetch.Identity, "sign all requests with the identity in `DIR` (default: they are not signed)")
	k.BoolVar(&c.Fetch.CheckDNS, "check-dns", c.Fetch.CheckDNS, "check whether the DNS of this machine fits --identity")
	k.StringSliceVar(&c.Fetch.Types, "types", c.Fetch.Types, "read only pages of `TYPE`, or a list such as text/html,text/* (default: all)")
	k.DurationVar(&c.Fetch.Timeout, "timeout", c.Fetch.Timeout, "stop the request for a page after `DURATION`")
	k.DurationVar(&c.Fetch.FirstByteTimeout, "first-byte-timeout", c.Fetch.FirstByteTimeout, "wait at most `DURATION` for a response to start; 0s: no limit")
	k.DurationVar(&c.Fetch.StallTimeout, "stall-timeout", c.Fetch.StallTimeout, "abort a response slower than 1 KiB in `DURATION`; 0s: no limit")
	k.IntVar(&c.Fetch.MaxBody, "max-body", c.Fetch.MaxBody, "read at most `N` bytes of a page")
	k.IntVar(&c.Limits.MaxLinks, "max-links", c.Limits.MaxLinks, "follow at most `N` links of a page; 0: no limit")
	k.IntVar(&c.Scope.MaxURL, "max-url", c.Scope.MaxURL, "accept URLs of at most `N` bytes")
	k.IntVar(&c.Scope.MaxParams, "max-params", c.Scope.MaxParams, "accept URLs with at most `N` query parameters; 0: no limit")
	k.IntVar(&c.Scope.MaxRepeats, "max-repeats", c.Scope.MaxRepeats, "allow `N` repeats of a path segment in a row; 0: no limit")
	k.IntVar(&c.Fetch.Retries, "retries", c.Fetch.Retries, "retry a failed page or sitemap `N` times")
	k.StringArrayVar(&c.Fetch.Proxies, proxyKey, c.Fetch.Proxies, "send requests through the proxy `URL`; repeatable (default: $HTTPS_PROXY, …)")
	site.AddAllowFlag(k, &c.Fetch.AllowAddr)
	k.StringArrayVar(&c.Credentials.Header, headerKey, nil, "send `FIELD` to start origins, such as \"X-Key: 1\"; repeatable")
	k.StringArrayVar(&c.Credentials.HeaderFor, headerForKey, nil, "send `FIELD` to another origin: \"https://host X-Key: 1\"; repeatable")
	k.StringArrayVar(&c.Credentials.BasicAuth, basicAuthKey, nil, "log in with the user and password in `URL`, https://me:pw@host; repeatable")
	k.BoolVar(&c.Credentials.Netrc, "netrc", c.Credentials.Netrc, "log in to start origins with the credentials in $NETRC or ~/.netrc")
	k.StringVar(&c.Credentials.CookieFile, "cookie-file", c.Credentials.CookieFile, "send the cookies in `FILE` (Netscape format) to start origins")
	k.BoolVar(&c.Credentials.Cookies, "cookies", c.Credentials.Cookies, "keep cookies of start origins while the crawl runs")
	k.StringVar((*string)(&c.Output.Links), "links", string(c.Output.Links), "list the links of each page in links.jsonl; full: with details")
	listWords(k, "links", "true|false|full")
	k.Lookup("links").NoOptDefVal = string(crawler.LinksPlain)
	k.StringSliceVar(&c.Output.KeepHeader, "keep-header", c.Output.KeepHeader, "keep the response header `NAME` in pages.jsonl (default: etag, server, …)")
	k.Lookup("keep-header").DefValue = "[]" // the list is too long for the help
	k.StringSliceVar(&c.Output.AlsoWrite, "also-write", c.Output.AlsoWrite, "also write `FORMAT`: csv, sqlite, warc, or a list such as csv,warc (default: none)")
	k.StringArrayVar(&c.Output.Extract, "extract", c.Output.Extract, "add a field to pages.jsonl: `NAME=SELECTOR`, such as price=.price; repeatable")
	k.StringArrayVar(&c.Scope.DropParams, "drop-params", c.Scope.DropParams, "remove query parameter `NAME` from links (sid, utm_*); repeatable")
	k.BoolVar(&c.Scope.CleanParam, "clean-param", c.Scope.CleanParam, "remove query parameters that robots.txt lists in Clean-param")
	k.StringVar((*string)(&c.Sitemaps.Order), "sitemap-order", string(c.Sitemaps.Order), "fetch sitemap entries in this order")
	listWords(k, "sitemap-order", "lastmod|priority|none")
	k.StringVar(&c.Sitemaps.Since, "since", c.Sitemaps.Since, "skip sitemap entries unchanged since `DATE` (default: skip none)")
	k.BoolVar(&c.Sitemaps.Only, "only-sitemaps", c.Sitemaps.Only, "fetch start URLs and sitemap entries; follow no links")
	k.BoolVar(&c.Sitemaps.Probe, "probe-sitemap", c.Sitemaps.Probe, "request /sitemap.xml if robots.txt lists no sitemap")
	k.IntVar(&c.Sitemaps.MaxFiles, "max-sitemaps", c.Sitemaps.MaxFiles, "read at most `N` sitemaps of a host")
	k.IntVar(&c.Sitemaps.MaxEntries, "max-sitemap-entries", c.Sitemaps.MaxEntries, "fetch at most `N` sitemap entries of a host; 0: no limit")
	k.BoolVar(&c.Robots.ObeyNoindex, "obey-noindex", c.Robots.ObeyNoindex, "write no content or links of noindex pages; follow their links")
	k.BoolVar(&c.Robots.ObeyNofollow, "obey-nofollow", c.Robots.ObeyNofollow, "skip links marked nofollow, ugc or sponsored")
	k.DurationVar(&c.Robots.Timeout, "robots-timeout", c.Robots.Timeout, "stop a robots.txt request after `DURATION`, redirects included")
	k.DurationVar(&c.Robots.Retry, "robots-retry", c.Robots.Retry, "retry an unreachable robots.txt after `DURATION`, then double it")
	k.StringSliceVar(&c.Usage.Purposes, "purpose", c.Usage.Purposes, "skip pages that disallow `PURPOSE`, such as train-ai; repeatable")
	k.StringVar((*string)(&c.Usage.Unknown), "unknown", string(c.Usage.Unknown), "use or skip pages that say nothing about a purpose")
	listWords(k, "unknown", "allow|refuse")
	k.BoolVar(&c.Usage.Permissions, "permissions", c.Usage.Permissions, "request the tdmrep.json of each origin for permissions.jsonl")
	k.StringVar((*string)(&c.Output.Durability), "durability", string(c.Output.Durability), "survive a killed process, or a power cut too")
	listWords(k, "durability", "process|power")
	k.IntVar(&c.Output.KeepGenerations, "keep-generations", c.Output.KeepGenerations, "recrawl: keep the pages of the last `N` crawls before it; 0: all")
	k.StringVar(&c.Sharing.Frontier, "frontier", c.Sharing.Frontier, "share the crawl through the Redis server at `URL`, such as redis://host:port")
	k.StringVar(&c.Sharing.CrawlName, "crawl-name", c.Sharing.CrawlName, "join or start the shared crawl `NAME`")
	k.StringVar(&c.Sharing.WorkerName, "worker-name", c.Sharing.WorkerName, "name this worker `NAME` (default: the machine's name and a suffix)")
	k.StringVar(&c.Sharing.Prefix, "frontier-prefix", c.Sharing.Prefix, "begin all Redis keys with `PREFIX`")
	k.StringVar(&c.Sharing.PasswordFile, "frontier-password-file", c.Sharing.PasswordFile, "read the Redis password from `FILE` (default: $"+redisstore.PasswordVariable+")")
	k.IntVar(&c.Sharing.ExpectedURLs, "expected-urls", c.Sharing.ExpectedURLs, "prepare Redis for `N` URLs; URLs beyond N take more memory each")
	s.Log.AddFlags(k)
	return s
}

// A wordsValue is a string whose type the help shows as its valid words.
type wordsValue struct {
	pflag.Value
	words string
}

// Type implements pflag.Value.
func (v wordsValue) Type() string { return v.words }

// Set implements pflag.Value. If true and false are valid words, it accepts every spelling of them.
func (v wordsValue) Set(text string) error {
	if on, err := strconv.ParseBool(text); err == nil && strings.HasPrefix(v.words, "true|") {
		text = strconv.FormatBool(on)
	}
	return v.Value.Set(text)
}

func listWords(k *pflag.FlagSet, key, words string) {
	f := k.Lookup(key)
	f.Value = wordsValue{f.Value, words}
}

// AddFlags adds the flags of all keys to cmd, and the flags that name a configuration file
// and a list of start URLs.
func (s *Settings) AddFlags(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.SortFlags = false
	s.given = fs.Changed
	s.notice = func(line string) { (&cli.Streams{Err: cmd.ErrOrStderr()}).Notice(line) }
	fs.StringVar(&s.urlFile, "url-file", "", "read more start URLs from `FILE`, one per line; -: standard input")
	fs.BoolVar(&s.audit, "audit", false, "audit your own site: as --obey-nofollow=false --obey-noindex=false")
	fs.StringVarP(&s.file, "config", "c", "", "read settings from `FILE` (.yaml, .toml, .json)")
	s.keys.VisitAll(func(f *pflag.Flag) {
		if f.Name != "urls" { // they are the arguments
			fs.AddFlag(f)
		}
	})
	// Both flags are there and have no completion yet, so this cannot fail.
	_ = cmd.RegisterFlagCompletionFunc("config", cobra.FixedCompletions(configKinds, cobra.ShellCompDirectiveFilterFileExt))
	_ = cmd.RegisterFlagCompletionFunc("also-write", completeFormats)
	_ = cmd.RegisterFlagCompletionFunc("purpose", cobra.FixedCompletions(cli.Words(usage.Purposes[:]...), cobra.ShellCompDirectiveNoFileComp))
	s.addRenamed(cmd)
}

// AddKeys adds only the flags of these keys to cmd.
func (s *Settings) AddKeys(cmd *cobra.Command, keys ...string) {
	cmd.Flags().SortFlags = false
	for _, key := range keys {
		cmd.Flags().AddFlag(s.keys.Lookup(key))
	}
}

// LoadKeys sets these keys from flags and the environment.
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

// Visit calls f for each key, with its flag and the source of its value.
func (s *Settings) Visit(f func(key *pflag.Flag, from string)) {
	s.keys.VisitAll(func(key *pflag.Flag) { f(key, s.from[key.Name]) })
}

// IsSet reports whether a key was set, and not left at its default.
func (s *Settings) IsSet(key string) bool { return s.from[key] != fromDefault }

// Load completes the configuration after the flags have been parsed. The start URLs on the
// command line, arguments and --url-file together, replace those in the environment or the file.
func (s *Settings) Load(args []string, stdin io.Reader) error {
	for name, value := range map[string]string{"url-file": s.urlFile, "config": s.file} {
		if value == "" && s.given(name) { // as of a variable that is not set
			return cli.Misuse("--%s names no file", name)
		}
	}
	given := args
	if s.urlFile != "" {
		more, err := readURLFile(s.urlFile, stdin)
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
	if err := cli.AllMisuse(bad); err != nil {
		return err
	}
	if err := s.checkURLs(); err != nil {
		return err
	}
	if err := s.setAudit(); err != nil {
		return err
	}
	if err := s.adoptIdentity(); err != nil {
		return err
	}
	return s.moveUsers(given)
}

// setAudit sets the keys of --audit, unless this run sets them otherwise.
func (s *Settings) setAudit() error {
	if !s.audit {
		return nil
	}
	for _, key := range []string{"obey-nofollow", "obey-noindex"} {
		if s.IsSet(key) && !strings.HasPrefix(s.from[key], fromCrawl) {
			continue
		}
		if err := s.keys.Lookup(key).Value.Set("false"); err != nil {
			return err
		}
		s.from[key] = "flag --audit"
	}
	return nil
}

// instead returns the keys that replace a flag without a key; empty: there is no such flag.
func instead(key string) string {
	if key != "audit" {
		return ""
	}
	return " (--audit is only a flag: set obey-nofollow and obey-noindex to false instead)"
}

// sources reads the environment and the file, once.
func (s *Settings) sources() (*viper.Viper, error) {
	if s.values != nil {
		return s.values, nil
	}
	if err := s.checkEnvironment(os.Environ()); err != nil {
		return nil, err
	}
	v := viper.New()
	v.SetEnvPrefix(envPrefix)
	v.SetEnvKeyReplacer(strings.NewReplacer("-", "_"))
	v.AutomaticEnv()
	if s.file != "" {
		if err := s.read(v); err != nil {
			return nil, err
		}
	}
	s.noteRenamed(v)
	s.values = v
	return v, nil
}

// resolve sets a key from the first source that has a value.
func (s *Settings) resolve(v *viper.Viper, f *pflag.Flag) error {
	key, before := f.Name, oldKey(f.Name)
	if before != "" && !isSet(key) && (isSet(before) || !v.InConfig(key)) {
		key = before
	}
	switch {
	case f.Changed:
		s.from[f.Name] = "flag --" + f.Name
		return nil
	case isSet(key):
		s.from[f.Name] = "environment " + Variable(key)
	case v.InConfig(key):
		s.from[f.Name] = "file " + s.at(key)
	default:
		s.from[f.Name] = fromDefault
		return nil
	}
	if err := assign(f, v.Get(key)); err != nil {
		return fmt.Errorf("%s in %s: %w", key, s.from[f.Name], err)
	}
	return nil
}

// at returns the place of a key in the configuration file.
func (s *Settings) at(key string) string {
	if line := s.lines[key]; line > 0 {
		return fmt.Sprintf("%s:%d", s.file, line)
	}
	return s.file
}

// Validate returns the errors of the configuration, each with the source of the value.
func (s *Settings) Validate() error {
	all, ok := errors.AsType[joined](s.Config.Validate())
	if !ok {
		return nil
	}
	var bad []error
	for _, err := range all.Unwrap() {
		if about, ok := errors.AsType[*crawler.ConfigError](err); ok {
			if from := s.from[about.Key]; from != "" && from != fromDefault && from != commandLine {
				err = fmt.Errorf("%w (%s)", err, from)
			}
		}
		bad = append(bad, err)
	}
	return cli.AllMisuse(bad)
}

// joined is an error that [errors.Join] returns.
type joined interface {
	error
	Unwrap() []error
}

// checkURLs rejects invalid start URLs, and names their source.
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
	return cli.AllMisuse(bad)
}

// readURLFile reads the URLs of --url-file.
func readURLFile(name string, stdin io.Reader) ([]string, error) {
	list, err := cli.ReadInput(name, stdin)
	if err != nil {
		return nil, fmt.Errorf("--url-file: %w", err)
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
		case len(bad) == maxBadLines:
			return nil, cli.AllMisuse(append(bad, fmt.Errorf("--url-file: %s has more invalid lines", name)))
		case line.Number > 0:
			bad = append(bad, fmt.Errorf("--url-file: %s, line %d: %w", name, line.Number, err))
		default:
			bad = append(bad, fmt.Errorf("--url-file: %s: %w", name, err))
		}
	}
	switch {
	case len(bad) > 0:
		return nil, cli.AllMisuse(bad)
	case len(urls) == 0:
		return nil, cli.Misuse("--url-file: %s has no URL; write one URL per line", name)
	}
	return urls, nil
}

// maxBadLines is the maximum number of invalid lines that are reported.
const maxBadLines = 5
