package main

import (
	"testing"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
)

var (
	program = clitest.Program(root)
	run     = program.Run
	runWith = program.RunWith
)

// done runs a command line that has to end with exit code 0.
func done(t *testing.T, args ...string) clitest.Result {
	t.Helper()
	got := run(t, args...)
	if got.Code != cli.ExitDone {
		t.Fatalf("%q: %+v", args, got)
	}
	return got
}

func TestMain(m *testing.M) { clitest.Main(m, main) }
