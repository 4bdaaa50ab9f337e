package output

import "time"

// A Sink writes the results of a crawl in another format, beside the JSON Lines files. One
// goroutine uses it.
//
// A crawl writes results, commits them, and then reports the outcomes and the mark to its
// frontier. After a kill it resumes at the last mark that the frontier has, and fetches the URLs
// of later results again.
type Sink interface {
	// Write writes results. It must not retain f. An error ends the crawl.
	Write(f *Found) error

	// Commit makes the results written so far survive the end of the process, and with
	// power a power cut. Format.Open gets the mark, of at most 200 bytes, to resume here.
	Commit(power bool) (mark []byte, err error)

	// Close closes the sink. Results that are not committed may be lost. At the end of a
	// crawl it is called after the last Commit, while Crawler.Status still works.
	Close() error
}

// A Format describes an output format and opens its Sink.
type Format struct {
	// Name is the name in a configuration. A format without a name is always used, has no
	// mark, and gets the results of this process only.
	Name string

	// Files are patterns of [filepath.Match] for its files in the directory of a crawl. A
	// new crawl fails if any exist. A recrawl rotates them: pages.csv becomes pages.1.csv,
	// which the patterns must not match.
	Files []string

	// Exchanges requests Results.Exchanges too, which costs memory and time.
	Exchanges bool

	// Open opens the sink in the directory of a crawl. With a mark it truncates what was
	// written after it. Without one it starts empty, and removes what a killed process may
	// have left.
	//
	// It fails with [ErrIncomplete] if the files have less than the mark says. The crawl
	// then opens the sink without a mark, and writes all results of the JSON Lines files
	// again. It cannot do so with Exchanges: such a sink resumes with what is left, and
	// reports the rest; see [Lossy].
	Open func(dir string, mark []byte) (Sink, error)
}

// A Lossy sink can resume although its files lost data that cannot be written again.
type Lossy interface {
	Sink

	// Lost returns the losses that Open found.
	Lost() []Loss
}

// Found has the results that a crawl writes together, each list in the order of events.
type Found struct {
	Pages    []*Page
	Rejected []*Rejection // lines of rejected.jsonl

	// Skipped are URLs that are skipped where they are found, such as those out of scope. They
	// are in Rejected when the crawl ends, unless the crawl finds them in another way.
	// Withdrawn are earlier Skipped URLs that were fetched after all, or are skipped for
	// another reason since.
	Skipped, Withdrawn []*Rejection

	Links     []*Links
	Sitemaps  []*Sitemap
	Entries   []*Entry
	Robots    []*Robots
	Exchanges []*Exchange
}

// Robots is one fetch of a robots.txt.
type Robots struct {
	Origin    string    // scheme://host:port, without the default port of the scheme
	URL       string    // of the last response, after redirects
	Outcome   string    // rules, allow-all or unreachable
	Status    int       // of the last response; 0: none
	Error     string    // why the fetch failed; empty: it did not
	FetchedAt time.Time // end of the fetch
	ExpiresAt time.Time // until when it is used; zero if it is unreachable
	RetryAt   time.Time // time of the next fetch; zero unless it is unreachable
	Body      []byte    // decoded, up to the size limit; nil if there is none, or it must not be stored
}

// Exchange is a request and its response as they were sent: for a page, a robots.txt or a
// sitemap. Requests to a proxy itself are left out. Header fields of a response are sorted by
// name, in canonical spelling; headers of HTTP/2 are written as in HTTP/1.1.
type Exchange struct {
	URL      string
	Began    time.Time
	Took     time.Duration // to the end of the body, or until it was aborted
	Addr     string        // IP address of the server; empty: unknown, or a proxy's
	Proto    string        // of the response: HTTP/1.1, HTTP/2.0
	Request  []byte        // request line and headers, with the empty line
	Response []byte        // status line and headers, with the empty line; without Transfer-Encoding
	Status   int
	Body     []byte // as it was sent, Content-Encoding included, but not chunked
	Cut      bool   // Body is incomplete
	Withheld string // why Body is left out, such as noindex or no-store; empty: it is not
}
