// Command modules prepares a version of the two modules of this repository, and writes them in
// the layout of a module proxy:
//
//	go run ./cmd/internal/modules v1.2.3                 set the version in go.mod, go.sum and go.work
//	go run ./cmd/internal/modules v1.2.3 dist/modules    write the files at the tags v1.2.3 and robotsext/v1.2.3
//
// The root requires robotsext at its own version, and go.sum has the sums of it, so that one
// commit can have both tags. The sums do not depend on the root.
package main

import (
	"fmt"
	"os"
)

func main() {
	r := repository(".")
	var err error
	switch len(os.Args) {
	case 2:
		err = r.prepare(os.Args[1])
	case 3:
		err = r.write(os.Args[1], os.Args[2])
	default:
		err = fmt.Errorf("usage: modules v1.2.3 [DIR]")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "modules:", err)
		os.Exit(1)
	}
}
