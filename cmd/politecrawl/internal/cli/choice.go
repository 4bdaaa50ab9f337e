package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Choice adds to cmd a flag that takes one of words; the first is the default.
func Choice[T ~string](cmd *cobra.Command, value *T, name, usage string, words ...T) {
	*value = words[0]
	cmd.Flags().Var(NewChoice(value, words...), name, usage)
}

// NewChoice returns the value of a flag that is one of words.
func NewChoice[T ~string](value *T, words ...T) pflag.Value {
	return &choiceFlag[T]{value, Words(words...)}
}

// Words returns words as strings.
func Words[T ~string](words ...T) []string {
	list := make([]string, len(words))
	for i, w := range words {
		list[i] = string(w)
	}
	return list
}

type choiceFlag[T ~string] struct {
	value *T
	words []string
}

// String implements pflag.Value, which also calls it for a flag without a value.
func (f *choiceFlag[T]) String() string {
	if f.value == nil {
		return ""
	}
	return string(*f.value)
}

// Type implements pflag.Value.
func (f *choiceFlag[T]) Type() string { return strings.Join(f.words, "|") }

// Set implements pflag.Value.
func (f *choiceFlag[T]) Set(s string) error {
	if !slices.Contains(f.words, s) {
		return fmt.Errorf("%q is not one of %s", s, strings.Join(f.words, ", "))
	}
	*f.value = T(s)
	return nil
}
