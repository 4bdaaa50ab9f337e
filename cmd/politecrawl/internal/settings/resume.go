package settings

import (
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/crawldir"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/logging"
	"github.com/politecrawl/politecrawl/crawler"
)

// AddResumeFlags adds the flags to fs that read the configuration of an earlier crawl.
func (s *Settings) AddResumeFlags(fs *pflag.FlagSet) {
	fs.StringVar(&s.resume, "resume", "", "resume the stopped or killed crawl in `DIR`")
	fs.StringVar(&s.recrawl, "recrawl", "", "request the URLs of the crawl in `DIR` again, conditionally")
}

// Options returns the options of a crawl that is resumed or recrawled.
func (s *Settings) Options() crawler.Options {
	return crawler.Options{Resume: s.resume != "", Recrawl: s.recrawl != ""}
}

// LoadOrResume completes the configuration from an earlier crawl and the flags, or like
// Load.
func (s *Settings) LoadOrResume(cmd *cobra.Command, args []string, stdin io.Reader) error {
	name, dir := "resume", s.resume
	if cmd.Flags().Changed("recrawl") {
		name, dir = "recrawl", s.recrawl
	}
	switch {
	case !cmd.Flags().Changed("resume") && !cmd.Flags().Changed("recrawl"):
		return s.Load(args, stdin)
	case s.resume != "" && s.recrawl != "":
		return cli.MisuseOf(cmd, "give --resume or --recrawl, not both")
	case dir == "":
		return cli.MisuseOf(cmd, "--%s names no directory", name)
	case len(args) > 0 || s.urlFile != "":
		return cli.MisuseOf(cmd, "--%s reads the start URLs from the crawl in %s; give no others", name, cli.Escape(dir))
	case s.file != "":
		return cli.MisuseOf(cmd, "--%s reads the settings from the crawl in %s; change settings with flags, not with --config", name, cli.Escape(dir))
	case cmd.Flags().Changed("output"):
		return cli.MisuseOf(cmd, "--%s writes into the directory of the crawl; omit --output", name)
	}
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
	var given []func() error
	var bad []error
	s.keys.VisitAll(func(f *pflag.Flag) {
		if strings.HasPrefix(f.Name, logging.KeyPrefix) {
			bad = append(bad, s.resolve(v, f)) // it is of this run, and not kept with the crawl
			return
		}
		s.from[f.Name] = fromCrawl + dir
		if f.Changed {
			given, s.from[f.Name] = append(given, giveBack(f)), "flag --"+f.Name
		}
	})
	if err := cli.AllMisuse(bad); err != nil {
		return err
	}
	s.Config = saved // the flags point into it
	for _, set := range given {
		if err := set(); err != nil {
			return err
		}
	}
	if err := s.setAudit(); err != nil {
		return err
	}
	return s.restoreSecrets(v, name)
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
