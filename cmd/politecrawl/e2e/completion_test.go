package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
)

// asCommand puts a command politecrawl into a directory, for shells to call, and
// returns the environment to find it in. The command is a link: a script that this process
// writes can be busy when a shell starts it, since a process forked meanwhile has it open.
func asCommand(t *testing.T) []string {
	t.Helper()
	bin := t.TempDir()
	clitest.OK(t, os.Symlink(clitest.Must(os.Executable())(t), filepath.Join(bin, "politecrawl")))
	return append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), clitest.ProcessVariable+"=1")
}

// completeInBash is what the generated script does when somebody has typed the words
// of the last argument and presses the tabulator key. What follows the script stands in
// for the package bash-completion, which need not be installed.
const completeInBash = `
if ! declare -F _get_comp_words_by_ref > /dev/null; then
	_get_comp_words_by_ref() {
		words=("${COMP_WORDS[@]}") cword=$COMP_CWORD
		cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
	}
fi
_filedir() { # as that of bash-completion
	if [ "${1-}" = -d ]; then COMPREPLY+=($(compgen -d -- "$cur"))
	else for f in $(compgen -f -- "$cur"); do [[ -d $f || -z ${1-} || $f =~ \.(${1%|})$ ]] && COMPREPLY+=("$f"); done; fi
	return 0
}
compopt() { options="$options $*"; } # outside of a completion there are none to set
type() { case "$*" in "-t compopt") echo builtin ;; *) builtin type "$@" ;; esac; }
complete -p politecrawl | grep -q -- '-F __start_politecrawl politecrawl' || { echo "not registered"; exit 1; }
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_POINT=${#COMP_LINE} COMP_TYPE=9
__start_politecrawl politecrawl
printf '%s\n' "${COMPREPLY[@]}"
case " $options " in
*" +o default "*) ;;
*) echo "(files)" ;;
esac
`

// TestCompletionInBash holds what a person at bash gets.
func TestCompletionInBash(t *testing.T) {
	t.Parallel()
	bash, env := tool(t, "bash"), asCommand(t)
	got := done(t, "completion", "bash")
	script := clitest.WriteFile(t, "script.bash", got.Out+completeInBash)
	place := t.TempDir()
	for _, name := range []string{"crawl.yaml", "notes.txt"} {
		clitest.OK(t, os.WriteFile(filepath.Join(place, name), nil, 0o600))
	}
	clitest.OK(t, os.Mkdir(filepath.Join(place, "example"), 0o700))
	for _, tt := range []struct {
		typed string
		want  []string // of what is offered; "(files)": the shell offers names of files
		not   []string
	}{
		{"cr", []string{"crawl"}, []string{"config", "(files)"}},
		{"robots ", []string{"agents", "check", "diff", "lint", "show"}, []string{"crawl", "(files)"}},
		{"help ", []string{"crawl", "exit-codes", "settings"}, []string{"(files)"}},
		{"help robots ", []string{"check"}, []string{"crawl", "(files)"}},
		{"crawl --max-p", []string{"--max-pages"}, []string{"--max-depth", "(files)"}},
		{"crawl --scope ", []string{"host", "path", "domain", "any"}, []string{"(files)"}},
		{"crawl --scope d", []string{"domain"}, []string{"host", "any", "(files)"}},
		{"crawl --format ", []string{"text", "json"}, []string{"(files)"}},
		{"crawl --durability ", []string{"process", "power"}, []string{"(files)"}},
		{"crawl --log-level ", []string{"debug", "info", "warn", "error"}, []string{"(files)"}},
		{"crawl --also-write ", []string{"csv", "sqlite", "warc"}, []string{"(files)"}},
		{"crawl --also-write csv,", []string{"csv,sqlite", "csv,warc"}, []string{"csv,csv", "(files)"}},
		{"crawl --delay ", nil, []string{"example", "(files)"}},
		{"crawl --config ", []string{"crawl.yaml", "example"}, []string{"notes.txt"}},
		{"crawl --resume ", []string{"example"}, []string{"notes.txt", "crawl.yaml"}},
		{"crawl --log-file ", []string{"(files)"}, nil},
		{"crawl ", nil, []string{"example", "(files)"}},
		{"crawl https://example.com/ ", nil, []string{"example", "(files)"}},
		{"report ", []string{"example"}, []string{"notes.txt", "crawl.yaml"}},
		{"report example ", []string{"example"}, []string{"notes.txt", "crawl.yaml"}}, // of another worker
		{"sitemap write ", []string{"example"}, []string{"notes.txt", "crawl.yaml"}},
		{"sitemap ", []string{"write", "(files)"}, nil},
		{"frontier stats example ", nil, []string{"example", "(files)"}},
		{"frontier stats ", []string{"example"}, []string{"notes.txt"}},
		{"man ", []string{"example"}, []string{"notes.txt"}},
		{"robots lint ", []string{"(files)"}, nil},
		{"robots diff a ", []string{"(files)"}, nil},
		{"robots check ", nil, []string{"(files)"}},
		{"permit ", nil, []string{"(files)"}},
		{"permit --verify ", []string{"example"}, []string{"notes.txt"}},
		{"permit --purpose t", []string{"train-ai", "tdm"}, nil},
		{"version ", nil, []string{"(files)"}},
	} {
		t.Run(tt.typed, func(t *testing.T) {
			t.Parallel()
			words := append([]string{"--norc", "--noprofile", script, "politecrawl"}, strings.Split(tt.typed, " ")...)
			cmd := exec.CommandContext(t.Context(), bash, words...)
			cmd.Env, cmd.Dir = env, place
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			var offered []string
			for line := range strings.Lines(string(out)) {
				word, _, _ := strings.Cut(strings.TrimSpace(line), "  ") // a description follows
				offered = append(offered, word)
			}
			for _, want := range tt.want {
				if !slices.Contains(offered, want) {
					t.Errorf("%q is not offered: %q", want, offered)
				}
			}
			for _, not := range tt.not {
				if slices.Contains(offered, not) {
					t.Errorf("%q is offered: %q", not, offered)
				}
			}
		})
	}
}

// TestCompletionScriptsAreWellWritten holds that each shell can read its script.
func TestCompletionScriptsAreWellWritten(t *testing.T) {
	t.Parallel()
	for shell, check := range map[string]string{"bash": "-n", "zsh": "-n", "fish": "--no-execute", "powershell": ""} {
		t.Run(shell, func(t *testing.T) {
			t.Parallel()
			got := run(t, "completion", shell)
			if got.Code != cli.ExitDone || got.Stderr != "" || !strings.Contains(got.Out, "__complete") {
				t.Fatalf("exit code %d, standard error %q, %d bytes", got.Code, got.Stderr, len(got.Out))
			}
			if check == "" { // no tool reads it here
				return
			}
			script := clitest.WriteFile(t, "script", got.Out)
			cmd := exec.CommandContext(t.Context(), tool(t, shell), check, script)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}

// TestEveryFlagIsCompleted holds that no flag with a value offers names of files but
// those that want one, and that every command says what its arguments are.
func TestEveryFlagIsCompleted(t *testing.T) {
	t.Parallel()
	flags := 0
	eachCommand(func(cmd *cobra.Command) {
		if !cli.IsGroup(cmd) && cmd.ValidArgsFunction == nil {
			t.Errorf("%s does not say what its arguments are", cmd.CommandPath())
		}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			complete, ok := cmd.GetFlagCompletionFunc(f.Name)
			if f.NoOptDefVal != "" {
				return // it stands alone
			}
			flags++
			if !ok {
				t.Errorf("%s --%s is not completed", cmd.CommandPath(), f.Name)
				return
			}
			words, directive := complete(cmd, nil, "")
			value, _ := pflag.UnquoteUsage(f)
			if files := directive == cobra.ShellCompDirectiveDefault; files != (value == "FILE" && f.Name != "config") {
				t.Errorf("%s --%s %s: names of files are offered: %v", cmd.CommandPath(), f.Name, value, files)
			}
			if strings.Contains(value, "|") && strings.Join(words, "|") != value {
				t.Errorf("%s --%s %s: offered is %q", cmd.CommandPath(), f.Name, value, words)
			}
		})
	})
	if flags < 50 {
		t.Errorf("only %d flags with a value were found", flags)
	}
}
