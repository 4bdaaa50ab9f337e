package output

import (
	"bytes"
	"io"
	"time"
)

// A Sink writes the results of a crawl in another format, besides the JSON Lines files. Its
// methods are not called concurrently.
//
// A crawl writes results and commits them. Then it stores their outcomes and the checkpoint in
// its frontier. After a kill it resumes at the last stored checkpoint, and fetches the URLs of
// later results again.
type Sink interface {
	// Write writes results. It must not retain r. An error ends the crawl.
	Write(r *Results) error

	// Commit saves the results written so far, so that they survive a kill of the process.
	// If power is true, they also survive a power cut. The checkpoint has at most 200 bytes;
	// Format.Open resumes from it.
	Commit(power bool) (checkpoint []byte, err error)

	// Close closes the sink. Results that are not committed may be lost. At the end of a
	// crawl it is called after the last Commit, while Crawler.Status still works.
	Close() error
}

// A Format describes an output format and opens its Sink.
type Format struct {
	// Name is the name of the format in Output.AlsoWrite. A format without a name is always
	// used. It has no checkpoint, and gets only the results of this process.
	Name string

	// Files are the names of its files in the directory of a crawl, or patterns of
	// [filepath.Match]. A new crawl fails if such a file exists. A recrawl removes them: the JSON
	// Lines files have the same results. With Exchanges they stay as they are.
	Files []string

	// Exchanges says that the Sink needs Results.Exchanges, which costs memory and time.
	Exchanges bool

	// Open opens the Sink in the directory of a crawl. With a checkpoint it removes
	// everything written after it. Without one it starts empty, and removes the files of a
	// killed process; with Exchanges it keeps all files, which are those of earlier crawls: the crawl stores
	// a first checkpoint before it writes anything.
	//
	// Open fails with [ErrIncomplete] if data before the checkpoint is missing. The crawl then
	// opens the Sink without a checkpoint and writes the results in the JSON Lines files
	// again. These files have no exchanges. So a Sink with Exchanges does not fail: it
	// resumes with the remaining data and reports the loss; see [LossReporter].
	Open func(dir string, checkpoint []byte) (Sink, error)
}

// A LossReporter is a Sink that resumes even if its files have lost data, and reports the losses.
type LossReporter interface {
	Sink

	// Lost returns the losses that Open found.
	Lost() []Loss
}

// Results are the results that a crawl writes together. Each list is in the order of events.
type Results struct {
	Pages    []*Page
	Rejected []*Rejection // final: lines of rejected.jsonl

	// Provisional are URLs that were skipped when they were found, for example because they are out
	// of scope. A later link may still lead to their fetch. If they are still skipped when the
	// crawl ends, they are in Rejected too.
	Provisional []*Rejection
	Links       []*Links
	Sitemaps    []*Sitemap
	Entries     []*Entry
	Checks      []*Check
	Anchors     []*Anchors

	Permissions []*Permission

	Robots    []*Robots
	Exchanges []*Exchange
}

// Robots is one fetch of a robots.txt, as a [Sink] receives it. A line of robots.jsonl has other
// fields; see SCHEMA.md.
type Robots struct {
	Origin    string    // scheme://host:port, without the default port of the scheme
	URL       string    // URL of the last response, after redirects
	Outcome   string    // rules, allow-all or unreachable
	Status    int       // status of the last response; 0 if no response
	Error     string    // why the fetch failed; empty if it succeeded
	FetchedAt time.Time // end of the fetch
	ExpiresAt time.Time // when the cached copy expires; zero if unreachable
	RetryAt   time.Time // time of the next fetch; zero unless unreachable
	Body      []byte    // decoded, up to the size limit; nil if there is none, or it must not be stored
}

// Exchange is a request that got a response, and the response, as they were sent. CONNECT requests to a proxy, interim
// responses and responses that are not valid HTTP are not included. If the header of a response is malformed, the
// crawl requests the URL again and accepts the second response, which is included. Over HTTP/1.1, Response and Body are
// byte for byte what was received, Body with its Content-Encoding and its chunks. HTTP/2, and what comes through a
// proxy, from Options.Transport, from local files, or before its request was sent, is written as HTTP/1.1 without
// Transfer-Encoding, with sorted fields. Fields with secrets are omitted.
type Exchange struct {
	URL       string
	StartedAt time.Time
	Duration  time.Duration // to the end of the body, or until it was aborted
	Addr      string        // IP address of the server; empty if not known, or the request went through a proxy
	Proto     string        // protocol of the response: HTTP/1.1, HTTP/2.0
	Request   []byte        // request line and headers, with the empty line after them
	Response  []byte        // status line and headers, with the empty line after them
	Status    int
	Body      Body      // nil if there is none, or it is withheld
	Truncated Truncated // why Body is incomplete; empty if it is complete
	Withheld  string    // why Body is left out, such as noindex or no-store; empty if it is included
}

// Truncated says why a body is incomplete, as WARC-Truncated does.
type Truncated string

// The values of Truncated.
const (
	TruncatedLength      Truncated = "length"      // a limit was reached, or the rest was not needed
	TruncatedTime        Truncated = "time"        // a time limit was reached
	TruncatedDisconnect  Truncated = "disconnect"  // the connection was closed
	TruncatedUnspecified Truncated = "unspecified" // the request was aborted, as at the end of a crawl
)

// A Body is the body of an exchange, in memory or in a file. It is closed when the sinks have written it.
type Body interface {
	io.ReaderAt
	Size() int64
	Close() error
}

// BytesBody is a [Body] in memory.
type BytesBody []byte

// ReadAt implements io.ReaderAt.
func (b BytesBody) ReadAt(p []byte, off int64) (int, error) { return bytes.NewReader(b).ReadAt(p, off) }

// Size returns the number of bytes.
func (b BytesBody) Size() int64 { return int64(len(b)) }

// Close does nothing.
func (BytesBody) Close() error { return nil }
