// Package sitemap reads sitemaps, the lists of pages that a website publishes for
// crawlers.
//
// # What a sitemap is
//
// A "Sitemap:" line of robots.txt names the file. Most sitemaps look like this
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
// One file holds up to 50,000 entries in up to 50 MiB. A larger site publishes several files
// and a sitemapindex that lists them. Other formats are plain text, with one URL per line,
// and the feeds RSS 2.0 and Atom. Each may be gzipped. An entry needs only its location. The
// date of its last change is useful if it is accurate. Large search engines ignore change
// frequency and priority. Extensions list images, videos, news and translations.
//
// A sitemap is a hint. An entry does not allow a crawler to fetch the page; robots.txt does.
// A site may list only its own pages: a [Scope] decides which entries to accept.
//
// # Reading
//
// [Read] takes the body of a response and yields its entries one by one. It detects format,
// compression and charset by the content, because file names and content types are often
// wrong. It skips invalid parts and reports each as a [Finding] with its line, its column and
// what to write instead. It yields the entries before a syntax error.
//
// Read checks each location and converts it to ASCII. It recognizes an element by its name,
// namespace and position, with any prefix and in any case. It ignores a DTD, replaces only the
// predefined entities of XML, and never fetches anything.
//
// # Checking
//
// Reading is lenient: many sitemaps are not valid XML. With Options.Strict, Read also reports
// what an XML parser or the protocol rejects: the first fault of the XML, wrong namespaces, text
// between elements, unescaped URLs. It yields the same entries.
//
// # Writing
//
// A [Writer] writes a sitemap or an index. It escapes and checks locations, and says when a file
// is full.
//
// # Cost
//
// A body may be large or hostile: an archive that decompresses to gigabytes, a tag without an
// end, an endless list. Memory is limited to a window of 64 KiB and one entry, and [Options]
// defines the other limits. To limit the time, pass a reader with a timeout; an error of the
// reader ends the reading.
//
// COST.md compares Read with encoding/xml.
package sitemap
