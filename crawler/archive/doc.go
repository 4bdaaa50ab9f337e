// Package archive makes a WACZ file of the WARC files of crawls, and checks WACZ and WARC files.
//
// A WACZ file (https://specs.webrecorder.net/wacz/1.1.1/) is a ZIP file that players such as replayweb.page show
// without a server:
//
//	archive/*.warc.gz         the WARC files, not compressed again
//	indexes/index.cdx         their CDXJ lines, sorted
//	pages/pages.jsonl         the pages that a person may want to open, with their titles
//	datapackage.json          the size and the SHA-256 of each file above
//	datapackage-digest.json   the SHA-256 of datapackage.json
//
// The index leaves out responses with status 304: players would show them as empty pages, instead of the
// capture before it.
package archive
