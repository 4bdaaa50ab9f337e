package crawl

import (
	"github.com/spf13/cobra"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/flags"
	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore"
)

// Topics returns the pages of help about crawls.
func Topics() []*cobra.Command {
	return []*cobra.Command{
		{Use: "checks", Short: "What --check requests besides pages", Long: checksTopic},
		{Use: "output", Short: "What a crawl writes: files, summary, log", Long: outputTopic},
		{Use: "resume", Short: "How to stop, resume and repeat a crawl", Long: resumeTopic},
		{Use: "sharing", Short: "How to run one crawl on several machines", Long: sharingTopic},
		{Use: "network", Short: "Which addresses and proxies a crawl connects to", Long: networkTopic},
	}
}

const checksTopic = `--check KIND also checks what pages use and link to. KIND is a list of these:

    assets       images, scripts, stylesheets, icons, media and what stylesheets use, on any host
    external     links and redirects out of the crawl, also nofollow ones
    fragments    links to #id: the id is on the page. It requests nothing
    canonical    canonical URLs that the crawl does not fetch
    hreflang     hreflang targets that the crawl does not fetch
    all          all of these

"politecrawl ci" checks all but external, unless --check says otherwise.

Each URL is requested by HEAD, and then by GET if HEAD has no success. Stylesheets, canonical
and hreflang targets are read. robots.txt, delays and --allow-addr apply as to pages.
--max-pages, --max-host-pages and --max-depth do not; --max-links, --max-hosts, --max-bytes and
--max-time do. Status 401, 402, 403, 429 and 999 mean that a URL is not verified, not that it is
broken. The results are in checks.jsonl, anchors.jsonl and the report.

--archive includes --check assets. It requests assets and frames by GET and receives them whole,
so that the pages in the WARC can be shown. checks.jsonl lists those that robots.txt disallows.`

const outputTopic = `A crawl writes these files into its --output directory. Those with lines have one for each:

    pages.jsonl       URL that was fetched, whatever the status
    rejected.jsonl    skipped URL, with the reason; some lines are written when the crawl
                      ends
    sitemaps.jsonl    sitemap file that was requested
    links.jsonl       page with links (unless links is false)
    entries.jsonl     page that a sitemap lists
    checks.jsonl      URL that was only checked, or that a page of an archive needs (with
                      check or archive)
    anchors.jsonl     HTML page whose ids are known (with check: fragments)
    permissions.jsonl page with status 2xx or 304: what it may be used for, and every
                      statement that says so
    robots.jsonl      request for a robots.txt
    robots/           the latest version of each robots.txt; in robots/versions/, each
                      version of a robots.txt and tdmrep.json that applied
    crawl.json        the settings, and how the crawl ended
    report.html       what the crawl found, for people (when it ends)
    report.json       the same for programs (when it ends)
    frontier/         the URLs to fetch, for --resume
    journal.jsonl     skipped URLs and other state, for --resume

A URL is skipped if it is not requested, or if no request gets a complete response. JSON
fields and file names call skipped URLs "rejected". "politecrawl frontier" calls a URL
"dropped" if it was skipped after it was queued.

A recrawl renames the files of the previous crawl: the first one pages.jsonl to pages.1.jsonl,
the second one to pages.2.jsonl, and so on. The highest number is the previous crawl. Tables
(CSV, SQLite) are replaced. WARC files keep their names; a recrawl starts new ones. Of the crawls
before the previous one, it keeps only the pages and the WARC files.
"politecrawl report DIR" writes the report of a crawl that is running or was killed.
--also-write csv,sqlite,warc also writes pages.csv and so on, crawl.sqlite, and
crawl-TIME-LETTERS-00000.warc.gz and so on, each with its index (.cdxj). --archive writes WARC
too, and requests what pages need to be shown ("politecrawl help checks"). --extract
NAME=SELECTOR adds a field to pages.jsonl.

The crawl prints a summary on standard output; --format json prints it as JSON. The
duration in the summary is for this run. All other numbers cover all runs since the
start of the crawl or of its last recrawl.

Progress, notes and errors go to standard error. --quiet prints errors only. --log writes a
log to standard error or to --log-file. Log lines have attributes such as host, url,
status, reason, attempt, duration, next and error. In a JSON log, durations are in
milliseconds: duration_ms, delay_ms. The log contains no passwords from URLs.

--listen 127.0.0.1:8080 serves a live page, metrics for Prometheus at /metrics, and
/healthz. If you set a token (` + flags.TokenVariable + ` or --listen-token), all of
them except /healthz require it. You need a token if other machines can reach the address,
or if scripts pause, resume or stop the crawl. --pprof also serves profiles of the process.`

const resumeTopic = `The first interrupt (Ctrl-C or SIGTERM) finishes the requests in flight and stops the crawl.
The second interrupt aborts them.

"politecrawl crawl --resume DIR" resumes a crawl, however it ended, even after kill -9. It
waits for the delay of each host, as if the crawl had not stopped. It does not retry pages
that failed after all --retries.

"politecrawl crawl URL --output DIR --continue" resumes the crawl in DIR if there is one, and
otherwise starts it: one command for a unit or a container. A crawl that is finished ends at
once with exit code 0. Flags, the environment and --config change the stored settings; settings
that none of them has stay. Start URLs that the crawl does not have are refused.

"politecrawl crawl --recrawl DIR" requests every URL of the previous crawl again, including
failures. It sends conditional requests, so that unchanged pages are not transferred; they
keep what is known about them. --keep-generations N removes the pages of older crawls.

--resume and --recrawl read the settings that are stored in DIR, and no configuration file. Flags
change the stored settings permanently. The environment sets only what is not stored:
"politecrawl help settings" lists that.

A recrawl of a crawl that stopped at a limit stops at that limit again. Raise or remove it,
as with --max-pages 0. --max-time applies to each run.

In a shared crawl, --resume and --recrawl can change only --max-pages, --max-host-pages,
--max-bytes, --max-time and --allow-addr.`

const sharingTopic = `With --frontier, several processes on any machines share one crawl through a Redis or
Valkey server:

    politecrawl crawl https://example.com/ --frontier redis://10.0.0.5 --crawl-name news --output w1
    politecrawl crawl --frontier redis://10.0.0.5 --crawl-name news --output w2

The first process starts the crawl with its settings and start URLs. Later processes join
it and use its settings. Each process is a worker. It needs its own --output, and the same
--allow-addr as the others. The limits, and the delay of each host, apply to all workers
together.

    politecrawl crawl status news --frontier redis://10.0.0.5    shows the workers and progress
    politecrawl crawl stop news --frontier redis://10.0.0.5      stops all workers
    politecrawl crawl delete news --frontier redis://10.0.0.5    deletes the crawl from Redis
    politecrawl crawl --resume w1                                resumes one worker
    politecrawl report w1 w2 --output all                        reports on all workers

Set the Redis password in ` + redisstore.PasswordVariable + ` or in
--frontier-password-file. The address is redis://HOST:PORT, or rediss://HOST:PORT for TLS.
redis://USER@HOST:PORT names an ACL user. For Redis Cluster, list several hosts separated
by commas. For Sentinel, list the Sentinels and add ?master=NAME.`

const networkTopic = `A crawl connects to public addresses only. It skips URLs at private, local and cloud
metadata addresses, with the reason blocked-address. This applies to links, redirects,
sitemaps and every address that a host name resolves to. --allow-addr allows an address or
a network, as in --allow-addr 127.0.0.0/8. The exit code is 3 if a start URL is blocked and
no page was fetched.

--proxy sends requests through a proxy. With several proxies, each host uses one of them.
If the proxy has a password, set it in POLITECRAWL_PROXY: other users of the machine can
see flags. Without --proxy, the crawl uses HTTP_PROXY, HTTPS_PROXY and NO_PROXY, and prints
a note at the start. A proxy resolves host names itself, so the crawl cannot check the
addresses.

--header, --netrc, --cookie-file and --cookies send header fields, passwords and cookies to
the origins of the start URLs: the same scheme, host and port. A user and password in a
start URL, or in --basic-auth, go to the origin of that URL. --header-for names the origin
of a header field. No other origin gets any of them, wherever a redirect, link or sitemap
leads. robots.txt is requested without passwords and cookies. Cookies that --cookies keeps
are lost when the process ends. In a shared crawl, use --header-for, --basic-auth and
--cookies, and give them to each process: other processes can add start URLs.

The user agent (--user-agent) contains a product token, by default politecrawl. This token
selects the group of robots.txt that applies. The user agent should also contain the URL of
a web page or an email address, so that site owners can reach you. --contact EMAIL sends
the address as From with every request.

--identity DIR signs every request, so that sites can tell the crawl from someone who copies
its user agent; "politecrawl identity init" makes DIR. The crawl takes the user agent and the
contact from the identity, unless you set them. --check-dns checks at the start whether the
public addresses of this machine have names under the domain of the identity that resolve
back to them. It prints what is wrong, and the crawl continues.`
