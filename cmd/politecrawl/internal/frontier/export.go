package frontier

import (
	"github.com/spf13/cobra"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
)

func frontierExportCommand(streams *cli.Streams) *cobra.Command {
	l := &frontierList{Streams: streams, command: "frontier export", urls: true, order: byLeft, format: cli.JSON}
	cmd := &cobra.Command{
		Use:   "export DIR",
		Short: "Write every URL of a stopped crawl as JSON lines",
		Long: `Write every URL in the frontier of a crawl that was stopped, one JSON object a line:
url, state (pending, scheduled, done or dropped), host, priority (0 first), attempts,
not_before (left out: now, or never again), of the last good fetch etag, last_modified
and body_hash, and meta, which is what the crawler keeps with the URL. The last two are
base64. The order is that of "frontier ls --urls".

DIR is the crawl's output directory, or the folder frontier in it. Nothing is changed.`,
		Example: `  politecrawl frontier export example > urls.jsonl
  politecrawl frontier export example --host example.com > host.jsonl
  politecrawl frontier export example --state pending | jq -r .url`,
		Args: cli.Args(1, 1, "the output directory of a crawl"),
		RunE: func(_ *cobra.Command, args []string) error { return l.run(args[0]) },
	}
	l.filter.flags(cmd)
	return cmd
}
