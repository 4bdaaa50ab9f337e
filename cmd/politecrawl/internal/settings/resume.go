package settings

import (
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/crawldir"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/flags"
	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/robotsext/secret"
)

// Options returns the options of a crawl that is resumed or recrawled.
func (s *Settings) Options() crawler.Options {
	given := s.given
	if s.continuesCrawl {
		given = func(key string) bool { return !strings.HasPrefix(s.from[key], fromCrawl) }
	}
	return crawler.Options{Resume: s.Resume != "" || s.continuesCrawl, Recrawl: s.Recrawl != "", IsSet: given}
}

// LoadOrResume completes the configuration from an earlier crawl and the flags, or like
// Load.
func (s *Settings) LoadOrResume(cmd *cobra.Command, args []string, stdin io.Reader) error {
	name, dir := "resume", s.Resume
	if cmd.Flags().Changed("recrawl") {
		name, dir = "recrawl", s.Recrawl
	}
	switch {
	case s.Continue && (cmd.Flags().Changed("resume") || cmd.Flags().Changed("recrawl")):
		return cli.MisuseOf(cmd, "--continue resumes the crawl in --output; omit --resume and --recrawl")
	case s.Continue:
		if err := s.Load(args, stdin); err != nil || !crawldir.HoldsCrawl(s.Config.Output.Dir) {
			return err
		}
		s.continuesCrawl = true
		return s.loadCrawl("continue", s.Config.Output.Dir, s.Config.URLs)
	case !cmd.Flags().Changed("resume") && !cmd.Flags().Changed("recrawl"):
		return s.Load(args, stdin)
	case s.Resume != "" && s.Recrawl != "":
		return cli.MisuseOf(cmd, "give --resume or --recrawl, not both")
	case dir == "":
		return cli.MisuseOf(cmd, "--%s names no directory", name)
	case len(args) > 0 || s.URLFile != "":
		return cli.MisuseOf(cmd, "--%s reads the start URLs from the crawl in %s; give no others", name, cli.Escape(dir))
	case s.File != "":
		return cli.MisuseOf(cmd, "--%s reads the settings from the crawl in %s; change settings with flags, not with --config", name, cli.Escape(dir))
	case cmd.Flags().Changed("output"):
		return cli.MisuseOf(cmd, "--%s writes into the directory of the crawl; omit --output", name)
	}
	return s.loadCrawl(name, dir, nil)
}

// loadCrawl completes the configuration from the crawl in dir and the flags; for --continue, which
// starts a crawl with the same command, also from the environment and the file. It refuses start URLs
// that the crawl does not have. Name is the flag that requires it.
func (s *Settings) loadCrawl(name, dir string, urls []string) error {
	v, err := s.sources()
	if err != nil {
		return err
	}
	saved, err := crawler.LoadConfig(dir)
	if err != nil {
		return crawldir.ResumeError(name, dir, err)
	}
	if len(saved.URLs) == 0 { // no crawl begins without
		return crawldir.DamagedState("--"+name, dir, crawldir.ResumeCommand(name, dir), errors.New("it has no start URL"))
	}
	for _, u := range urls {
		if !slices.ContainsFunc(saved.URLs, func(other string) bool { return isSameURL(u, other) }) {
			return cli.Misuse("--%s: the crawl in %q does not have the start URL %s; give another --output, or the start URLs of that crawl", name, dir, cli.Escape(secret.RedactText(u)))
		}
	}
	var given []func() error
	var bad []error
	for _, r := range s.keys() {
		switch {
		case r.Has(flags.ThisRun):
			bad = append(bad, s.resolve(v, r)) // it is not kept with the crawl
		case r.Flag.Changed:
			given, s.from[r.Name] = append(given, giveBack(r.Flag)), "flag --"+r.Name
		case s.continuesCrawl && r.Name != "urls" && s.IsSet(r.Name):
			given = append(given, giveBack(r.Flag))
		default:
			s.from[r.Name] = fromCrawl + dir
		}
	}
	if err := cli.AllMisuse(bad); err != nil {
		return err
	}
	s.Config = saved // the flags point into it
	for _, set := range given {
		if err := set(); err != nil {
			return err
		}
	}
	s.setAudit()
	return s.restoreSecrets(v, name)
}

// isSameURL reports whether two texts are one URL.
func isSameURL(a, b string) bool {
	first, err1 := crawler.Canonical(a)
	second, err2 := crawler.Canonical(b)
	return a == b || err1 == nil && err2 == nil && first == second
}

// giveBack returns a function that sets f to its current value again. Lists use Replace,
// because Set would add to them.
func giveBack(f *pflag.Flag) func() error {
	var set func() error
	if list, ok := f.Value.(pflag.SliceValue); ok {
		values := list.GetSlice()
		if len(values) == 1 && values[0] == "" { // as in --header ""
			values = nil
		}
		set = func() error { return list.Replace(values) }
	} else {
		value := f.Value.String()
		set = func() error { return f.Value.Set(value) }
	}
	return func() error {
		if err := set(); err != nil {
			return cli.Misuse("--%s: %w", f.Name, err)
		}
		return nil
	}
}
