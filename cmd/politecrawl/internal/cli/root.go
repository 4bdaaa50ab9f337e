package cli

import (
	"context"

	"github.com/spf13/cobra"
)

// Run executes one command line, reports its error and returns the exit code.
func (s *Streams) Run(ctx context.Context, root *cobra.Command, args []string) int {
	if err := suggestCrawl(root, args); err != nil {
		return s.report(err)
	}
	root.SetArgs(joinValues(root, args))
	return s.report(root.ExecuteContext(ctx))
}

// NewRoot adds commands to root, and sets up its help, usage errors and completion.
func NewRoot(streams *Streams, root *cobra.Command, commands ...*cobra.Command) *cobra.Command {
	Group(root)
	root.Version = ReadBuild().String()
	root.SilenceErrors = true // Run reports them on one line,
	root.SilenceUsage = true  // without the list of flags
	root.SetIn(streams.In)
	root.SetOut(streams.Out)
	root.SetErr(streams.Err)
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetUsageFunc(usage)
	root.SetFlagErrorFunc(explainFlagError)
	root.SetHelpCommand(helpCommand())
	root.AddCommand(commands...)
	root.InitDefaultCompletionCmd()
	if cmd, _, err := root.Find([]string{"completion"}); err == nil {
		Group(cmd)
		for _, shell := range cmd.Commands() {
			shell.Args = Args(0, 0, "")
		}
	}
	completable(root)
	return root
}

// helpCommand returns cobra's help command, except that an unknown topic is an error.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [command]",
		Short: "Help about a command or topic",

		ValidArgsFunction: completeTopic,

		RunE: func(cmd *cobra.Command, args []string) error {
			topic, rest, err := cmd.Root().Find(args)
			switch {
			case err != nil:
				return Misuse("help: %w", err)
			case len(rest) > 0 && !topic.HasParent():
				return unknown("command or topic", "commands and topics", topic, rest[0])
			case len(rest) > 0:
				return unknown("command", "commands", topic, rest[0])
			}
			return topic.Help()
		},
	}
}
