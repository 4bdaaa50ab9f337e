// Command modules writes the modules of this repository, as committed, in the layout of a
// module proxy:
//
//	go run ./cmd/internal/modules -version v1.2.3 dist/modules
//
// The modules are the root and the modules that its go.mod replaces by folders. They
// require each other at the version, and replace nothing: `go install` refuses a program
// if its go.mod has replace directives.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
)

func main() {
	version := flag.String("version", "", "version of the modules; if empty, the tag of the commit, or its pseudo-version")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: modules [-version v1.2.3] DIR")
		os.Exit(2)
	}
	if err := run(context.Background(), ".", *version, flag.Arg(0)); err != nil {
		fmt.Fprintln(os.Stderr, "modules:", err)
		os.Exit(1)
	}
}

// run writes the modules of a repository into a directory.
func run(ctx context.Context, repository, version, dir string) error {
	tree, err := os.MkdirTemp("", "modules-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(tree) }()
	committed, own, err := checkOut(ctx, repository, tree)
	if err != nil {
		return err
	}
	r := &release{tree: tree, time: committed, version: cmp.Or(version, own), dir: dir}
	return r.write()
}
