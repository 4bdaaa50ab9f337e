package warc_test

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/output/warc"
)

// What does an archive contain?
func ExampleFormat() {
	dir, err := os.MkdirTemp("", "archive")
	if err != nil {
		log.Fatal(err)
	}

	// A crawl with this format calls these methods.
	format := warc.Format(&warc.Options{Software: "example/1.0", Operator: "Jane Doe <jane@example.com>"})
	sink, err := format.Open(dir, nil)
	if err != nil {
		log.Fatal(err)
	}
	results := &output.Results{
		Exchanges: []*output.Exchange{{
			URL: "https://example.com/page", StartedAt: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), Status: 200, Proto: "HTTP/1.1",
			Request:  []byte("GET /page HTTP/1.1\r\nHost: example.com\r\n\r\n"),
			Response: []byte("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n"),
			Body:     output.BytesBody("hello"),
		}},
		Pages: []*output.Page{{URL: "https://example.com/page", Status: 200, Depth: 1, Source: "link", FoundOn: "https://example.com/"}},
	}
	if err := sink.Write(results); err != nil {
		log.Fatal(err)
	}
	if err := sink.Close(); err != nil {
		log.Fatal(err)
	}

	names, err := filepath.Glob(filepath.Join(dir, "crawl-*-00000.warc.gz"))
	if err != nil || len(names) != 1 {
		log.Fatal(names, err)
	}
	file, err := os.Open(names[0])
	if err != nil {
		log.Fatal(err)
	}
	plain, err := gzip.NewReader(file) // all records, one after the other
	if err != nil {
		log.Fatal(err)
	}
	for lines := bufio.NewScanner(plain); lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), ": ")
		switch name {
		case "WARC-Type", "WARC-Target-URI", "WARC-Payload-Digest", "operator", "via":
			fmt.Println(name, value)
		}
	}
	if err := errors.Join(file.Close(), os.RemoveAll(dir)); err != nil {
		log.Fatal(err)
	}
	// Output:
	// WARC-Type warcinfo
	// operator Jane Doe <jane@example.com>
	// WARC-Type request
	// WARC-Target-URI https://example.com/page
	// WARC-Type response
	// WARC-Target-URI https://example.com/page
	// WARC-Payload-Digest sha1:VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N
	// WARC-Type metadata
	// WARC-Target-URI https://example.com/page
	// via https://example.com/
}
