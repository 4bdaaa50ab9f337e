package cli

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// A word after a flag with an optional value is its value, and never a URL, a file or what the flag
// does not take.
func TestValueAfterFlagWithOptionalValue(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("full", 0o700); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		"crawl http://h/ --links full":            "crawl http://h/ --links=full",
		"crawl --links full http://h/":            "crawl --links=full http://h/",
		"crawl --links http://h/":                 "crawl --links http://h/",
		"crawl --links=full http://h/":            "crawl --links=full http://h/",
		"crawl --links false --audit true x":      "crawl --links=false --audit=true x",
		"crawl -q false x":                        "crawl -q=false x",
		"crawl -qo true x":                        "crawl -qo true x",
		"crawl -otrue --links x":                  "crawl -otrue --links x",
		"crawl --audit full":                      "crawl --audit full",
		"crawl --links":                           "crawl --links",
		"crawl x -- --links full":                 "crawl x -- --links full",
		"crawl --output --links full x":           "crawl --output --links full x",
		"crawl --links full":                      "crawl --links full", // a folder
		"crawl --links true":                      "crawl --links=true",
		"crawl - --links full":                    "crawl - --links=full",
		"crawl status --links full x":             "crawl status --links full x", // the flag is not of this command
		"crawl --nonsense full":                   "crawl --nonsense full",
		"nonsense --links full":                   "nonsense --links full",
		"crawl --resume d --links full --audit x": "crawl --resume d --links=full --audit x",
	} {
		var kind, output, resume string
		var audit, quiet bool
		root, crawl := &cobra.Command{Use: "p", Args: cobra.ArbitraryArgs}, &cobra.Command{Use: "crawl URL…", Args: cobra.ArbitraryArgs, Run: func(*cobra.Command, []string) {}}
		crawl.Flags().Var(NewChoice(&kind, "true", "false", "full"), "links", "")
		crawl.Flags().Lookup("links").NoOptDefVal = "true"
		crawl.Flags().BoolVar(&audit, "audit", false, "")
		crawl.Flags().BoolVarP(&quiet, "quiet", "q", false, "")
		crawl.Flags().StringVarP(&output, "output", "o", "", "")
		crawl.Flags().StringVar(&resume, "resume", "", "")
		crawl.AddCommand(&cobra.Command{Use: "status", Run: func(*cobra.Command, []string) {}})
		root.AddCommand(crawl)
		if got := joinValues(root, strings.Fields(args)); !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%s: %q, want %s", args, got, want)
		}
	}
}

// Joining changes no argument but by an equals sign in place of a space.
func FuzzJoinValues(f *testing.F) {
	for _, seed := range []string{"crawl\x00--links\x00full", "crawl\x00-q\x00--\x00x", "crawl\x00--", "-\x00crawl"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var kind string
		root, crawl := &cobra.Command{Use: "p", Args: cobra.ArbitraryArgs}, &cobra.Command{Use: "crawl", Args: cobra.ArbitraryArgs, Run: func(*cobra.Command, []string) {}}
		crawl.Flags().Var(NewChoice(&kind, "true", "false", "full"), "links", "")
		crawl.Flags().Lookup("links").NoOptDefVal = "true"
		crawl.Flags().BoolP("quiet", "q", false, "")
		root.AddCommand(crawl)
		args := strings.Split(text, "\x00")
		got := strings.Join(joinValues(root, args), " ")
		for _, joined := range []string{"=true", "=false", "=full"} {
			got, text = strings.ReplaceAll(got, joined, " "+joined[1:]), strings.ReplaceAll(text, joined, " "+joined[1:])
		}
		words := func(s string) []string { // a command may come after its flags
			list := strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == 0 })
			slices.Sort(list)
			return list
		}
		if !slices.Equal(words(got), words(text)) {
			t.Errorf("%q became %q", text, got)
		}
	})
}
