// Package report says what a crawl found: in report.html for people, in report.json
// for programs.
//
// Someone who crawls a site wants four answers. What is there? What is broken? What
// did robots.txt keep the crawl from? Do the sitemaps tell the truth? The report
// begins with these, and has the evidence below: status codes, depths and times,
// broken links with the pages that lead there, chains of redirects, the line of
// robots.txt for all that it kept away, the outages and changes of each robots.txt,
// duplicates, and what pages ask of crawlers.
//
//	r, err := report.Make([]string{"example"}, nil) // the directory of a crawl
//	…
//	err = r.WriteFiles("example")
//
// # Sitemaps against the site
//
// A sitemap is a list of what its site wants to have indexed. What it lists ought
// to be there (and be neither an error nor a redirect), ought to be allowed by
// robots.txt, ought not to ask to be left out, and ought to name no other URL as
// its canonical one. What it does not list ought not to be found by links alone, and
// the other way round. Its dates ought to lie in the past. Each [Kind] is one way in
// which a sitemap and its site disagree.
//
// A crawl that has not seen everything cannot say that no page links to a URL, so
// each kind comes with what makes it inconclusive: that the crawl was stopped, that
// it had limits, that a robots.txt or a sitemap could not be read, that the files of
// the crawl lack something. With no such reason, what is listed is all there is.
//
// # Many workers, one crawl
//
// Where several workers do one crawl, each writes a directory of its own, and [Make]
// reads them together: each page, rejection, sitemap file and robots.txt counts once,
// whichever of them has it (SCHEMA.md says which line counts where several do), and
// what one worker's sitemap lists is held against what all of them found. So the report
// says what it would say had one worker done it all. A worker that was killed has not
// written down all that it left alone; the report says so.
//
//	r, err := report.Make([]string{"w1", "w2", "w3"}, nil)
//	…
//	err = r.WriteFiles("all")
//
// # What it costs
//
// The files are read as streams, twice; of several directories the pages, and what was
// left alone, once more before that, to see what counts. Of each URL some 40 bytes are
// kept between the readings, and of each list only as many rows as it will have; the counts
// are exact all the same. A crawl of 100,000 pages with two million links takes some
// three seconds and 70 MB (BenchmarkMake); in the directories of three workers it takes
// no more memory, and some 5 % more of the processor.
//
// # What it trusts
//
// Nothing that a site wrote. Every text goes through html/template and is shown
// with its control characters escaped; and the page carries a policy that lets its
// own script and style run, known by their hashes, and nothing else load from
// anywhere. It can be opened from the disk and passed on.
package report
