package main

import (
	"strings"
	"testing"
)

// TestUnreadable holds that every command says and returns the same of a file that
// cannot be read.
func TestUnreadable(t *testing.T) {
	for command, args := range map[string][]string{
		"robots check":  {"/a", "--robots"},
		"robots show":   {},
		"robots lint":   {},
		"robots agents": {},
		"robots diff":   {diffOld},
	} {
		t.Run(command, func(t *testing.T) {
			args = append(strings.Fields(command), args...)
			run(t, append(args, "absent.txt")...).wantRefusal(t, exitFailed, command+": ", `"absent.txt"`, "no such file")
			run(t, append(args, t.TempDir())...).wantRefusal(t, exitFailed, command+": ", "is a directory")
			run(t, append(args, "absent.example/x")...).wantRefusal(t, exitFailed, command+": ", "for that of a site, write https://absent.example/x")
		})
	}
}

// TestSlashes holds that a path may begin with two of them, where it cannot be a
// host.
func TestSlashes(t *testing.T) {
	const rules = "User-agent: *\nDisallow: //a/\n"
	if got := runWith(t, rules, "robots", "check", "--robots", "-", "//a/b"); got.code != exitFindings || got.stderr != "" {
		t.Errorf("%+v", got)
	}
	if got := runWith(t, rules, "robots", "agents", "-", "//a/b", "--agent", "x"); got.code != exitDone || !strings.Contains(got.out, "   no\n") {
		t.Errorf("%+v", got)
	}
}

// TestLintQuiet holds that the exit code can be the only answer.
func TestLintQuiet(t *testing.T) {
	if got := run(t, "robots", "lint", "--quiet", lintSample); got != (ran{code: exitFindings}) {
		t.Errorf("%+v", got)
	}
}
