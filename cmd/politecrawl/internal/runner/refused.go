package runner

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/flags"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/humanize"
	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/robotsext/guard"
)

// RefusedStarts reports start URLs at blocked addresses: as an error if the run fetched
// nothing, and otherwise as a note. The crawl in dir already allows some addresses, and can
// be resumed with more; a plan has no dir.
func (r *Runner) RefusedStarts(refused []crawler.BlockedStart, already []string, dir string, inVain bool) error {
	switch {
	case len(refused) == 0:
	case inVain:
		return cli.Failed("%s", r.refusedText(refused, already, dir))
	default:
		r.Note(r.refusedText(refused, already, dir))
	}
	return nil
}

// refusedText names the blocked start URLs, and says how to allow them.
func (r *Runner) refusedText(refused []crawler.BlockedStart, already []string, dir string) string {
	first, why := refused[0], ""
	switch flag := allowingAll(refused, already); {
	case flag == "":
	case r.NoResume:
		why = "; if that is the site you mean, run the command again with " + flag + " and another --output"
	case dir != "":
		why = "; if that is the site you mean, allow it and resume: politecrawl crawl --resume " + cli.ShellWord(dir) + " " + flag
	default:
		why = "; if that is the site you mean, allow it with " + flag
	}
	more := ""
	if n := len(refused) - 1; n > 0 {
		more = fmt.Sprintf(" (and %s more)", humanize.Count(n, "start URL"))
	}
	return fmt.Sprintf("%s is blocked: %s%s%s", first.URL, first.Reason, more, why)
}

// allowingAll returns the flag that allows the blocked start URLs and the addresses that
// are already allowed, since a flag replaces the stored value. It is empty if no start URL
// can be allowed.
func allowingAll(refused []crawler.BlockedStart, already []string) string {
	all := slices.Clone(already)
	for _, s := range refused {
		u, err := url.Parse(s.URL)
		if err != nil || !s.Addr.IsValid() {
			continue
		}
		for _, network := range guard.PrefixesFor(s.Addr, u.Hostname()) {
			if !slices.Contains(all, network) {
				all = append(all, network)
			}
		}
	}
	if len(all) == len(already) {
		return ""
	}
	return "--" + flags.AllowAddr + " " + strings.Join(all, ",")
}
