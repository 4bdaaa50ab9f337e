package settings

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore"
)

// Topic returns the page of help about the keys.
func Topic() *cobra.Command {
	var b strings.Builder
	b.WriteString(`Every setting of a crawl is a key of a configuration file, a variable of the
environment and a flag of "politecrawl crawl":

    max-pages: 100                     in a file of YAML (--config crawl.yaml); in
                                       TOML max-pages = 100, in JSON {"max-pages": 100}
    POLITECRAWL_MAX_PAGES=100          in the environment: in capitals, with _ for -
    politecrawl crawl --max-pages 100

A flag wins over the environment, the environment over the file, the file over the
default; "politecrawl config show" tells which value holds and where it came from. A
key or a variable that is none of these is refused. Times are written 500ms, 2s, 5m or
1h30m, and are at most 8760h, a year. In the environment the items of a list are
separated by spaces, those of extract by line ends; a flag is given once for each. What
is true by default is switched off with =false: --links=false.

A crawl keeps its settings in its directory, and --resume and --recrawl take them from
there and from flags; of the environment, only what is not kept counts then: what is
about the log, POLITECRAWL_LISTEN_TOKEN, ` + redisstore.PasswordVariable + `, and
of POLITECRAWL_PROXY the users and passwords of the proxies that the crawl has.

Where no proxy is set, those of HTTP_PROXY, HTTPS_PROXY and NO_PROXY are used, also with
--resume. What a proxy makes of a name is its own business: no guard of ours sees that
address.

The keys and their defaults:

`)
	New().keys.VisitAll(func(f *pflag.Flag) {
		_, usage := pflag.UnquoteUsage(f)
		value := f.DefValue
		if f.Value.Type() == "string" && value == "" {
			value = `""`
		}
		fmt.Fprintf(&b, "    %s: %s\n        %s\n", f.Name, value, usage)
	})
	return &cobra.Command{Use: "settings", Short: "The keys of a crawl: in a file, in the environment, as flags", Long: strings.TrimSpace(b.String())}
}
