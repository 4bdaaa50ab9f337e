package config

import (
	"testing"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
)

var program = clitest.Only(Command)

func TestMain(m *testing.M) { program.Main(m) }

func run(t *testing.T, args ...string) clitest.Result {
	t.Helper()
	return program.Run(t, args...)
}
