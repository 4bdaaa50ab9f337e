package permit

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/crawldir"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/humanize"
	"github.com/politecrawl/politecrawl/crawler"
)

// runVerify verifies the record of the crawl in a directory.
func (p *permit) runVerify(cmd *cobra.Command) error {
	for _, flag := range []string{"purpose", "robots"} {
		if cmd.Flags().Changed(flag) {
			return cli.Misuse("permit: --verify and --%s exclude each other: the record has the purposes and files of the crawl", flag)
		}
	}
	out, flush := p.Buffered()
	done, err := crawler.VerifyPermissions(p.verify, func(d crawler.PermissionDifference) error {
		if p.format == cli.JSON {
			return out.PrintJSON(d)
		}
		where := cli.Escape(d.File + d.URL)
		if d.Line > 0 {
			where = fmt.Sprintf("line %d  %s", d.Line, cli.Escape(d.URL))
		}
		return out.Print(fmt.Sprintf("%s: %s\n", where, p.Painter()(cli.Red, cli.Escape(d.Problem))))
	})
	if err == nil {
		if p.format == cli.JSON {
			err = out.PrintJSON(done)
		} else {
			err = out.Print(verified(done))
		}
	}
	if flushed := flush(); err == nil {
		err = flushed
	}
	var exit *cli.ExitError
	switch {
	case errors.As(err, &exit): // the results could not be written
		return err
	case errors.Is(err, fs.ErrNotExist) && crawldir.HoldsCrawl(p.verify):
		return cli.Misuse("permit: %q has no permissions.jsonl; an earlier version of politecrawl wrote this crawl", p.verify)
	case err != nil:
		return crawldir.ReadError("permit --verify", []string{p.verify}, err)
	case done.Differences > 0:
		return cli.ExitWith(cli.ExitFindings)
	}
	return nil
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
