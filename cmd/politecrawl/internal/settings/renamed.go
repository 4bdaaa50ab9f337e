package settings

import (
	"fmt"

	"github.com/spf13/pflag"
	"github.com/spf13/viper"
)

// addRenamed adds the flags of fs that have an old name under that name too, hidden. Using one
// prints a note with the new name.
func (s *Settings) addRenamed(fs *pflag.FlagSet) {
	for _, r := range s.rows {
		if r.Old != "" {
			f := *r.Flag
			f.Name, f.Shorthand, f.Hidden = r.Old, "", true
			f.Value = renamedValue{f.Value, func(text string) error {
				s.note("--"+r.Old, "--"+r.Name)
				return fs.Set(r.Name, text)
			}}
			fs.AddFlag(&f)
		}
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
	for _, r := range s.keys() {
		if r.Old != "" && isSet(r.Old) {
			s.note("the environment variable "+Variable(r.Old), Variable(r.Name))
		}
		if r.Old != "" && v.InConfig(r.Old) {
			s.note(fmt.Sprintf("the key %s in %s", r.Old, s.at(r.Old)), r.Name)
		}
	}
}

func (s *Settings) note(before, now string) {
	if s.notice != nil {
		s.notice(fmt.Sprintf("%s is deprecated; use %s", before, now))
	}
}
