// Package config has the command config, which shows the configuration of a crawl.
package config

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/flags"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/settings"
)

// Command returns the command "config".
func Command(streams *cli.Streams) *cobra.Command {
	cmd := cli.Group(&cobra.Command{Use: "config", Short: "Show the configuration of a crawl"})
	cmd.AddCommand(configShowCommand(streams))
	return cmd
}

func configShowCommand(streams *cli.Streams) *cobra.Command {
	var (
		format cli.Format
		source bool
	)
	s := settings.New()
	cmd := &cobra.Command{
		Use:   "show [URL…]",
		Short: "Show each value of the configuration, and where it comes from",
		Long: `Show the configuration that "politecrawl crawl" would use with the same arguments, flags
and environment. The comment after each value is its source: a flag, an environment
variable, a line of the configuration file, or the default.

The output is YAML and can be saved as a configuration file. It omits the user
names and passwords of proxies; add them again. If "crawl" would reject a value, the exit
code is 2.`,
		Example: `  politecrawl config show --config configs/gentle.yaml --delay 5s
  politecrawl config show --source=false > crawl.yaml`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := s.Load(args, cmd.InOrStdin()); err != nil {
				return err
			}
			err := showConfig(streams, shown(s), format, source)
			if err == nil {
				err = refused(s)
			}
			return err
		},
	}
	format.AddFlag(cmd)
	cmd.Flags().BoolVar(&source, "source", true, "print where each value comes from")
	s.AddFlags(cmd, flags.Resumes|flags.Runs)
	s.GroupFlags(cmd, 0)
	return cmd
}

// A keyOutput is one key of the effective configuration.
type keyOutput struct {
	Key      string `json:"key"`
	Value    any    `json:"value"` // a string, a json.Number, a bool or a list of strings
	Source   string `json:"source,omitempty"`
	Withheld bool   `json:"withheld,omitempty"` // secrets in the value are omitted
}

func shown(s *settings.Settings) []keyOutput {
	var keys []keyOutput
	s.Visit(func(f *pflag.Flag, from string) {
		k := keyOutput{Key: f.Name, Value: f.Value.String(), Source: from}
		switch f.Value.Type() {
		case "int", "int64", "float64":
			if text := f.Value.String(); json.Valid([]byte(text)) { // not NaN, nor Inf
				k.Value = json.Number(text)
			}
		case "bool":
			k.Value = f.Value.String() == "true"
		}
		if list, isList := f.Value.(pflag.SliceValue); isList {
			values := list.GetSlice()
			open := settings.WithoutSecrets(f.Name, values)
			k.Value, k.Withheld = append([]string{}, open...), !slices.Equal(open, values) // none is an empty list
		}
		keys = append(keys, k)
	})
	return keys
}

// showConfig prints keys. As text it writes YAML, with the source of each value as a
// comment.
func showConfig(streams *cli.Streams, keys []keyOutput, format cli.Format, source bool) error {
	if !source {
		for i := range keys {
			keys[i].Source = ""
		}
	}
	if format == cli.JSON {
		return streams.PrintJSON(keys)
	}
	var b strings.Builder
	for _, k := range keys {
		var remarks []string
		if k.Source != "" {
			remarks = append(remarks, cli.Escape(k.Source))
		}
		if k.Withheld {
			remarks = append(remarks, "secrets are omitted")
		}
		value, err := cli.Marshal(k.Value)
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s: %s", k.Key, value)
		if len(remarks) > 0 {
			b.WriteString("  # " + strings.Join(remarks, "; "))
		}
		b.WriteString("\n")
	}
	return streams.Print(b.String())
}

// refused returns the errors of "crawl" with this configuration, except a missing start
// URL.
func refused(s *settings.Settings) error {
	complete := *s
	if len(complete.Config.URLs) == 0 {
		complete.Config.URLs = []string{"https://example.com/"}
	}
	return complete.Validate()
}
