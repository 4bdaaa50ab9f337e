package settings

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/spf13/viper"
)

// renamed lists flags by their old names, which still work: as a hidden flag and, if the
// flag has a key, as that key and its variable. Using one prints a note with the new name.
var renamed = map[string]string{
	"join":    "crawl-name",
	"seeds":   "url-file",
	"worker":  "worker-name",
	"workers": "concurrency",
	"write":   "also-write",
}

// oldKey returns the old name of a key, or an empty string.
func oldKey(key string) string {
	for before, now := range renamed {
		if now == key {
			return before
		}
	}
	return ""
}

// addRenamed adds the flags of cmd under their old names too.
func (s *Settings) addRenamed(cmd *cobra.Command) {
	for before, now := range renamed {
		f := *cmd.Flags().Lookup(now)
		f.Name, f.Shorthand, f.Hidden = before, "", true
		f.Value = renamedValue{f.Value, func(text string) error {
			s.note("--"+before, "--"+now)
			return cmd.Flags().Set(now, text)
		}}
		cmd.Flags().AddFlag(&f)
	}
}

// A renamedValue is the value of a flag under its old name.
type renamedValue struct {
	pflag.Value
	set func(text string) error
}

// Set implements pflag.Value.
func (r renamedValue) Set(text string) error { return r.set(text) }

// noteRenamed prints a note for each variable and key of the file that has an old name.
func (s *Settings) noteRenamed(v *viper.Viper) {
	s.keys.VisitAll(func(f *pflag.Flag) {
		before := oldKey(f.Name)
		if before == "" {
			return
		}
		if isSet(before) {
			s.note("the environment variable "+Variable(before), Variable(f.Name))
		}
		if v.InConfig(before) {
			s.note(fmt.Sprintf("the key %s in %s", before, s.at(before)), f.Name)
		}
	})
}

func (s *Settings) note(before, now string) {
	if s.notice != nil {
		s.notice(fmt.Sprintf("%s is deprecated; use %s", before, now))
	}
}

// known returns all keys by their names and old names.
func (s *Settings) known() []string {
	names := s.names()
	for _, key := range slices.Clone(names) {
		if before := oldKey(key); before != "" {
			names = append(names, before)
		}
	}
	return names
}
