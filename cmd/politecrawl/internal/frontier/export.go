package frontier

import (
	"github.com/spf13/cobra"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
)

func frontierExportCommand(streams *cli.Streams) *cobra.Command {
	l := &frontierList{Streams: streams, command: "frontier export", urls: true, order: byRemaining, format: cli.JSON}
	cmd := &cobra.Command{
		Use:   "export DIR",
		Short: "Write every URL of a stopped crawl as JSON lines",
		Long: `Write every URL in the frontier of a stopped crawl as a JSON object on a line of its own.
The order is the same as in "frontier ls --urls". The fields are:

    url, host
    kind            sitemap, check-head, check-get or check-read, redirect (a target that is
                    requested as it is), listing (a robots.txt, for its sitemaps);
                    omitted: a page
    owner           tells URLs of one kind apart: the number of the recrawl of a check, and
                    again-… if redirects that set cookies led back to the URL; mostly omitted
    state           pending, scheduled, done or dropped; see "frontier stats --help"
    priority        0 is fetched first
    attempts        number of failed requests
    not_before      earliest time of the next request; omitted: no wait, or no request
    etag, last_modified, body_hash
                    of the last successful response; body_hash is the base64 of the
                    8-byte hash of the body, followed by the media type of the
                    response
    meta            data of the crawler, base64

DIR is the output directory of the crawl, or the folder frontier in it. The command changes
nothing.`,
		Example: `  politecrawl frontier export example > urls.jsonl
  politecrawl frontier export example --host example.com > host.jsonl
  politecrawl frontier export example --state pending | jq -r .url`,
		Args: cli.Args(1, 1, "the output directory of a crawl"),
		RunE: func(_ *cobra.Command, args []string) error { return l.run(args[0]) },
	}
	l.filter.flags(cmd)
	return cmd
}
