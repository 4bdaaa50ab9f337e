// Package ci has the command ci, which crawls a site and fails if it has faults.
package ci

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/comparetext"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/crawldir"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/flags"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/humanize"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/runner"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/settings"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/site"
	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/compare"
)

// A gate is one run of the command.
type gate struct {
	*cli.Streams
	settings *settings.Settings
	failOn   threshold
	baseline string
	base     string
	robots   string
	junit    string
	sarif    string
	github   bool
	format   cli.Format
	quiet    bool
}

// compareFile is the page with the changes since the baseline, in the directory of the crawl.
const compareFile = "compare.html"

// A result is what --format json prints.
type result struct {
	*verdict

	Crawl *runner.Summary `json:"crawl"`
}

// Command returns the command "ci".
func Command(streams *cli.Streams) *cobra.Command {
	g := &gate{Streams: streams, settings: settings.New()}
	cmd := &cobra.Command{
		Use:   "ci URL…|FOLDER",
		Short: "Crawl a site, and fail if it has faults or became worse",
		Long: `Crawl a site, write the report, compare it with an earlier crawl, and fail if there are
findings. Instead of URLs, give the folder of a static site: it is served on loopback for the
crawl, without delays and with the robots.txt that it has, and findings name its files and
lines. --base is the URL at which the folder will be published, as used in its sitemaps and
canonical links. It is needed if robots.txt or sitemap.xml names another origin. No request
reaches that site: URLs outside the path of --base are skipped, and those of the other scheme
redirect to it. /about is about.html if no file has its name, as on GitHub Pages, GitLab Pages
and Netlify.

A folder is crawled with --audit, unless you give --audit=false. If obey-nofollow or
obey-noindex is set, by a flag, file or variable, it wins. Its sitemap.xml is read even if no
robots.txt names it. --robots is the robots.txt that the site will have, if it is not the one
in the folder. The report lists HTML pages and PDFs to which no crawled page links, unless
limits or --exclude left out pages.

The crawl also checks assets, fragments, canonical URLs and hreflang, but not links to other
sites, which can break without any change to this one. It requests the assets, canonical URLs
and hreflang targets that are on other hosts, such as a CDN. --check says what to check instead;
--check '' checks no more than pages.

--fail-on says what fails: errors (error), also warnings (warning), or only the errors and
warnings that the baseline does not have (new, which needs --baseline). The baseline is the
output directory of an earlier crawl. Pages that vanished, became noindex, disallowed or
broken, lost their content, or have another canonical URL since then count too; "politecrawl
help compare" lists all changes. They are also written into compare.html. A finding about
something that one of the crawls did not read is neither new nor fixed.

--junit, --sarif and --github write what fails the gate for CI systems. The summary has at
most 20 lines. If they are too few for all that fails, it names every rule first, and then
gives examples. With --fail-on new it does not name the findings of the baseline.

A crawl that ends before it has checked everything does not pass. To check a part of a site, use
--max-host-pages, --max-depth or --exclude, not --max-pages or --max-time. With --retries 0 it
does not wait for hosts whose robots.txt is unreachable, unless --max-wait says so.

Exit code: 0 passed, 1 there are such findings, 2 usage error, 3 the crawl failed or reached
--max-pages, --max-bytes or --max-time, 4 all that failed is that hosts were unreachable, 130
interrupted.`,
		Example: `  politecrawl ci public --base https://example.com/
  politecrawl ci https://staging.example.com/ --baseline last --fail-on new --junit junit.xml`,
		RunE: func(cmd *cobra.Command, args []string) error { return g.run(cmd, args) },
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	cli.Choice(cmd, &g.failOn, "fail-on", "fail if there are such findings", failOnError, failOnWarning, failOnNew)
	fs.StringVar(&g.baseline, "baseline", "", "compare with the earlier crawl in `DIR`")
	fs.StringVar(&g.base, "base", "", "crawl the folder as the site at `URL` (default: "+defaultBase+")")
	fs.StringVar(&g.robots, "robots", "", "use `FILE` in place of the robots.txt of the folder; -: standard input")
	fs.StringVar(&g.junit, "junit", "", "write what fails as JUnit XML into `FILE`")
	fs.StringVar(&g.sarif, "sarif", "", "write what fails as SARIF 2.1.0 into `FILE`")
	fs.BoolVar(&g.github, "github", false, "print what fails as annotations of GitHub Actions")
	g.format.AddFlag(cmd)
	fs.BoolVarP(&g.quiet, "quiet", "q", false, "print errors only; use the exit code")
	g.settings.AddFlags(cmd, flags.Resumes)
	fs.Lookup("check").Usage = "check only `KIND`: assets, external, … or all (default: all but external)"
	g.settings.GroupFlags(cmd, 0, cli.FlagGroup{Name: "Gate", Common: []string{"fail-on", "baseline", "base", "robots", "audit", "junit", "sarif", "github"}})
	return cmd
}

// defaultChecks are what the gate checks: all but links to other sites, which can break without
// any change to this one.
var defaultChecks = []string{crawler.CheckAssets, crawler.CheckFragments, crawler.CheckCanonical, crawler.CheckHreflang}

// defaultBase is the site of a folder. Nothing else can have its name (RFC 6761, 6.4): pages do not
// link to it as an example, as they do to localhost.
const defaultBase = "http://folder.invalid/"

func (g *gate) run(cmd *cobra.Command, args []string) error {
	if err := g.validate(cmd); err != nil {
		return err
	}
	var before *compare.Crawl
	if g.baseline != "" {
		names := []string{g.baseline}
		files, _ := os.ReadDir(g.baseline) // a file, such as report.json, has none
		for _, file := range files {
			names = append(names, filepath.Join(g.baseline, file.Name()))
		}
		err := regular(names...)
		if err == nil {
			before, err = comparetext.Open(g.baseline)
		}
		if err != nil {
			return fmt.Errorf("--baseline: %w", err)
		}
		if before.Pages() == 0 {
			return cli.Misuse("--baseline: the crawl in %q has no page to compare with; name one that fetched the site", g.baseline)
		}
	}
	var opts crawler.Options
	var served *folder
	switch {
	case len(args) == 1 && !strings.Contains(args[0], "://"):
		switch info, err := os.Stat(args[0]); {
		case err == nil && info.Mode().IsRegular():
			return cli.Misuse("%q is a file; name its folder", args[0])
		case err == nil && !info.IsDir():
			return cli.Misuse("%q is %s; name the folder of a static site", args[0], typeOf(info))
		case err != nil:
			return cli.Misuse("no folder %q; name the folder of a static site, or write a URL as https://example.com/", args[0])
		}
		var err error
		if served, err = g.serve(args[0]); err != nil {
			return err
		}
		defer func() { _ = served.close() }() // all requests have ended
		if !cmd.Flags().Changed("audit") {    // the disk is the owner's
			if err := cmd.Flags().Set("audit", "true"); err != nil {
				return err
			}
		}
		args, opts.Local = []string{served.origin + served.base}, served.local()
	case slices.ContainsFunc(args, crawldir.IsDirectory):
		return cli.MisuseOf(cmd, "give one folder, or URLs; to crawl several folders, run the command for each")
	case g.base != "":
		return cli.MisuseOf(cmd, "--base needs a folder to crawl, not URLs")
	case cmd.Flags().Changed("robots"):
		return cli.MisuseOf(cmd, "--robots needs a folder to crawl, not URLs; a site has its own robots.txt")
	}
	s := g.settings
	if err := s.Load(args, g.In); err != nil {
		return err
	}
	if len(s.Config.URLs) == 0 {
		return cli.MisuseOf(cmd, "give start URLs or the folder of a static site")
	}
	if served != nil && len(s.Config.URLs) == 1 && !served.hasStart() {
		return cli.Misuse("%q has no %s, where the crawl starts; name the folder that has it%s, or name a sitemap in %s", served.dir, indexFile, served.example(), robotsFile)
	}
	if s.Config.Fetch.Retries == 0 && !s.IsSet("max-wait") {
		s.Config.Limits.MaxWait = 0 // else a server that is down is waited for until its robots.txt was requested again
	}
	if !s.IsSet("check") {
		s.Config.Scope.Check = defaultChecks
	}
	if err := s.Validate(); err != nil {
		return err
	}
	return g.crawl(cmd.Context(), opts, served, before)
}

// validate returns a usage error if flags contradict each other or name no file.
func (g *gate) validate(cmd *cobra.Command) error {
	if g.failOn == failOnNew && g.baseline == "" {
		return cli.MisuseOf(cmd, "--fail-on new needs --baseline, the crawl to compare with")
	}
	if g.robots == "" && cmd.Flags().Changed("robots") { // as of a variable that is not set
		return cli.Misuse("--robots names no file")
	}
	if g.github && g.format == cli.JSON {
		return cli.MisuseOf(cmd, "--github and --format json both write to standard output; give one of them")
	}
	for flag, file := range map[string]string{"junit": g.junit, "sarif": g.sarif} {
		if file == "-" {
			return cli.Misuse("--%s needs the name of a file; standard output has the summary", flag)
		}
		if file != "" && !crawldir.IsDirectory(filepath.Dir(file)) {
			return cli.Misuse("--%s: no directory %q; create it first", flag, filepath.Dir(file))
		}
	}
	return nil
}

// serve serves the folder as the site at --base.
func (g *gate) serve(dir string) (*folder, error) {
	raw := cmp.Or(g.base, defaultBase)
	_, err := site.ParseOrigin(raw)
	var base *url.URL
	if err == nil {
		if raw, err = crawler.Canonical(raw); err == nil {
			base, err = url.Parse(raw)
		}
	}
	switch {
	case err != nil:
		return nil, cli.Misuse("--base: %w", err)
	case base.RawQuery != "" || base.ForceQuery:
		return nil, cli.Misuse("--base: %q has a query; leave out what begins with the question mark", raw)
	case !strings.HasSuffix(base.Path, "/"):
		return nil, cli.Misuse("--base: %q is not a directory of a site; end it with a slash", raw)
	}
	served, err := openFolder(dir, base)
	if err != nil {
		return nil, cli.Failed("cannot serve %q: %w", dir, err)
	}
	err = g.readRobots(served)
	if err == nil {
		err = g.refuseFolder(served)
	}
	if err != nil {
		return nil, errors.Join(served.close(), err)
	}
	return served, nil
}

// readRobots reads the file of --robots.
func (g *gate) readRobots(f *folder) error {
	if g.robots == "" {
		return nil
	}
	if err := regular(g.robots); err != nil {
		return fmt.Errorf("--robots: %w, or - for standard input", err)
	}
	text, err := cli.ReadInput(g.robots, g.In)
	if err != nil {
		return fmt.Errorf("--robots: %w", err)
	}
	f.robotsFrom, f.robotsText = g.robots, text
	return nil
}

// refuseFolder returns a usage error if the folder cannot be crawled.
func (g *gate) refuseFolder(f *folder) error {
	for _, name := range []string{indexFile, robotsFile, sitemapFile} {
		if err := regular(filepath.Join(f.dir, name)); err != nil {
			return err
		}
	}
	other, lister := f.otherOrigin()
	if g.base != "" || other == "" {
		return nil
	}
	return cli.Misuse("%s at %s; give the URL at which the folder will be published, as in --base %[2]s/", lister, other) // the crawl would request sitemaps there, or skip the pages
}

// crawl crawls, judges and prints.
func (g *gate) crawl(ctx context.Context, opts crawler.Options, served *folder, before *compare.Crawl) error {
	cfg := g.settings.Config
	r := &runner.Runner{Streams: g.Streams, Quiet: g.quiet, NoResume: true, Log: g.settings.Log, Listen: g.settings.Listen, SecretFlags: g.settings.SecretFlags()}
	sum, err := r.Crawl(ctx, cfg, opts)
	if err != nil {
		return err
	}
	if err := r.RefusedStarts(sum.BlockedStartURLs, cfg.Fetch.AllowAddr, sum.Output, sum.Pages == 0); err != nil {
		return err
	}
	var changes *compare.Comparison
	if before != nil {
		after, err := compare.New(sum.Output, sum.Found)
		if err != nil {
			return cli.Failed("cannot compare with the baseline: %w", cli.QuotePath(err))
		}
		changes = compare.Compare(before, after)
	}
	unlinked := ""
	if served != nil {
		if unlinked, err = g.addUnlinked(ctx, sum, served); err != nil {
			return err
		}
	}
	v, err := judge(sum, changes, g.failOn, &sources{folder: served})
	if err != nil {
		return cli.Failed("cannot read the crawl: %w", cli.QuotePath(err))
	}
	if unlinked != "" {
		v.Notes = slices.Insert(v.Notes, 0, unlinked)
	}
	if err := g.writeFiles(sum, v, changes); err != nil {
		return err
	}
	if err := g.print(sum, v, changes != nil); err != nil {
		return err
	}
	code, incomplete := runner.EndCode(sum.End), v.totals[incompleteRule.ID]
	if incomplete > 0 && code == cli.ExitDone {
		code = cli.ExitFailed
	}
	if len(v.Problems) > incomplete+v.unreachable {
		code = cli.Worse(code, cli.ExitFindings)
	}
	return cli.ExitWith(code)
}

// writeFiles writes the files for CI systems.
func (g *gate) writeFiles(sum *runner.Summary, v *verdict, changes *compare.Comparison) error {
	var errs []error
	if changes != nil {
		errs = append(errs, writeFile(filepath.Join(sum.Output, compareFile), changes.WriteHTML))
	}
	if g.junit != "" {
		errs = append(errs, writeFile(g.junit, func(w io.Writer) error { return writeJUnit(w, v, sum.Found) }))
	}
	if g.sarif != "" {
		errs = append(errs, writeFile(g.sarif, func(w io.Writer) error { return writeSARIF(w, v) }))
	}
	return errors.Join(errs...)
}

func writeFile(path string, write func(io.Writer) error) error {
	file, err := os.Create(path)
	if err == nil {
		err = errors.Join(write(file), file.Close())
	}
	if err != nil {
		return cli.Failed("cannot write %q: %w", path, err)
	}
	return nil
}

// print prints the verdict and the annotations.
func (g *gate) print(sum *runner.Summary, v *verdict, compared bool) error {
	switch {
	case g.format == cli.JSON:
		return g.PrintJSON(result{v, sum})
	case !g.quiet:
		crawled := fmt.Sprintf("%s in %v", humanize.Count(sum.Pages, "page"), time.Duration(sum.Duration).Round(100*time.Millisecond))
		if sum.End != crawler.EndFinished {
			crawled += ", crawl not finished: " + string(sum.End)
		}
		files := []string{"report: " + sum.Report}
		if compared {
			files = append(files, "changes: "+filepath.Join(sum.Output, compareFile))
		}
		if err := g.Print(v.text(crawled, files, g.Painter())); err != nil {
			return err
		}
	}
	if g.github {
		if err := writeAnnotations(g.Out, v); err != nil {
			return cli.Failed("cannot write the annotations: %w", err)
		}
	}
	return nil
}
