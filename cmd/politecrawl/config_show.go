package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func (p *program) configCommand() *cobra.Command {
	cmd := group(&cobra.Command{Use: "config", Short: "The configuration of a crawl"})
	cmd.AddCommand(p.configShowCommand())
	return cmd
}

func (p *program) configShowCommand() *cobra.Command {
	var format outputFormat
	s := newSettings()
	cmd := &cobra.Command{
		Use:   "show [URL…]",
		Short: "The effective configuration, and where each value came from",
		Long: `Show what "politecrawl crawl" with the same arguments, flags and environment would
work with, and for each key where its value came from: a flag, the environment, the
configuration file, or the default. A flag wins over the environment, the environment
over the file. The text is YAML and can be saved as a configuration file.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := s.load(args, cmd.InOrStdin()); err != nil {
				return err
			}
			(&herald{program: p}).warn(s)
			if format == formatJSON {
				return p.printJSON(s.shown())
			}
			text, err := s.yaml()
			if err != nil {
				return err
			}
			return p.print(text)
		},
	}
	format.flag(cmd)
	s.flags(cmd.Flags())
	return cmd
}

// A shownKey is one key of the effective configuration.
type shownKey struct {
	Key   string `json:"key"`
	Value any    `json:"value"` // a string, a json.Number, a bool or a list of strings
	From  string `json:"from"`
}

func (s *settings) shown() []shownKey {
	var keys []shownKey
	s.keys.VisitAll(func(f *pflag.Flag) {
		k := shownKey{Key: f.Name, Value: f.Value.String(), From: s.from[f.Name]}
		switch f.Value.Type() {
		case "int", "float64":
			k.Value = json.Number(f.Value.String())
		case "bool":
			k.Value = f.Value.String() == "true"
		}
		if list, isList := f.Value.(pflag.SliceValue); isList {
			k.Value = list.GetSlice()
		}
		keys = append(keys, k)
	})
	return keys
}

// yaml writes each key with the source of its value as a comment. A value in
// JSON is one in YAML too.
func (s *settings) yaml() (string, error) {
	var b strings.Builder
	for _, k := range s.shown() {
		value, err := marshal(k.Value)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "%s: %s  # %s\n", k.Key, value, k.From)
	}
	return b.String(), nil
}
