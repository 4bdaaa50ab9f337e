package settings

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/flags"
	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore"
)

// Topic returns the page of help about the keys.
func Topic() *cobra.Command {
	var b strings.Builder
	b.WriteString(`Every setting of a crawl has a key. Set it in a configuration file, in the environment or
with a flag:

    max-pages: 100                     in a YAML file (--config crawl.yaml); in TOML
                                       max-pages = 100, in JSON {"max-pages": 100}
    POLITECRAWL_MAX_PAGES=100          in the environment: upper case, _ for -
    politecrawl crawl --max-pages 100

A flag overrides the environment, the environment overrides the file, and the file
overrides the default. "politecrawl config show" prints each value and where it comes
from. Unknown keys and unknown POLITECRAWL_ variables are errors. configs/crawl.yaml
explains every key.

Durations are written as 500ms, 2s, 5m or 1h30m. The longest duration is 8760h, one year.
In the environment, separate the items of a list by spaces, and those of extract, include,
exclude, header and header-for by line breaks. On the command line, repeat the flag for each
item. =false switches off a setting that is true by default: --links=false.

A crawl stores its settings in its directory. --resume and --recrawl read them from there
and from flags, not from a file. From the environment they read only what is not stored:
the keys of the log, POLITECRAWL_LISTEN_TOKEN, ` + redisstore.PasswordVariable + `,
and the secrets that *** replaces in the stored values: POLITECRAWL_PROXY, POLITECRAWL_HEADER,
POLITECRAWL_HEADER_FOR and POLITECRAWL_BASIC_AUTH. --continue reads all of them again.

Set secrets with variables, not with flags: other users of the machine can see flags in
the process list.

The keys and their defaults (N, DIR, DURATION and so on stand for the value):

`)
	New().Visit(func(f *pflag.Flag, _ string) {
		kind, usage := pflag.UnquoteUsage(f)
		if strings.Contains(kind, "|") {
			usage += ": " + kind
		}
		value := f.Value.String()
		if f.Value.Type() == "string" && value == "" {
			value = `""`
		}
		fmt.Fprintf(&b, "    %s: %s\n        %s\n", f.Name, value, usage)
	})
	return &cobra.Command{Use: "settings", Short: "How to set keys in a file, in the environment and as flags", Long: strings.TrimSpace(b.String())}
}

// completeFormats completes a list of formats, each once.
func completeFormats(_ *cobra.Command, _ []string, toComplete string) ([]cobra.Completion, cobra.ShellCompDirective) {
	typed := toComplete[:strings.LastIndex(toComplete, ",")+1]
	var lists []cobra.Completion
	for _, format := range flags.Formats(new(crawler.Config)) {
		if !slices.Contains(strings.Split(typed, ","), format.Name) {
			lists = append(lists, typed+format.Name)
		}
	}
	return lists, cobra.ShellCompDirectiveNoFileComp
}
