package main

import (
	"testing"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
)

var (
	program = clitest.Program(root)
	run     = program.Run
	runWith = program.RunWith
)

func TestMain(m *testing.M) { clitest.Main(m, main) }
