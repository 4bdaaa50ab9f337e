package archive_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/politecrawl/politecrawl/crawler/archive"
)

// writeCrawl writes a directory with a WARC file, as a crawl does.
func writeCrawl(dir, contentLength string) (warc string) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte("WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:1>\r\nWARC-Date: 2026-03-01T12:00:00Z\r\n" +
		"WARC-Target-URI: https://example.com/\r\nContent-Type: application/http\r\nContent-Length: " + contentLength + "\r\n\r\nHTTP/1.1 200 OK\r\n\r\n\r\n\r\n"))
	_ = z.Close()
	warc = filepath.Join(dir, "crawl.warc.gz")
	if err := os.WriteFile(warc, b.Bytes(), 0o600); err != nil {
		panic(err)
	}
	return warc
}

// How do I make a file that players of web archives show?
func ExamplePack() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	writeCrawl(dir, "19")

	packed, err := archive.Pack(context.Background(), filepath.Join(dir, "example.wacz"), []string{dir}, &archive.Options{Text: true})
	fmt.Println(packed.Files, "file,", packed.Records, "record,", packed.Pages, "pages,", err)
	// Output: 1 file, 1 record, 0 pages, <nil>
}

// Is a WARC file whole, and what is wrong with it?
func ExampleCheck() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	warc := writeCrawl(dir, "18")

	records, err := archive.Check(warc, func(p *archive.Problem) {
		fmt.Printf("byte %d: %s: %s\n", *p.Offset, p.RecordID, p.Error)
	})
	fmt.Println(records, "record,", err)
	// Output:
	// byte 0: <urn:uuid:1>: "\n\r\n\r\n" follows the block instead of two empty lines; Content-Length 18 may be wrong
	// 1 record, <nil>
}
