// Command licenses says under which licence each module is that packages are linked with,
// and fails where one is not among those that may be passed on with this program.
//
//	go run ./cmd/internal/licenses ./...                       module, version, licence
//	go run ./cmd/internal/licenses -texts ./cmd/politecrawl    the texts, to go with a binary
//
// With -platforms "linux/amd64 windows/amd64" the modules are those of all of these.
//
// A licence is known by sentences that it alone has. That is no lawyer's work: it finds
// the module that came in by an update and is under another licence than one thinks.
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
	platforms := flag.String("platforms", "", "GOOS/GOARCH, several with spaces between them; empty: this one")
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
