package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"github.com/spf13/viper"

	"github.com/politecrawl/politecrawl/crawler"
)

// envPrefix begins the environment variable of each key: POLITECRAWL_MAX_PAGES.
const envPrefix = "POLITECRAWL"

// settings is the configuration of a crawl while it is put together, from flags,
// the environment, a file and the defaults, in this order of precedence.
type settings struct {
	config crawler.Config
	keys   *pflag.FlagSet    // a flag for each key of config, set on its field
	file   string            // --config
	seeds  string            // --seeds
	from   map[string]string // by key: where its value comes from
}

// newSettings is the one place where a key is tied to its field, its kind of
// value and its meaning; the default is crawler.Default's. The flag of a key
// also reads its value from the environment and from a file, so that the same
// text means the same everywhere.
func newSettings() *settings {
	s := &settings{config: crawler.Default(), from: map[string]string{}}
	c := &s.config
	s.keys = pflag.NewFlagSet("keys", pflag.ContinueOnError)
	s.keys.SortFlags = false
	k := s.keys
	k.StringArrayVar(&c.URLs, "urls", c.URLs, "start URLs")
	k.StringVar(&c.Output, "output", c.Output, "write the directory `DIR`, which must not hold another crawl")
	k.IntVar(&c.Workers, "workers", c.Workers, "work on `N` URLs at a time, over all hosts")
	k.DurationVar(&c.Delay, "delay", c.Delay, "least time between two requests to a host")
	k.IntVar(&c.PerHost, "per-host", c.PerHost, "have at most `N` requests in flight on a host")
	k.DurationVar(&c.MaxCrawlDelay, "max-crawl-delay", c.MaxCrawlDelay, "longest Crawl-delay of a robots.txt that is obeyed as written")
	k.Float64Var(&c.ResponseFactor, "response-factor", c.ResponseFactor, "let a host rest at least `F` times as long as its last answer took")
	k.IntVar(&c.MaxPages, "max-pages", c.MaxPages, "end after `N` pages (0: no limit)")
	k.IntVar(&c.MaxDepth, "max-depth", c.MaxDepth, "follow links `N` steps away from a start URL or sitemap entry (-1: no limit)")
	k.DurationVar(&c.MaxTime, "max-time", c.MaxTime, "end after so long (0: no limit)")
	k.DurationVar(&c.MaxWait, "max-wait", c.MaxWait, "longest wait for hosts whose robots.txt cannot be reached, when nothing else is left")
	k.StringVar((*string)(&c.Scope), "scope", string(c.Scope), "what belongs to the crawl: `host|domain|any`")
	k.StringVar(&c.UserAgent, "user-agent", c.UserAgent, "`NAME` sent with every request; its product token chooses the rules")
	k.DurationVar(&c.Timeout, "timeout", c.Timeout, "longest time for one page")
	k.IntVar(&c.MaxBody, "max-body", c.MaxBody, "read at most `N` bytes of a page")
	k.IntVar(&c.Retries, "retries", c.Retries, "ask `N` more times for a page that failed")
	k.StringVar((*string)(&c.SitemapOrder), "sitemap-order", string(c.SitemapOrder), "which entries of sitemaps come first: `lastmod|priority|none`")
	k.StringVar(&c.Since, "since", c.Since, "leave alone what sitemaps say has not changed since `DATE`")
	k.BoolVar(&c.OnlySitemaps, "only-sitemaps", c.OnlySitemaps, "fetch the start URLs and what sitemaps list, and follow no links")
	k.BoolVar(&c.ProbeSitemap, "probe-sitemap", c.ProbeSitemap, "ask for /sitemap.xml where robots.txt names no sitemap")
	k.IntVar(&c.MaxSitemaps, "max-sitemaps", c.MaxSitemaps, "read at most `N` sitemap files for a host")
	k.BoolVar(&c.ObeyNoindex, "obey-noindex", c.ObeyNoindex, "list pages that ask for noindex without their content")
	k.BoolVar(&c.ObeyNofollow, "obey-nofollow", c.ObeyNofollow, "leave links alone that are nofollow, ugc or sponsored")
	k.DurationVar(&c.RobotsTimeout, "robots-timeout", c.RobotsTimeout, "longest time for one robots.txt with its redirects")
	k.DurationVar(&c.RobotsRetry, "robots-retry", c.RobotsRetry, "time to the first new try of a robots.txt that could not be reached")
	return s
}

// flags gives fs the flags of the keys and the flags that say where more of the
// configuration is.
func (s *settings) flags(fs *pflag.FlagSet) {
	fs.SortFlags = false
	fs.StringVar(&s.seeds, "seeds", "", "`FILE` of more start URLs, one a line (-: standard input)")
	fs.StringVar(&s.file, "config", "", "YAML, TOML or JSON `FILE` of the keys below; see configs/crawl.yaml")
	s.keys.VisitAll(func(f *pflag.Flag) {
		if f.Name != "urls" { // they are the arguments
			fs.AddFlag(f)
		}
	})
}

// load completes the configuration when the flags have been parsed. The start
// URLs on the command line, arguments and seeds together, take the place of
// those in the environment or the file.
func (s *settings) load(args []string, stdin io.Reader) error {
	if s.seeds != "" {
		more, err := readSeeds(s.seeds, stdin)
		if err != nil {
			return err
		}
		args = slices.Concat(args, more)
	}

	v := viper.New()
	v.SetEnvPrefix(envPrefix)
	v.SetEnvKeyReplacer(strings.NewReplacer("-", "_"))
	v.AutomaticEnv()
	if s.file != "" {
		if err := s.read(v); err != nil {
			return err
		}
	}

	var bad []error
	s.keys.VisitAll(func(f *pflag.Flag) {
		env := envPrefix + "_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
		switch {
		case f.Name == "urls" && len(args) > 0:
			s.config.URLs, s.from[f.Name] = args, "command line"
			return
		case f.Changed:
			s.from[f.Name] = "flag --" + f.Name
			return
		case os.Getenv(env) != "":
			s.from[f.Name] = "environment " + env
		case v.InConfig(f.Name):
			s.from[f.Name] = "file " + s.file
		default:
			s.from[f.Name] = "default"
			return
		}
		if err := assign(f, v.Get(f.Name)); err != nil {
			bad = append(bad, fmt.Errorf("%s in %s: %w", f.Name, s.from[f.Name], err))
		}
	})
	if len(bad) > 0 {
		return &exit{exitMisuse, errors.Join(bad...)}
	}
	return nil
}

// read reads the configuration file into v and refuses keys that do not exist:
// a misspelt limit that is passed over in silence is no limit.
func (s *settings) read(v *viper.Viper) error {
	v.SetConfigFile(s.file)
	if err := v.ReadInConfig(); err != nil {
		if _, ok := errors.AsType[viper.UnsupportedConfigError](err); ok {
			return misuse("--config %s: the name must end in .yaml, .toml or .json, to say what the file is", s.file)
		}
		if _, ok := errors.AsType[*fs.PathError](err); ok {
			return misuse("--config: %w; %s", err, readable)
		}
		cause := err
		if parse, ok := errors.AsType[viper.ConfigParseError](err); ok {
			cause = parse.Unwrap()
		}
		return misuse("--config %s: %s", s.file, oneLine(cause.Error()))
	}

	var known []string
	s.keys.VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
	var unknown []error
	for _, key := range slices.Sorted(slices.Values(v.AllKeys())) {
		if !slices.Contains(known, key) {
			unknown = append(unknown, fmt.Errorf("--config %s: unknown key %q%s", s.file, key, didYouMean(key, known)))
		}
	}
	if len(unknown) > 0 {
		return &exit{exitMisuse, errors.Join(unknown...)}
	}
	return nil
}

// assign gives the flag the value that was found in the environment or a file.
func assign(f *pflag.Flag, value any) error {
	list, isList := f.Value.(pflag.SliceValue)
	switch value := value.(type) {
	case []any:
		if !isList {
			return errors.New("wants one value, not a list")
		}
		texts := make([]string, len(value))
		for i, item := range value {
			texts[i] = fmt.Sprint(item)
		}
		return list.Replace(texts)
	case map[string]any:
		return errors.New("wants a value, not more keys below it")
	default:
		text := fmt.Sprint(value)
		if isList {
			return list.Replace(strings.Fields(text))
		}
		if err := f.Value.Set(text); err != nil {
			return badValue(f, text)
		}
		return nil
	}
}

// readSeeds reads the list of URLs that --seeds names.
func readSeeds(name string, stdin io.Reader) ([]string, error) {
	list, err := readInput(name, stdin)
	if err != nil {
		return nil, misuse("--seeds: %w", err)
	}
	var urls []string
	for raw, err := range lines(bytes.NewReader(list)) {
		if err != nil {
			return nil, misuse("--seeds %s: %w", name, err)
		}
		urls = append(urls, raw)
	}
	return urls, nil
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
