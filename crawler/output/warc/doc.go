// Package warc writes what a crawl asked for and was answered as WARC files, the form
// in which web archives keep, index and replay it.
//
//	opts := &crawler.Options{Formats: []output.Format{warc.Format(nil)}}
//
// # What a WARC file is
//
// A page in a list of pages says what a program made of it. An archive keeps what
// went over the wire, so that others can look at it again, with other questions. A
// WARC file (ISO 28500) is a row of records. Each has a header, like one of HTTP, and
// a block of as many bytes as the header says:
//
//	WARC/1.1
//	WARC-Type: response
//	WARC-Record-ID: <urn:uuid:92283950-ef2f-4d72-b224-f54c6ec90bb0>
//	WARC-Date: 2026-03-01T12:00:00.123456Z
//	WARC-Target-URI: https://example.com/page
//	WARC-IP-Address: 192.0.2.7
//	WARC-Payload-Digest: sha1:VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N
//	WARC-Block-Digest: sha1:ZQYHLXU6LL2UY2FYMVYWL6WISJI5CCED
//	Content-Type: application/http;msgtype=response
//	Content-Length: 50
//
//	HTTP/1.1 200 OK
//	Content-Type: text/plain
//
//	hello
//
// Behind the block stand two line ends, and then the next record. Each record is
// compressed by itself, as a member of a gzip file: the whole unpacks with gzip -d,
// and who has an index of where records begin unpacks only the one that is wanted.
//
// There are five types of records here:
//
//   - warcinfo, at the head of each file and wherever a crawl went on: who made it,
//     and how.
//   - request and response, one of each for every exchange: pages, but also
//     robots.txt, sitemaps, redirects and errors. WARC-Concurrent-To joins them.
//   - revisit instead of a response whose payload (the body, as it was sent) is there
//     already. With the profile identical-payload-digest it has the head of the
//     answer, and WARC-Refers-To names the record that has the body. With the profile
//     server-not-modified it is a 304; the record it refers to is named where this
//     crawl has made it.
//   - metadata, one for each page: the page it was found in (via), how (hopsFromSeed: L
//     for each link, a hundred at most, then R for a redirect or M for a sitemap), how
//     long it took, and the links that go out of it.
//
// # What else to know
//
// Files are crawl-00000.warc.gz and so on. The one that has reached [Options.MaxBytes]
// is the last of its exchange; the next one begins a new file.
//
// Bodies are kept as they were sent, with their Content-Encoding, but not chunked.
// HTTP/2 has no text form: its heads are written as those of HTTP/1.1, which is what
// every reader expects, and the field WARC-Protocol, h2 or h2c, says so. A body of
// which not all was read has WARC-Truncated: length, and one that its page asks not
// to keep (noindex, noarchive) has none, and WARC-Truncated: unspecified.
//
// Digests are SHA-1 in base 32, since that is what the indexes and players of the
// field compare. What tells two payloads apart here is SHA-256: a site can make two
// bodies of the same SHA-1, and must not make the second one vanish. The last 32,768
// payloads and URLs at the least are remembered, at the most twice as many, and none
// from before the process was started. One that was forgotten is written again in full.
//
// # Readers
//
// Records name WARC/1.1, the edition of 2017, and their times have microseconds. Tests
// read every record back with warcio. The bsdtar of libarchive reads no edition but 1.0.
package warc
