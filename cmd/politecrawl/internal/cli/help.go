package cli

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A FlagGroup is a heading in the help of a command, with the flags below it.
type FlagGroup struct {
	Name   string
	Common []string
	Rare   []string // shown by --help-all only
}

// GroupFlags makes the help of cmd list its flags in groups, and adds --help-all. It ignores
// flags in groups that cmd does not have.
func GroupFlags(cmd *cobra.Command, groups []FlagGroup) {
	all := false
	cmd.Flags().BoolFunc("help-all", "show the help with all flags", func(string) error {
		all = true
		return cmd.Flags().Set("help", "true")
	})
	cmd.SetUsageFunc(func(c *cobra.Command) error {
		if c != cmd { // cobra uses this function for the commands below, too
			return usage(c)
		}
		text, more := groupedUsages(cmd.Flags(), groups, all)
		if more > 0 {
			text += fmt.Sprintf("\nUse \"%s --help-all\" for %d more flags, and \"%s help\" for the help topics.\n", cmd.CommandPath(), more, cmd.Root().Name())
		}
		return writeUsage(cmd, text)
	})
}

// groupedUsages returns the usages of flags below the names of their groups, and the number
// of rare flags that it omits.
func groupedUsages(flags *pflag.FlagSet, groups []FlagGroup, all bool) (text string, more int) {
	shown := pflag.NewFlagSet("shown", pflag.ContinueOnError)
	shown.SortFlags = false
	headings := map[int]string{} // by the number of the first flag
	flagsOutput := 0
	for _, g := range groups {
		headings[flagsOutput] = g.Name
		for _, name := range slices.Concat(g.Common, g.Rare) {
			switch f := flags.Lookup(name); {
			case f == nil || f.Hidden:
			case !all && slices.Contains(g.Rare, name):
				more++
			default:
				shown.AddFlag(f)
				flagsOutput++
			}
		}
	}
	var b strings.Builder
	number := 0
	for line := range strings.Lines(shown.FlagUsages()) {
		if name := headings[number]; name != "" {
			if number > 0 {
				b.WriteString("\n")
			}
			b.WriteString(name + ":\n")
		}
		b.WriteString(optionalValue.ReplaceAllString(line, "=$1       ")) // as wide as before
		number++
	}
	return b.String(), more
}

// optionalValue matches the values of a flag that is also valid without one, as pflag prints them.
var optionalValue = regexp.MustCompile(` (\S+)\[=true\]`)

// usage writes the usage of a command without flag groups.
func usage(cmd *cobra.Command) error {
	if !cmd.HasAvailableLocalFlags() {
		return writeUsage(cmd, "")
	}
	return writeUsage(cmd, "Flags:\n"+cmd.LocalFlags().FlagUsages())
}

// writeUsage writes the usage of a command, with examples, subcommands, flags and help
// topics.
func writeUsage(cmd *cobra.Command, flags string) error {
	var b strings.Builder
	b.WriteString("Usage:\n")
	if cmd.Runnable() && !IsGroup(cmd) {
		b.WriteString("  " + cmd.UseLine() + "\n")
	}
	if cmd.HasAvailableSubCommands() {
		b.WriteString("  " + cmd.CommandPath() + " COMMAND\n")
	}
	if cmd.HasExample() {
		b.WriteString("\nExamples:\n" + cmd.Example + "\n")
	}
	writeCommands(&b, cmd, "Commands", func(sub *cobra.Command) bool { return sub.IsAvailableCommand() || sub.Name() == "help" })
	if flags != "" {
		b.WriteString("\n" + flags)
	}
	writeCommands(&b, cmd, "Help topics", (*cobra.Command).IsAdditionalHelpTopicCommand)
	if !cmd.HasParent() {
		b.WriteString("\nUse \"politecrawl COMMAND --help\" or \"politecrawl help TOPIC\" for more.\n")
	}
	_, err := io.WriteString(cmd.OutOrStderr(), b.String())
	return err
}

// writeCommands lists the subcommands of cmd for which has returns true.
func writeCommands(b *strings.Builder, cmd *cobra.Command, heading string, has func(*cobra.Command) bool) {
	if !slices.ContainsFunc(cmd.Commands(), has) {
		return
	}
	fmt.Fprintf(b, "\n%s:\n", heading)
	table := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for _, sub := range cmd.Commands() {
		if has(sub) {
			_, _ = fmt.Fprintf(table, "  %s\t%s\n", sub.Name(), sub.Short) // a Builder never fails
		}
	}
	_ = table.Flush()
}
