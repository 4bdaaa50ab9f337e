// Command licenses lists the licences of the modules that packages are linked with, and
// fails if one of them may not be passed on with this program.
//
//	go run ./cmd/internal/licenses ./...                       module, version, licence
//	go run ./cmd/internal/licenses -texts ./cmd/politecrawl    the texts, to go with a binary
//
// With -platforms "linux/amd64 windows/amd64", it lists the modules of all these platforms.
//
// It recognizes a licence by sentences that no other has. This is no legal advice: it finds
// a module that came with an update and has an unexpected licence.
package main

import (
	"bufio"
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
)

func main() {
	texts := flag.Bool("texts", false, "print the texts of the licences")
	platforms := flag.String("platforms", "", "GOOS/GOARCH, several with spaces between them; this one if empty")
	flag.Parse()
	out := bufio.NewWriter(os.Stdout)
	err := run(context.Background(), out, *texts, strings.Fields(*platforms), flag.Args())
	if err = cmp.Or(err, out.Flush()); err != nil {
		fmt.Fprintln(os.Stderr, "licenses:", err)
		os.Exit(1)
	}
}

// run lists the modules of packages.
func run(ctx context.Context, out io.Writer, texts bool, platforms, packages []string) error {
	modules, err := linked(ctx, platforms, packages)
	if err != nil {
		return err
	}
	return list(out, texts, modules)
}

// list lists modules. The error names those that may not be passed on.
func list(out io.Writer, texts bool, modules []module) error {
	var bad []string
	for _, m := range modules {
		name, err := m.licence()
		if err != nil {
			return err
		}
		if texts {
			err = m.writeTexts(out)
		} else {
			_, err = fmt.Fprintf(out, "%-60s %-40s %s\n", m.Path, m.Version, name)
		}
		if err != nil {
			return err
		}
		if !allowed(name) {
			bad = append(bad, m.Path+" ("+name+")")
		}
	}
	if len(bad) > 0 {
		return fmt.Errorf("not under one of %s: %s", strings.Join(allowedNames(), ", "), strings.Join(bad, ", "))
	}
	return nil
}
