// Package warc writes the requests and responses of a crawl as WARC files, the format in which
// web archives store, index and replay them. It is a format of package output.
//
//	opts := &crawler.Options{Formats: []output.Format{warc.Format(nil)}}
//
// # Records
//
// A WARC file (ISO 28500) is a sequence of records. Each has a header like an HTTP
// message, and a block. Content-Length is the size of the block in bytes:
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
// Each record is a separate member of a gzip file. gzip -d unpacks the whole file; a reader
// with an index of offsets unpacks a single record.
//
// This package writes five types of records:
//
//   - warcinfo, at the start of each file and wherever a crawl resumed: the software, the operator and the
//     settings.
//   - request and response, for every exchange: pages, robots.txt, sitemaps, redirects and
//     errors. WARC-Concurrent-To links the two.
//   - revisit instead of a response whose payload (the body as sent) is already archived, by this crawl or an
//     earlier one of the directory. The profile is identical-payload-digest, or server-not-modified for a 304.
//     WARC-Refers-To, -Target-URI and -Date name the record with the payload.
//   - metadata, one for each page: via (the page where it was found), hopsFromSeed, the duration
//     of the fetch, and the links of the page. hopsFromSeed has an L for each link from a start
//     URL, at most 100. If a redirect or a sitemap led to the page, an R or M follows.
//
// Beside each file is its index in CDXJ: the place of each response and revisit.
//
// README.md describes files, bodies, digests and readers.
package warc
