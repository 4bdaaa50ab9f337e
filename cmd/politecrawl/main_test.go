package main

import (
	"testing"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
)

var program = clitest.Program(root)

func TestMain(m *testing.M) { clitest.Main(m, main) }

// run runs politecrawl to its end.
func run(t *testing.T, args ...string) clitest.Result {
	t.Helper()
	return program.Run(t, args...)
}

// runWith is run with something on standard input.
func runWith(t *testing.T, stdin string, args ...string) clitest.Result {
	t.Helper()
	return program.RunWith(t, stdin, args...)
}
