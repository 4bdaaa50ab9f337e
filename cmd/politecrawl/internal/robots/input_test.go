package robots

import (
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
)

// TestSlashes holds that a path may begin with two of them, where it cannot be a
// host.
func TestSlashes(t *testing.T) {
	const rules = "User-agent: *\nDisallow: //a/\n"
	if got := runWith(t, rules, "robots", "check", "--robots", "-", "//a/b"); got.Code != cli.ExitFindings || got.Stderr != "" {
		t.Errorf("%+v", got)
	}
	if got := runWith(t, rules, "robots", "agents", "-", "//a/b", "--agent", "x"); got.Code != cli.ExitDone || !strings.Contains(got.Out, "   no\n") {
		t.Errorf("%+v", got)
	}
}

// TestLintQuiet holds that the exit code can be the only answer.
func TestLintQuiet(t *testing.T) {
	if got := run(t, "robots", "lint", "--quiet", lintSample); got != (clitest.Result{Code: cli.ExitFindings}) {
		t.Errorf("%+v", got)
	}
}
