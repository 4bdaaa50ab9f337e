// Package sitemap reads sitemaps, the lists of pages that a web site publishes
// for crawlers.
//
// # What a sitemap is
//
// A crawler that only follows links finds what the site links, and has to fetch
// everything to learn what is new. A sitemap tells it both at once. It is a file
// named by a "Sitemap:" line of robots.txt, and mostly looks like this
// (https://www.sitemaps.org/protocol.html):
//
//	<?xml version="1.0" encoding="UTF-8"?>
//	<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
//	  <url>
//	    <loc>https://example.com/catalog?item=12&amp;desc=hawaii</loc>
//	    <lastmod>2024-11-23</lastmod>
//	  </url>
//	</urlset>
//
// One file holds up to 50,000 entries in up to 50 MiB. A larger site publishes
// several, and a sitemapindex that lists them. Besides XML there are plain text,
// with one URL a line, and the feeds RSS 2.0 and Atom, whose items count as
// entries; each of them may be gzipped. Of an entry only its location matters.
// The date of its last change is useful where it is true; change frequency and
// priority are hints that large search engines ignore. Extensions tell of images,
// videos, news and translations.
//
// A sitemap is a hint too: that a page is listed neither allows fetching it, which
// is for robots.txt to say (ROB-SMP-23), nor makes the claim of one site about
// pages of another one true. A [Scope] tells which entries to believe.
//
// # Reading
//
// [Read] takes whatever a server sent and yields the entries one by one. It tells
// format, compression and charset by the content, since file names and content
// types lie. Sitemaps are written by all kinds of programs, so it reads on
// wherever it can: what is not usable is left out and reported as a [Finding]
// with its line. When the XML breaks, what came before has been yielded.
//
// A location is checked and put into ASCII; an element counts by its name and
// namespace in the place where it belongs, in any prefix and any case. What is
// said of the document by a DTD is not read: there are no entities but those of
// XML itself, and nothing is ever fetched.
//
// # What it costs
//
// A body may be large or made to hurt: an archive that unpacks to gigabytes, a tag
// without an end, a list without an end. Memory is bounded by a window of 64 KiB
// on the body and what one entry may hold; the rest by the limits in [Options]. A
// body that trickles in is up to its reader, whose error ends the reading; an
// entry is yielded with its last byte.
//
// The reader is a scanner of its own that finds tags and the few texts it needs,
// in place. For the largest sitemap that may be, 50,000 entries in 50 MiB with
// translations and images, an otherwise idle machine (two cores of an AMD EPYC)
// gives about
//
//	sitemap.Read                464 MB/s     9 allocations an entry
//	sitemap.Read, gzipped       413 MB/s     9
//	encoding/xml into structs    73 MB/s   175
//
// and the heap grows by less than 4 MiB, as TestMemory measures. To repeat:
//
//	go -C robotsext test -run '^$' -bench BenchmarkRead ./sitemap
//	go -C robotsext test -v -run TestMemory ./sitemap
package sitemap
