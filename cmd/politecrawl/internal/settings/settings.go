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
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/flags"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/site"
	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/robotsext/usage"
)

// Settings are the configuration of a crawl and of this run.
type Settings struct {
	flags.Values

	rows           []flags.Row
	continuesCrawl bool                   // there is a crawl to resume
	values         *viper.Viper           // of the environment and the file; nil if not read yet
	from           map[string]string      // by key: where its value comes from
	lines          map[string]int         // by key: its line in the file, where that is known
	seen           map[string]string      // what the process list shows, by flag: the variable to use instead
	given          func(flag string) bool // reports whether a flag was given
	notice         func(line string)      // prints a note; nil prints nothing
}

// Where values come from, beside flags, environment and file.
const (
	commandLine = "command line" // start URLs that are arguments or of --url-file
	fromDefault = "default"
	fromCrawl   = "crawl " // and the directory
)

// New returns the defaults.
func New() *Settings {
	s := &Settings{Values: *flags.New(), from: map[string]string{}, seen: map[string]string{}, given: func(string) bool { return false }}
	s.rows = s.Rows()
	return s
}

// AddFlags adds the flags to cmd, but for those with some traits.
func (s *Settings) AddFlags(cmd *cobra.Command, without flags.Trait) {
	fs := cmd.Flags()
	fs.SortFlags = false
	s.given = fs.Changed
	s.notice = func(line string) { (&cli.Streams{Err: cmd.ErrOrStderr()}).Notice(line) }
	for _, r := range s.rows {
		if !r.Has(without | flags.KeyOnly) {
			fs.AddFlag(r.Flag)
		}
	}
	// These flags are there and have no completion yet, so this cannot fail.
	_ = cmd.RegisterFlagCompletionFunc("config", cobra.FixedCompletions(configKinds, cobra.ShellCompDirectiveFilterFileExt))
	_ = cmd.RegisterFlagCompletionFunc("also-write", completeFormats)
	_ = cmd.RegisterFlagCompletionFunc("purpose", cobra.FixedCompletions(cli.Words(usage.Purposes[:]...), cobra.ShellCompDirectiveNoFileComp))
	s.addRenamed(fs)
}

// GroupFlags groups the flags in the help of cmd, and hides those with some traits. The first groups
// come before all others. Flags that have no row and are in none of them belong to Output.
func (s *Settings) GroupFlags(cmd *cobra.Command, without flags.Trait, first ...cli.FlagGroup) {
	isFirst := func(name string) bool {
		return slices.ContainsFunc(first, func(g cli.FlagGroup) bool { return slices.Contains(g.Common, name) })
	}
	groups := slices.Clone(first)
	for _, r := range s.rows {
		if last := len(groups) - 1; last < 0 || groups[last].Name != r.Group {
			groups = append(groups, cli.FlagGroup{Name: r.Group})
		}
		g := &groups[len(groups)-1]
		switch {
		case isFirst(r.Name):
		case r.Has(without):
			r.Flag.Hidden = true
		case r.Has(flags.Rare):
			g.Rare = append(g.Rare, r.Name)
		default:
			g.Common = append(g.Common, r.Name)
		}
	}
	output := &groups[slices.IndexFunc(groups, func(g cli.FlagGroup) bool { return g.Name == "Output" })]
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if s.row(f.Name) == nil && !f.Hidden && !isFirst(f.Name) {
			output.Common = append(output.Common, f.Name)
		}
	})
	cli.GroupFlags(cmd, groups)
}

// row returns the row of a flag or key, or nil if there is none.
func (s *Settings) row(name string) *flags.Row {
	if i := slices.IndexFunc(s.rows, func(r flags.Row) bool { return r.Name == name }); i >= 0 {
		return &s.rows[i]
	}
	return nil
}

// keys returns the rows that are keys.
func (s *Settings) keys() []*flags.Row {
	var keys []*flags.Row
	for i := range s.rows {
		if !s.rows[i].Has(flags.FlagOnly) {
			keys = append(keys, &s.rows[i])
		}
	}
	return keys
}

// AddLocation adds the flags that locate a shared crawl to cmd, and returns a function that sets
// them from flags and the environment.
func (s *Settings) AddLocation(cmd *cobra.Command) (load func() error) {
	cmd.Flags().SortFlags = false
	var rows []*flags.Row
	for _, r := range s.keys() {
		if r.Has(flags.Locates) {
			rows = append(rows, r)
			cmd.Flags().AddFlag(r.Flag)
		}
	}
	return func() error {
		v, err := s.sources()
		if err != nil {
			return err
		}
		for _, r := range rows {
			if err := s.resolve(v, r); err != nil {
				return cli.WithCode(cli.ExitMisuse, err)
			}
		}
		return nil
	}
}

// Visit calls f for each key, with its flag and the source of its value.
func (s *Settings) Visit(f func(key *pflag.Flag, from string)) {
	for _, r := range s.keys() {
		f(r.Flag, s.from[r.Name])
	}
}

// IsSet reports whether a key was set, and not left at its default.
func (s *Settings) IsSet(key string) bool { return s.from[key] != fromDefault }

// Load completes the configuration after the flags have been parsed. The start URLs on the
// command line, arguments and --url-file together, replace those in the environment or the file.
func (s *Settings) Load(args []string, stdin io.Reader) error {
	for name, value := range map[string]string{"url-file": s.URLFile, "config": s.File} {
		if value == "" && s.given(name) { // as of a variable that is not set
			return cli.Misuse("--%s names no file", name)
		}
	}
	given := args
	if s.URLFile != "" {
		more, err := readURLFile(s.URLFile, stdin)
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
	for _, r := range s.keys() {
		if r.Name == "urls" && len(args) > 0 {
			s.Config.URLs, s.from[r.Name] = args, commandLine
		} else if err := s.resolve(v, r); err != nil {
			bad = append(bad, err)
		}
	}
	if err := cli.AllMisuse(bad); err != nil {
		return err
	}
	if err := s.checkURLs(); err != nil {
		return err
	}
	s.setAudit()
	if err := s.adoptIdentity(); err != nil {
		return err
	}
	s.moveUsers(given)
	return nil
}

// setAudit sets the keys of --audit, unless this run sets them otherwise.
func (s *Settings) setAudit() {
	for key, obey := range map[string]*bool{"obey-nofollow": &s.Config.Robots.ObeyNofollow, "obey-noindex": &s.Config.Robots.ObeyNoindex} {
		if s.Audit && (!s.IsSet(key) || strings.HasPrefix(s.from[key], fromCrawl)) {
			*obey, s.from[key] = false, "flag --audit"
		}
	}
}

// instead returns the keys that replace a flag without a key, or "" if there is no such flag.
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
	if s.File != "" {
		if err := s.read(v); err != nil {
			return nil, err
		}
	}
	s.noteRenamed(v)
	s.values = v
	return v, nil
}

// resolve sets a key from the first source that has a value.
func (s *Settings) resolve(v *viper.Viper, r *flags.Row) error {
	key := r.Name
	if r.Old != "" && !isSet(key) && (isSet(r.Old) || !v.InConfig(key)) {
		key = r.Old
	}
	switch {
	case r.Flag.Changed:
		s.from[r.Name] = "flag --" + r.Name
		return nil
	case isSet(key):
		s.from[r.Name] = "environment " + Variable(key)
	case v.InConfig(key):
		s.from[r.Name] = "file " + s.at(key)
	default:
		s.from[r.Name] = fromDefault
		return nil
	}
	if err := assign(r, v.Get(key)); err != nil {
		return fmt.Errorf("%s in %s: %w", key, s.from[r.Name], err)
	}
	return nil
}

// at returns the place of a key in the configuration file.
func (s *Settings) at(key string) string {
	if line := s.lines[key]; line > 0 {
		return fmt.Sprintf("%s:%d", s.File, line)
	}
	return s.File
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
