package robots

import (
	"testing"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
)

var (
	program = clitest.Only(Command)
	run     = program.Run
	runWith = program.RunWith
)

func TestMain(m *testing.M) { program.Main(m) }
