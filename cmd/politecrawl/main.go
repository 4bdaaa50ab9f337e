// Command politecrawl crawls websites politely and explains robots.txt files.
//
//	politecrawl demo                          see a polite crawl, on this machine alone
//	politecrawl crawl https://example.com/    crawl a site
//	politecrawl plan https://example.com/     what a crawl of it would do
//	politecrawl report DIR…                   what a crawl found, as a page
//	politecrawl compare OLD NEW               what changed between two crawls
//	politecrawl archive wacz DIR…             a file of the WARC files of a crawl, for players
//	politecrawl ci URL…|FOLDER                fail if a site has faults or became worse
//	politecrawl frontier stats DIR            what a stopped crawl has left to do
//	politecrawl robots check URL…             may these URLs be fetched, and by which line?
//	politecrawl robots show URL               a robots.txt as it is understood
//	politecrawl robots agents URL             which well-known crawlers may fetch what
//	politecrawl robots diff OLD NEW           which URLs have got another verdict
//	politecrawl permit URL…                   what may these pages be used for?
//	politecrawl sitemap URL                   the pages that a site lists in its sitemaps
//	politecrawl identity init URL             a key to sign requests, and the files to publish
//
// "politecrawl help" lists all commands. Results go to standard output or to files, everything else to
// standard error; "politecrawl help exit-codes" lists what the exit code says.
package main

import "github.com/politecrawl/politecrawl/cmd/politecrawl/internal/root"

func main() { root.Main() }
