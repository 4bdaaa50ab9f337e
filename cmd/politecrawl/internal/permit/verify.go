package permit

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/crawldir"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/humanize"
	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// runVerify verifies the record of the crawl in a directory.
func (p *permit) runVerify(cmd *cobra.Command) error {
	for _, flag := range []string{"purpose", "robots", "agent"} {
		if cmd.Flags().Changed(flag) {
			return cli.Misuse("permit: --verify and --%s exclude each other: the record has the purposes, files and user agent of the crawl", flag)
		}
	}
	out, flush := p.Buffered()
	done, err := crawler.VerifyPermissions(p.verify, func(d crawler.PermissionDifference) error {
		where := cli.Escape(d.File + d.URL)
		if d.Line > 0 {
			where = fmt.Sprintf("line %d  %s", d.Line, cli.Escape(d.URL))
		}
		return out.PrintAs(p.format, d, fmt.Sprintf("%s: %s\n", where, p.Painter()(cli.Red, cli.Escape(d.Problem))))
	})
	if err == nil {
		err = out.PrintAs(p.format, done, verified(done))
	}
	err = cmp.Or(err, flush())
	_, isExit := errors.AsType[*cli.ExitError](err)
	switch {
	case isExit: // the results could not be written
		return err
	case err != nil && crawldir.HoldsCrawl(p.verify) && !p.recorded():
		return cli.Misuse("permit: %q has no permissions.jsonl: the file was removed, or an earlier version of politecrawl wrote the crawl; to record permissions, crawl into a new directory", p.verify)
	case errors.Is(err, output.ErrNoCrawl) && p.recorded():
		return cli.Misuse("permit: %q has permissions.jsonl but no crawl.json, which has the user agent and the purposes of the crawl; copy it from there too", p.verify)
	case err != nil:
		return crawldir.ReadError("permit --verify", []string{p.verify}, err)
	case done.Differences > 0:
		return cli.ExitWith(cli.ExitFindings)
	}
	return nil
}

// recorded reports whether the directory has a permissions.jsonl.
func (p *permit) recorded() bool {
	_, err := os.Stat(filepath.Join(p.verify, "permissions.jsonl"))
	return !errors.Is(err, fs.ErrNotExist)
}

// verified summarizes a verification.
func verified(v crawler.Verification) string {
	text := fmt.Sprintf("%s with %s, %s: %s\n", humanize.Count(v.Lines, "line"), humanize.Count(v.Statements, "statement"),
		humanize.Count(v.Files, "kept file"), humanize.Count(v.Differences, "difference"))
	if v.NotKept > 0 {
		text += fmt.Sprintf("not verified: statements of files that the site forbade to keep (no-store), in %s\n", humanize.Count(v.NotKept, "line"))
	}
	if v.Cut > 0 {
		text += fmt.Sprintf("not verified: %s whose text was cut\n", humanize.Count(v.Cut, "statement"))
	}
	return text
}
