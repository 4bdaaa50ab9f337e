package cli

import (
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/politecrawl/politecrawl/robotsext/secret"
)

// bareHost matches a host without a scheme, such as example.com or 127.0.0.1:8000/a. Hosts with a port
// are seldom reached by https.
var bareHost = regexp.MustCompile(`^(?:[\w-]+(?:\.[\w-]+)+|localhost)(:\d+)?(?:[/?].*)?$`)

// fileName matches the name of a file that is no host.
var fileName = regexp.MustCompile(`(?i)^[^/?:]+\.(?:ya?ml|toml|jsonl?|txt|csv|xml|html?|gz|log)$`)

// suggestCrawl returns a usage error if the arguments name a site where the command should be.
func suggestCrawl(root *cobra.Command, args []string) error {
	if cmd, _, err := root.Find(args); err != nil || cmd != root {
		return nil
	}
	at := 0
	if len(args) > 0 && strings.HasPrefix(args[0], "-") {
		at = slices.IndexFunc(args, isWebURL)
	}
	if at < 0 || at >= len(args) {
		return nil
	}
	site := secret.RedactInvalidURL(args[at])
	switch _, err := os.Stat(args[at]); {
	case isWebURL(args[at]):
		return Misuse("%q is a URL, not a command; to crawl the site: politecrawl crawl %s", site, ShellWord(site))
	case err == nil: // a file
		return nil
	}
	m := bareHost.FindStringSubmatch(args[at])
	if m == nil || fileName.MatchString(args[at]) {
		return nil
	}
	scheme := "https://"
	if m[1] != "" {
		scheme = "http://"
	}
	return Misuse("unknown command %q; to crawl the site: politecrawl crawl %s", site, ShellWord(scheme+site))
}

func isWebURL(arg string) bool {
	scheme, _, found := strings.Cut(arg, "://")
	return found && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
}

// joinValues joins each flag that has an optional value with the next argument, if that is one of the
// words that the flag takes: "--links full" becomes "--links=full". Otherwise the word would be an
// argument of the command. It stays one if a file has this name and the command has no other argument.
func joinValues(root *cobra.Command, args []string) []string {
	cmd, rest, err := root.Find(args)
	if err != nil || cmd == root {
		return args
	}
	joined := strings.Fields(cmd.CommandPath())[1:]
	var candidates []int // in joined
	arguments := 0
	for i := 0; i < len(rest); i++ {
		arg := rest[i]
		joined = append(joined, arg)
		flag, takesNext := flagOf(cmd, arg)
		switch {
		case arg == "--":
			joined = append(joined, rest[i+1:]...)
			arguments += len(rest) - i - 1
			i = len(rest)
		case flag == nil && (arg == Stdin || !strings.HasPrefix(arg, "-")):
			arguments++
		case flag == nil || i+1 == len(rest):
		case takesNext:
			i++
			joined = append(joined, rest[i])
		case slices.Contains(wordsOf(flag), rest[i+1]):
			i++
			joined = append(joined, rest[i])
			candidates = append(candidates, len(joined)-1)
		}
	}
	for _, at := range slices.Backward(candidates) {
		if _, err := os.Stat(joined[at]); err == nil && arguments == 0 {
			continue
		}
		joined[at-1] += "=" + joined[at]
		joined = slices.Delete(joined, at, at+1)
	}
	return joined
}

// flagOf returns the flag that an argument names without a value, or nil if it names none, and whether
// its value is the next argument.
func flagOf(cmd *cobra.Command, arg string) (flag *pflag.Flag, takesNext bool) {
	switch {
	case strings.HasPrefix(arg, "--"):
		flag = cmd.Flag(arg[2:])
	case strings.HasPrefix(arg, "-") && len(arg) > 1:
		for i := 1; i < len(arg); i++ { // a value may follow at once, as in -n5
			flag = cmd.Flags().ShorthandLookup(arg[i : i+1])
			if flag == nil || flag.NoOptDefVal == "" && i+1 < len(arg) {
				return nil, false
			}
		}
	}
	return flag, flag != nil && flag.NoOptDefVal == ""
}

// wordsOf returns the words that a flag with an optional value takes.
func wordsOf(flag *pflag.Flag) []string {
	if kind := flag.Value.Type(); kind != "bool" {
		return strings.Split(kind, "|")
	}
	return []string{"true", "false"}
}
