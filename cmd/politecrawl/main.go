// Command politecrawl crawls web sites politely and explains robots.txt files.
//
//	politecrawl demo                          see a polite crawl, on this machine alone
//	politecrawl crawl https://example.com/    crawl a site
//	politecrawl plan https://example.com/     what a crawl of it would do
//	politecrawl report DIR…                   what a crawl found, as a page
//	politecrawl frontier stats DIR            what a stopped crawl has left to do
//	politecrawl robots check URL…             may these URLs be fetched, and by which line?
//	politecrawl robots show URL               a robots.txt as it is understood
//	politecrawl robots agents URL             which well-known crawlers may fetch what
//	politecrawl robots diff OLD NEW           which URLs have got another verdict
//	politecrawl sitemap URL                   the pages that a site lists in its sitemaps
//
// Results go to standard output or to files, everything else to standard error;
// "politecrawl help exit-codes" lists what the exit code says.
package main

import (
	"context"
	"io"
	"log"
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func main() {
	if os.Getenv("GOGC") == "" {
		// A crawl makes much garbage and keeps little: for some 20 MB more it
		// takes an eighth of the processor time less.
		debug.SetGCPercent(gcPercent)
	}
	log.SetOutput(io.Discard) // net/http shows there what sites send unasked
	p := &program{in: os.Stdin, out: os.Stdout, err: os.Stderr}
	os.Exit(p.run(context.Background(), os.Args[1:]))
}

const gcPercent = 400

// A program is the command line with the world it works in.
type program struct {
	in       io.Reader
	out, err io.Writer
}

// run carries out one command line and returns the exit code.
func (p *program) run(ctx context.Context, args []string) int {
	root := p.command()
	root.SetArgs(args)
	return p.report(root.ExecuteContext(ctx))
}

// command builds the tree of commands. It is built anew for each run, because
// cobra keeps the values of the flags in it.
func (p *program) command() *cobra.Command {
	root := group(&cobra.Command{
		Use:   "politecrawl",
		Short: "Crawl web sites politely, and explain robots.txt files",
		Long: `politecrawl crawls web sites the way their owners ask for: it reads the robots.txt
of every origin first, starts from the sitemaps listed there, keeps a delay between
two requests to a host, and writes down why it left a URL alone.

Begin with "politecrawl demo", which needs no network.`,
		Version:       buildOf(debug.ReadBuildInfo()).String(),
		SilenceErrors: true, // run reports them, on one line and
		SilenceUsage:  true, // without the list of flags
	})
	root.SetIn(p.in)
	root.SetOut(p.out)
	root.SetErr(p.err)
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetUsageTemplate(apart(root.UsageTemplate()))
	root.SetFlagErrorFunc(explainFlagError)
	root.SetHelpCommand(helpCommand())
	root.AddCommand(
		p.robotsCommand(),
		p.sitemapCommand(),
		p.versionCommand(),
		p.crawlCommand(),
		p.planCommand(),
		p.frontierCommand(),
		p.reportCommand(),
		p.demoCommand(),
		p.configCommand(),
		p.manCommand(),
		exitCodesTopic(),
		settingsTopic(),
	)
	root.InitDefaultCompletionCmd()
	if cmd, _, err := root.Find([]string{"completion"}); err == nil {
		group(cmd)
		for _, shell := range cmd.Commands() {
			shell.Args = arguments(0, 0, "")
		}
	}
	completable(root)
	return root
}
