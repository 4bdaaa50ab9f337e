package settings

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"github.com/spf13/viper"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/flags"
)

// configKinds are the endings of the names of configuration files.
var configKinds = []string{"yaml", "yml", "toml", "json"}

// read reads the configuration file into v. It rejects unknown keys and keys without a
// value, so that no setting is ignored silently.
func (s *Settings) read(v *viper.Viper) error {
	kind := strings.ToLower(strings.TrimPrefix(filepath.Ext(s.File), "."))
	if !slices.Contains(configKinds, kind) {
		return cli.Misuse("--config %q: the name must end in .yaml, .toml or .json", s.File)
	}
	v.SetConfigType(kind)
	text, err := os.ReadFile(s.File)
	if err == nil {
		err = v.ReadConfig(bytes.NewReader(text))
	}
	if err != nil {
		return s.unreadable(err)
	}
	s.lines = keyLines(kind, text)

	var bad []error
	for _, key := range slices.SortedFunc(slices.Values(v.AllKeys()), s.byLine) {
		switch {
		case !s.isKey(key):
			top, _, _ := strings.Cut(key, ".")
			bad = append(bad, fmt.Errorf("--config %q: unknown key %q%s; %q lists the keys",
				s.at(top), key, cmp.Or(instead(key), cli.DidYouMean(key, s.names())), "politecrawl help settings"))
		case !v.InConfig(key):
			bad = append(bad, fmt.Errorf("--config %q: key %q has no value", s.at(key), key))
		}
	}
	return cli.AllMisuse(bad)
}

// byLine compares keys by their lines in the file.
func (s *Settings) byLine(a, b string) int {
	topA, _, _ := strings.Cut(a, ".")
	topB, _, _ := strings.Cut(b, ".")
	return cmp.Or(s.lines[topA]-s.lines[topB], strings.Compare(a, b))
}

// unreadable returns the error of a configuration file that viper cannot read.
func (s *Settings) unreadable(err error) error {
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		return cli.Misuse("--config: %w; %s", cli.QuotePath(err), cli.FileHint)
	}
	if parse, ok := errors.AsType[viper.ConfigParseError](err); ok {
		err = parse.Unwrap()
	}
	text := cli.OneLine(err.Error())
	// A valid file may not be a table of keys: the decoders of JSON and YAML say so in the
	// same words.
	if strings.Contains(text, "cannot unmarshal") {
		example := "max-pages: 100, one a line"
		if strings.HasSuffix(strings.ToLower(s.File), ".json") {
			example = `{"max-pages": 100}`
		}
		return cli.Misuse("--config %q has no keys; write them as in configs/crawl.yaml, for example: %s", s.File, example)
	}
	return cli.Misuse("--config %q: %s", s.File, text)
}

// names returns all keys.
func (s *Settings) names() []string {
	var names []string
	for _, r := range s.keys() {
		names = append(names, r.Name)
	}
	return names
}

// isKey reports whether there is a key of this name or old name.
func (s *Settings) isKey(name string) bool {
	return slices.ContainsFunc(s.keys(), func(r *flags.Row) bool { return r.Name == name || r.Old != "" && r.Old == name })
}

// assign sets a key to a value from the environment or a file.
func assign(r *flags.Row, value any) error {
	list, isList := r.Flag.Value.(pflag.SliceValue)
	switch value := value.(type) {
	case []any:
		if !isList {
			return errors.New("needs one value, not a list")
		}
		texts := make([]string, len(value))
		for i, item := range value {
			texts[i] = plainText(item)
		}
		return list.Replace(texts)
	case map[string]any:
		return errors.New("needs a value, not nested keys")
	}
	text := plainText(value)
	switch {
	case r.Has(flags.Lines):
		return list.Replace(nonEmptyLines(text))
	case r.Has(flags.Commas):
		return list.Replace(strings.Fields(strings.ReplaceAll(text, ",", " ")))
	case isList:
		return list.Replace(strings.Fields(text))
	}
	if err := r.Flag.Value.Set(text); err != nil {
		return cli.BadValue(r.Flag, text)
	}
	return nil
}

// plainText writes a value as on the command line. Numbers in JSON are float64, and fmt
// would write 10485760 as 1.048576e+07.
func plainText(value any) string {
	switch value := value.(type) {
	case float64:
		return strconv.FormatFloat(value, 'f', -1, 64)
	case time.Time: // since: 2026-01-31 is one in YAML and TOML
		if value.Equal(value.Truncate(24 * time.Hour)) {
			return value.Format(time.DateOnly)
		}
		return value.Format(time.RFC3339)
	}
	return fmt.Sprint(value)
}

// nonEmptyLines returns the lines of text that are not blank.
func nonEmptyLines(text string) (list []string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			list = append(list, line)
		}
	}
	return list
}
