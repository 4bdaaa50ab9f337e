// Package crawler is a polite crawler of web sites, built to be read.
//
// A crawler keeps asking a site for pages, reads the links in them, and asks for
// those too. What makes it a good one is what it does besides: it asks
// robots.txt first and obeys it, for every URL and every redirect; it lets time
// pass between two requests to a host; it loses no URL, asks for none twice, and
// can say afterwards what it found, what it left alone, and why.
//
// Every URL takes the same path:
//
//	start URL ─┐
//	Sitemap ───┤  canonical form, scope, seen?     host that is due first
//	link ──────┴─► frontier.Add ──► host queue ──► frontier.Lease ─┐
//	                   ▲                                           ▼
//	                   │                              robots.Decide(ctx, u)
//	                   │                               │ first time for the origin:
//	                   │      sitemaps, delay ◄────────┤ fetch, status, parse, cache
//	                   │                               │
//	                   │          disallowed / later ◄─┴────► allowed
//	                   │                     │                  ▼
//	                   │                     │       fetch (colly; the gate checks again)
//	                   │                     │                  ▼
//	                   │                     │       X-Robots-Tag, meta robots
//	                   │   links, unless     │                  ▼
//	                   └── nofollow ◄────────┼───────────── extract
//	                                         ▼                  ▼
//	                        frontier.Finish(outcome + links)  lines of JSON, sinks
//	                        host due again = end + delay      (these first)
//
// The files follow it. seed.go puts URLs in. worker.go carries each from its lease to its
// commit: the steps in admission.go, response.go and sitemap.go only decide, the worker alone
// skips, waits, retries and commits. discovery.go and discoveries.go decide about the URLs that
// are found, crawl.go starts the workers, idle.go sees when nothing is left to do, and ending.go
// sums up.
//
// The parts are packages: internal/weburl, provenance, scope, trap, quota and politeness know
// what a step has to know, internal/fetch sends requests, internal/record writes down outcomes
// and tells the frontier, and internal/cluster has several processes work on one crawl.
//
// Who decides what:
//
//   - package robotsext: whether a URL may be asked for.
//   - package guard: which addresses may be connected to, since links, redirects,
//     sitemaps and names are chosen by strangers. It is asked at the moment of
//     connecting, for pages, sitemaps and robots.txt alike.
//   - package frontier: which URL is next, and when. It has the only clock of a
//     host, and one turn of a host is one request: to robots.txt, a sitemap or a
//     page. A redirect is not followed on the spot; its target is a URL like any
//     other.
//   - this package: which URLs belong to the crawl, and what becomes of an answer.
//
// # Use
//
//	cfg := crawler.Default()
//	cfg.URLs, cfg.Output = []string{"https://example.com/"}, "example"
//	cfg.UserAgent = "examplebot/1.0 (+https://example.com/bot)"
//	c, err := crawler.New(cfg, nil)
//	…
//	sum, err := c.Run(ctx)
//
// What it finds stands in the directory example, as lines of JSON: package output says
// in which files, and reads them back; package report makes a page of them. Who wants it
// in another form, or while the crawl runs, gives New a format, [Options.Formats]: there
// are csvout, sqlite and warc below package output, and a sink of one's own has three
// methods. One that is used first when a crawl goes on is given what the files have.
//
// While it runs, [Crawler.Status] tells how it is getting on, and [Crawler.Pause],
// [Crawler.Continue], [Crawler.Stop] and [Crawler.Abort] hold and end it; package monitor
// puts that on a web page. A [Planner] says beforehand what a crawl would do, from
// robots.txt and sitemaps alone.
//
// A crawl that has ended goes on by [Options.Resume], with the configuration that [Saved]
// returns; [Options.Recrawl] asks again for what it asked for, on condition that it has
// changed.
//
// Processes on several machines work on one crawl where Cluster.Frontier of the [Config] is
// the address of a Redis: each has its own directory, [Joined] gives it the settings of the crawl, and
// SHARED.md tells what they share. Package internal/cluster does that; all else goes by the
// frontier, as if there was one process.
//
// # What a crawl outlives
//
// A crawl may end at any moment, by kill -9 too, and goes on with [Options.Resume].
// There are several places in which something stands, and each is written before what
// relies on it:
//
//   - A robots.txt: its Sitemap lines go into the frontier, then its record goes into
//     the host's record there. Killed in between, it is asked for again.
//   - A page: what it leads to outside of the crawl goes into the journal, its lines
//     into the files, what the sinks make of it into theirs, and then the end of its
//     lease, its links, the lengths of the files and the marks of the sinks into the
//     frontier, in one write. Killed before that, the page is fetched again, and what
//     the files have beyond their lengths, and the sinks beyond their marks, is taken
//     away.
//   - A sitemap: its entries go into the frontier as they come, the end of its lease
//     after the last. Killed before, it is read again; the frontier knows each entry
//     once.
//
// The clocks of hosts stand in the frontier. A host that was ever asked is not asked
// before its delay has passed since the crawl went on, because nobody can know when
// the last request to it has ended.
//
// # What it takes from a site, at the most
//
// A crawl asks strangers, and some of them mean harm. Whatever they send, it ends, in
// bounded memory, with a line that says why; what has a key in Config can be changed.
//
//	an answer begins within first-byte-timeout, and ends within timeout    failed
//	it brings 1 KiB in each stall-timeout                                  failed
//	its head has at most 256 KiB                                           failed
//	its body is read up to max-body                                        cut_by: max-body
//	it unpacks to at most 500 times what came, beyond its first MiB        cut_by: ratio
//	it is packed in no way that was not asked for, and not twice           failed
//	a page has max-links URLs that it links to, and 16 MiB of them         cut_by: max-links, link-bytes
//	a title has 1 KiB                                                      cut
//	a field has 1 MiB, the tree for it 400,000 tags                        cut_by: field-size, …
//	a URL has max-url bytes and max-params parameters                      too-long
//	its path has 200 parts                                                 too-long
//	a part of its path stands there max-repeats times in a row             repeating
//	ten redirects follow one another                                       redirects
//	a pattern of URLs leads on and on with nothing new after trap-pages    trap
//	there are max-hosts hosts                                              hosts
//	four million URLs are left alone                                       not listed
//	a host has max-sitemaps files with max-sitemap-entries pages in all    sitemap-full
//	a robots.txt is read up to 512,000 bytes, and its rules to there       truncated, in robots.jsonl
//	cookies are not kept
//
// THREATS.md says who may want what of a crawl, and how each defence is tested.
//
// In memory that comes to some 50 MB for each worker that reads a page of 10 MiB, less
// with GOMEMLIMIT, and to 64 MiB for patterns, whatever the number of hosts.
//
// Patterns that were closed stay closed when a crawl goes on, until trap-pages is raised
// or another round begins. For the others it begins to count anew, so that a crawl which
// is killed every hour may fetch trap-pages of a trap each time. So it is with the coarse
// patterns of a host that has more than a thousand, which hold for what the others do not:
// they are closed again when it has a thousand.
//
// # The log
//
// [Options.Logger] is for whoever operates a crawl, and for their programs: messages and
// attributes keep their names. At level Info is what changes the course of the crawl:
//
//	crawl begun                     output, resume, recrawl, urls, workers, delay
//	crawl paused, crawl goes on
//	crawl ends                      reason: one of End
//	crawl ended                     reason, pages, left, hosts, took, next; at Error: error
//	robots.txt read                 host, status, outcome, next
//	robots.txt changed              host, before, outcome, status
//	host joins the crawl            host, url
//	host slowed down                host, status, delay
//	host has recovered              host, delay
//	host left alone                 host, reason (address), error
//	host sent Retry-After           host, status, next
//	URL is asked for again          url, status or error, attempt, next
//	sitemap read                    url, host, pages, sitemaps, took
//
// At Warn what somebody may want to mend, and at Error what ends the crawl:
//
//	robots.txt unreachable          host, status, error, since, next
//	guard lets almost all through   networks
//	URL left alone                  url, reason (failed), error, attempt
//	start URL refused               url, error
//	sitemap missing                 url, host, status
//	sitemap faulty                  url, host, error
//	sitemap left alone              url, host, via, line (0: its URL is too long)
//	too many sitemaps               host, limit
//	too many sitemap entries        url, host, limit
//	too many hosts                  limit
//	too many URLs left alone        limit
//	too many links                  url, links, left
//	URLs of a pattern are left alone  host, pattern, pages
//	links not read, fields not read url, error
//	file has lost lines             file, bytes (that are gone), had
//	file is damaged                 file, lines (that cannot be read), error
//	frontier has lost changes       file, bytes (that are requested again)
//	files written anew              format, error
//	leases lost                     count
//	limits are not given back       error
//	crawl fails                     error
//
// And at Debug the rest:
//
//	page fetched                    url, status, bytes, took, attempt
//	URL left alone                  url, reason, rule, line, error, attempt
//
// with what package robotsext says of each fetch of a robots.txt, and the database of its
// work. Host is an origin, such as https://example.com, where it is about a robots.txt or a
// sitemap, and else a server, such as example.com; took and delay are durations; next
// is when there will be another try. URLs stand there with their queries, without users and
// passwords: a handler that shows the log around should take out what is secret in
// queries, as that of the program does.
//
// # What it costs
//
// One host without a delay, pages of 20 KB with 30 links, robots.txt obeyed, the
// frontier on disk, a line of JSON a page; pages per second of processor time,
// medians of five rounds on two cores of an AMD EPYC, the three in one run:
//
//	this crawler                                    7,327
//	a bare loop of net/http, tokenizer and map      6,621
//	a minimal colly program                           660
//
//	BENCH_PAGES=4000 go test -run '^$' -bench Peers -benchtime 5x -cpu 1 ./crawler
//
// What it spends, by a profile of the same (-bench Site -cpuprofile): sockets and
// net/http 30 %, colly's fetch without these 10, of which io.ReadAll, which colly
// cannot be told the size for, is 7; garbage collection 15; extract.Parse 13, which was
// 50 before it passed by what is not in doubt; the frontier 8; URLs 5, which was 17
// before hosts were parsed once; the commit of outcomes 6. Tried and not worth it: reading names of
// tags without the tokenizer's help (5 to 15 % of Parse), larger reads (nothing), the
// body read past colly (8 %, at the price of its handling of encodings).
//
// Two thousand hosts of ten pages with a delay of a second, which nobody can crawl in
// less than ten seconds: 10.4 s, 4 % above that, with no gap below a second, never two
// requests at a time, one robots.txt each, and 26 KiB of memory for each host that is
// known, idle and still connected.
//
//	go test -run '^$' -bench ManyHosts -benchtime 2x ./crawler
//
// # What it holds in memory
//
// What a site can make grow has an end, or grows on the disk. There are, beside what the
// frontier says of itself:
//
//	a skipped URL                some 70 bytes, 120 with a host of its own, for at most 4
//	                             million; the rest of it is in the journal
//	a page, by its body          some 30 bytes, to tell that another has the same
//	a host                       some hundred bytes, for at most MaxHosts
//	names of hosts, addresses    those met last: 10,000, 100,000
//	origins without HTTP/2       those met last: 10,000
//	a page being worked on       its body, of MaxBody at the most, and MaxLinks URLs, each
//	                             with its line of output, in 20,000 spellings; as many at a time as Workers
//	a sitemap being read         its lines of output, one for each of 50,000 entries
//	an answer to be archived     its body until it is written, 64 MiB at the most
//	what is to be written        that of 256 URLs at a time
//
// The collector of garbage keeps to GOMEMLIMIT as well as that lets it. When there is no
// memory, no disk, no file or connection left, the crawl fails and can go on: what was
// told as done stays, and what was not is asked for again.
package crawler
