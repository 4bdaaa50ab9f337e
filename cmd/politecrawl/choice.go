package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// choice gives cmd a flag that is one of some words; the first is the default.
func choice[T ~string](cmd *cobra.Command, value *T, name, usage string, words ...T) {
	*value = words[0]
	cmd.Flags().Var(newChoice(value, words...), name, usage)
}

// newChoice is the value of a flag that is one of some words.
func newChoice[T ~string](value *T, words ...T) *choiceFlag[T] {
	flag := &choiceFlag[T]{value: value}
	for _, w := range words {
		flag.words = append(flag.words, string(w))
	}
	return flag
}

type choiceFlag[T ~string] struct {
	value *T
	words []string
}

// String is also called for a flag without a value, by pflag.
func (f *choiceFlag[T]) String() string {
	if f.value == nil {
		return ""
	}
	return string(*f.value)
}

func (f *choiceFlag[T]) Type() string { return strings.Join(f.words, "|") }

func (f *choiceFlag[T]) Set(s string) error {
	if !slices.Contains(f.words, s) {
		return fmt.Errorf("%q is none of %s", s, strings.Join(f.words, ", "))
	}
	*f.value = T(s)
	return nil
}
