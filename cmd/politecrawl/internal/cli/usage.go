package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agext/levenshtein"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Group makes cmd a command that only has subcommands. Without one it shows its help, and
// it rejects unknown ones.
func Group(cmd *cobra.Command) *cobra.Command {
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		return unknown("command", "commands", cmd, args[0])
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if cmd.HasParent() {
			return MisuseOf(cmd, "give a command: %s", strings.Join(commandNames(cmd), ", "))
		}
		return cmd.Help()
	}
	return cmd
}

// IsGroup reports whether a command needs a subcommand: it takes no arguments itself.
func IsGroup(cmd *cobra.Command) bool { return cmd.HasSubCommands() && !strings.Contains(cmd.Use, " ") }

func unknown(what, all string, parent *cobra.Command, word string) error {
	return Misuse("unknown %s %q%s; %q lists the %s", what, word,
		DidYouMean(word, commandNames(parent)), strings.TrimSpace("politecrawl help "+name(parent)), all)
}

// name returns the name of cmd without the name of the program.
func name(cmd *cobra.Command) string {
	_, rest, _ := strings.Cut(cmd.CommandPath(), " ")
	return rest
}

// MisuseOf returns a usage error of cmd that refers to its help.
func MisuseOf(cmd *cobra.Command, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	if name(cmd) != "" {
		err = fmt.Errorf("%s: %w", name(cmd), err)
	}
	return WithCode(ExitMisuse, fmt.Errorf("%w; see %s --help", err, cmd.CommandPath()))
}

func commandNames(parent *cobra.Command) []string {
	var names []string
	for _, cmd := range parent.Commands() {
		if !cmd.Hidden {
			names = append(names, cmd.Name())
		}
	}
	return names
}

// Args checks that a command has from atLeast to atMost arguments (-1 for any number). The
// error says what they should be.
func Args(atLeast, atMost int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < atLeast:
			return MisuseOf(cmd, "give %s", what)
		case atMost == 0 && len(args) > 0:
			return MisuseOf(cmd, "takes no arguments, got %q", args[0])
		case atMost >= 0 && len(args) > atMost:
			return MisuseOf(cmd, "give %s, not also %q", what, args[atMost])
		}
		return nil
	}
}

// explainFlagError returns the usage error of an invalid flag.
func explainFlagError(cmd *cobra.Command, err error) error {
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		if unknown.GetSpecifiedShortnames() != "" {
			return MisuseOf(cmd, "unknown flag -%s", unknown.GetSpecifiedName())
		}
		var flags []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				flags = append(flags, f.Name)
			}
		})
		flag, hint := unknown.GetSpecifiedName(), ""
		if best := Nearest(flag, flags); best != "" { // without the dashes, which all have
			hint = fmt.Sprintf(" (did you mean --%s?)", best)
		}
		return MisuseOf(cmd, "unknown flag --%s%s", flag, hint)
	}
	if missing, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		dashes := "--"
		if missing.GetSpecifiedShortnames() != "" {
			dashes = "-"
		}
		return MisuseOf(cmd, "%s%s needs a value", dashes, missing.GetSpecifiedName())
	}
	if bad, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		return MisuseOf(cmd, "--%s: %w", bad.GetFlag().Name, BadValue(bad.GetFlag(), bad.GetValue()))
	}
	return MisuseOf(cmd, "%w", err)
}

// BadValue returns the error for an invalid value of flag, and says which values are valid.
func BadValue(flag *pflag.Flag, value string) error {
	switch kind := flag.Value.Type(); kind {
	case "int", "int64":
		return fmt.Errorf("%q is not a whole number", value)
	case "float64":
		return fmt.Errorf("%q is not a number", value)
	case "duration":
		return fmt.Errorf("%q is not a duration such as 500ms, 2s or 1h30m", value)
	case "bool":
		return fmt.Errorf("%q is not true or false", value)
	default:
		return fmt.Errorf("%q is not one of %s", value, strings.ReplaceAll(kind, "|", ", "))
	}
}

// DidYouMean returns ` (did you mean x?)` with the candidate nearest to word, or an empty
// string if none is near.
func DidYouMean(word string, candidates []string) string {
	best := Nearest(word, candidates)
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %s?)", best)
}

// Nearest returns the candidate that word may be a misspelling of, or an empty string. A
// typing error changes one letter, or two if it swaps them. A long word may have several
// errors.
func Nearest(word string, candidates []string) string {
	word = strings.ToLower(word)
	edits := 1 + len(word)/4
	best, most := "", 0.49 // two letters of four swapped are 0.5
	for _, c := range candidates {
		if letters(c) == letters(word) {
			return c // only the order of the letters differs
		}
		if s := levenshtein.Match(word, c, nil); s > most && levenshtein.Distance(word, c, nil) <= edits {
			best, most = c, s
		}
	}
	return best
}

// letters returns the letters of a word in alphabetical order.
func letters(word string) string {
	all := []byte(word)
	slices.Sort(all)
	return string(all)
}
