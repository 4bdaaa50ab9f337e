// Package frontier has the command frontier, which shows the queue of a stopped crawl.
package frontier

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/crawldir"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/humanize"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/site"
	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/logstore"
	"github.com/politecrawl/politecrawl/robotsext"
)

// Command returns the command "frontier".
func Command(streams *cli.Streams) *cobra.Command {
	cmd := cli.Group(&cobra.Command{Use: "frontier", Short: "Show the queue of a stopped crawl"})
	cmd.AddCommand(frontierStatsCommand(streams), frontierListCommand(streams), frontierExportCommand(streams))
	return cmd
}

// viewFrontier opens the frontier of the crawl in dir, or the frontier dir itself, calls
// look, and closes it.
func viewFrontier(command, dir string, look func(*logstore.ReadOnlyStore) error) error {
	if saved, err := crawler.LoadConfig(dir); err == nil && saved.Sharing.Frontier != "" {
		return cli.Misuse("%s: the frontier of this crawl is on %s; see: politecrawl crawl status %s --frontier %s",
			command, saved.Sharing.Frontier, cli.ShellWord(saved.Sharing.CrawlName), cli.ShellWord(saved.Sharing.Frontier))
	}
	crawl := "" // the crawl of the frontier; empty if unknown
	switch below, above := filepath.Join(dir, crawldir.FrontierFolder), filepath.Join(dir, ".."); {
	case crawldir.HoldsCrawl(dir):
		crawl, dir = dir, below
	case crawldir.IsDirectory(below):
		dir = below
	case filepath.Base(dir) == crawldir.FrontierFolder && crawldir.HoldsCrawl(above):
		crawl = above
	}
	view, err := logstore.OpenReadOnly(dir)
	if err == nil {
		err = errors.Join(look(view), view.Close())
	}
	return frontierError(command, crawl, dir, err)
}

// frontierError returns an error of the frontier in dir with what to do. crawl is the
// directory of the crawl, if it is known. An ExitError is returned unchanged.
func frontierError(command, crawl, dir string, err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*cli.ExitError](err); ok {
		return err
	}
	err = fmt.Errorf("%s: %w", command, err)
	const name = "name the output directory of a crawl, or its folder " + crawldir.FrontierFolder
	switch {
	case errors.Is(err, logstore.ErrInUse):
		return cli.Failed("%w; retry when that crawl has ended", err)
	case crawl != "" && (errors.Is(err, logstore.ErrDamaged) || errors.Is(err, logstore.ErrNotFrontier) || errors.Is(err, fs.ErrNotExist)):
		return crawldir.DamagedFrontier(crawl, err)
	case errors.Is(err, logstore.ErrDamaged):
		return cli.Failed("%w; crawl again into a new directory", err)
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return cli.Misuse("%s: no directory %q; %s", command, dir, name)
	case errors.Is(err, logstore.ErrNotFrontier):
		return cli.Misuse("%w; %s", err, name)
	}
	return cli.Failed("%w", err)
}

// A urlFilter selects the URLs of a frontier by --host and --state.
type urlFilter struct {
	host  string
	state urlState

	server frontier.Host // the server that host selects; empty for all
	ports  bool          // on any port
}

// urlState is the value of --state.
type urlState string

const anyState urlState = "any"

func (f *urlFilter) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.host, "host", "", "select one host: `NAME` (all ports), name:port or a URL")
	cli.Choice(cmd, &f.state, "state", "select URLs in this state", anyState,
		urlState(logstore.Pending.String()), urlState(logstore.Scheduled.String()),
		urlState(logstore.Done.String()), urlState(logstore.Dropped.String()))
}

// prepare parses --host. A name alone selects every port; a URL or an origin selects one
// server.
func (f *urlFilter) prepare(command string) error {
	if f.host == "" {
		return nil
	}
	raw := f.host
	if !strings.Contains(raw, "://") {
		raw = "https://" + raw
	}
	u, err := site.ParseOrigin(raw)
	if err != nil {
		return cli.Misuse("%s: --host: %w", command, err)
	}
	origin, err := robotsext.OriginOf(u)
	if err != nil {
		return cli.Misuse("%s: --host: %w", command, err)
	}
	f.ports = raw != f.host && u.Port() == ""
	f.server, err = frontier.HostOf(string(origin))
	return err
}

// has reports whether h is selected.
func (f *urlFilter) has(h frontier.Host) bool {
	if f.server == "" || h == f.server {
		return true
	}
	return f.ports && strings.HasPrefix(string(h), string(f.server)+":")
}

// urls yields the selected URLs one by one, since there may be more than fit into memory. A
// host that is not in the frontier is an error.
func (f *urlFilter) urls(command string, view *logstore.ReadOnlyStore) iter.Seq2[logstore.URL, error] {
	return func(yield func(logstore.URL, error) bool) {
		found := false
		for u, err := range view.URLs() {
			if err == nil && (!f.has(u.Host) || f.state != anyState && string(f.state) != u.State.String()) {
				continue
			}
			found = true
			if !yield(u, err) || err != nil {
				return
			}
		}
		if found {
			return
		}
		if err := f.known(command, view); err != nil {
			yield(logstore.URL{}, err)
		}
	}
}

// known returns an error if the frontier does not have the host.
func (f *urlFilter) known(command string, view *logstore.ReadOnlyStore) error {
	if f.host == "" {
		return nil
	}
	for h, err := range view.Hosts() {
		if err != nil {
			return err
		}
		if f.has(h.Host) {
			return nil
		}
	}
	return cli.Misuse(`%s: --host: no host %q; "politecrawl frontier ls DIR" lists the hosts`, command, f.host)
}

// A urlOutput is a URL of a frontier as JSON.
type urlOutput struct {
	URL          string    `json:"url"`
	Kind         string    `json:"kind,omitempty"`  // empty for a page
	Owner        string    `json:"owner,omitempty"` // tells apart URLs of one kind
	State        string    `json:"state"`
	Host         string    `json:"host"`
	Priority     int       `json:"priority"` // 0 first
	Attempts     int       `json:"attempts"`
	NotBefore    time.Time `json:"not_before,omitzero"`
	ETag         string    `json:"etag,omitempty"`
	LastModified string    `json:"last_modified,omitempty"`
	BodyHash     []byte    `json:"body_hash,omitempty"`
	Meta         []byte    `json:"meta,omitempty"` // as the crawler has written it
}

func urlOutputOf(u logstore.URL) urlOutput {
	s := urlOutput{
		URL: u.URL, Kind: string(u.Kind), Owner: u.Owner, State: u.State.String(), Host: string(u.Host), Priority: int(u.Priority),
		Attempts: u.Attempts, NotBefore: u.NotBefore.UTC(), Meta: u.Meta,
	}
	if v := u.Validators; v != nil {
		s.ETag, s.LastModified, s.BodyHash = v.ETag, v.LastModified, v.BodyHash
	}
	return s
}

// fromNow returns the time until t as text.
func fromNow(t, now time.Time) string {
	if !t.After(now) {
		return "now"
	}
	return "in " + humanize.ShortDuration(t.Sub(now))
}
