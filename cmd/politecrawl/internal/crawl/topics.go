package crawl

import (
	"github.com/spf13/cobra"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/settings"
	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore"
)

// Topics returns the pages of help about crawls.
func Topics() []*cobra.Command {
	return []*cobra.Command{
		{Use: "output", Short: "What a crawl writes: files, summary, log", Long: outputTopic},
		{Use: "resume", Short: "How to stop, resume and repeat a crawl", Long: resumeTopic},
		{Use: "sharing", Short: "How to run one crawl on several machines", Long: sharingTopic},
		{Use: "network", Short: "Which addresses and proxies a crawl connects to", Long: networkTopic},
	}
}

const outputTopic = `A crawl writes these files into its --output directory:

    pages.jsonl      one line for each page
    links.jsonl      the links of each page; --links=false omits them
    rejected.jsonl   one line for each skipped URL, with the reason
    robots.jsonl     one line for each robots.txt, whose text is in robots/
    sitemaps.jsonl   one line for each sitemap
    report.html      the report, written at the end; report.json has the same data
    crawl.json       the settings and the state of the crawl

"politecrawl report DIR" writes the report of a crawl that is running or was killed.
--also-write csv,sqlite,warc writes these formats as well. --extract NAME=SELECTOR adds a
field to pages.jsonl.

The crawl prints a summary on standard output; --format json prints it as JSON. The time in
the summary is that of this run. All other numbers cover all runs since the crawl, or its
last recrawl, started.

Progress, notes and errors go to standard error. --quiet prints errors only. --log writes a
log to standard error or to --log-file. Log lines have attributes such as host, url,
status, reason, attempt, duration, next and error. In a JSON log, durations are in
milliseconds: duration_ms, delay_ms. The log contains no passwords from URLs.

--listen 127.0.0.1:8080 serves a live page, metrics for Prometheus at /metrics, and
/healthz. --listen-token, better set as ` + settings.TokenVariable + `,
protects them. --pprof adds profiles of the process.`

const resumeTopic = `The first interrupt (Ctrl-C or SIGTERM) finishes the requests in flight and stops the crawl.
The second interrupt aborts them.

"politecrawl crawl --resume DIR" resumes a crawl, however it ended, even after kill -9. It
requests no host sooner than the crawl would have. It does not retry pages that failed
after all --retries.

"politecrawl crawl --recrawl DIR" requests every URL of the previous crawl again, including
failures. It sends conditional requests, so that unchanged pages are not transferred.

Both read the settings that are stored in DIR, and no configuration file. Flags change the
stored settings permanently. The environment sets only what is not stored; "politecrawl help
settings" lists that.

A recrawl of a crawl that stopped at a limit stops at that limit again. Raise or remove it,
as with --max-pages 0. --max-time applies to each run.

With several workers, --resume and --recrawl can only change --max-pages, --max-host-pages,
--max-bytes, --max-time and --allow-addr.`

const sharingTopic = `With --frontier, several processes on any machines share one crawl through a Redis or Valkey
server:

    politecrawl crawl https://example.com/ --frontier redis://10.0.0.5 --crawl-name news --output w1
    politecrawl crawl --frontier redis://10.0.0.5 --crawl-name news --output w2

The first process starts the crawl with its settings and start URLs. Later processes join
it and use its settings. Each needs its own --output and the same --allow-addr. All workers
together obey the limits and the delay of each host.

    politecrawl crawl status news --frontier redis://10.0.0.5    shows the workers and progress
    politecrawl crawl stop news --frontier redis://10.0.0.5      stops all workers
    politecrawl crawl --resume w1                                resumes one worker
    politecrawl report w1 w2 --output all                        reports on all workers

Set the Redis password in ` + redisstore.PasswordVariable + ` or in
--frontier-password-file. The address is redis://HOST:PORT, or rediss:// for TLS, with an
ACL user as USER@HOST. Several hosts, separated by commas, are those of a Redis Cluster, or
of Sentinels with ?master=NAME.`

const networkTopic = `A crawl connects to public addresses only. It skips URLs at private, local and cloud
metadata addresses, with the reason blocked-address. This applies to links, redirects,
sitemaps and every address that a host name resolves to. --allow-addr allows an address or
a network, as in --allow-addr 127.0.0.0/8. The exit
code is 3 if a start URL is blocked and no page was fetched.

--proxy sends requests through a proxy. With several proxies, each host uses one of them. A
proxy with a password is better set as POLITECRAWL_PROXY, which other users of the
machine do not see. Without --proxy, the crawl uses HTTP_PROXY, HTTPS_PROXY and NO_PROXY,
and a note at the start says so. A proxy resolves host names itself, so the crawl cannot
check the addresses.

The user agent (--user-agent) contains a product token, here politecrawl. robots.txt rules
are chosen by this token. Name a web page or an address at which site owners reach you.`
