package output

import "time"

// A Sink is another place where a crawl writes what it finds, beside the lines of
// JSON: a table, an archive, a view of what goes on. One goroutine uses it.
//
// A crawl writes what became of some URLs, commits it, and only then tells its
// frontier that they are done, together with the mark. Killed at any point, it goes
// on at the last mark that the frontier knows, and asks again for the URLs of what
// was written after it.
type Sink interface {
	// Write takes what was found. It keeps nothing of f when it returns. An
	// error ends the crawl.
	Write(f *Found) error

	// Commit returns when all that was written will outlive the process, and
	// with power the machine too. Mark, of at most 200 bytes, is what
	// Format.Open is given to go on from here.
	Commit(power bool) (mark []byte, err error)

	// Close ends the use of the sink. What was not committed may be lost. That
	// of a crawl which has ended comes when nothing changes any more, and the
	// crawl can still be asked how it is.
	Close() error
}

// A Format is a kind of sink.
type Format struct {
	// Name is what a configuration calls it. One without a name is always used,
	// and the crawl remembers no mark of it: it is given what is found by this
	// process.
	Name string

	// Files are patterns, as of [filepath.Match], of the names of its files in the
	// directory of a crawl. Where there are any no new crawl is begun, and a recrawl
	// puts them aside under its number: pages.csv becomes pages.1.csv, which the
	// pattern must not match.
	Files []string

	// Exchanges says that it wants those too, which takes memory and time.
	Exchanges bool

	// Open opens the sink of the crawl in a directory. With a mark it goes on from
	// there, and takes away what was written later. Mark nil: nothing counts, and
	// what a killed process may have left of it goes.
	//
	// The error is [ErrIncomplete] where the files lack something that the mark counts:
	// then the crawl opens the sink with a nil mark, and gives it all that the files of
	// lines have. It cannot do so with Exchanges: such a sink goes on with what is
	// there, and says what is not; see [Lossy].
	Open func(dir string, mark []byte) (Sink, error)
}

// A Lossy sink goes on although its files have lost what cannot be written again.
type Lossy interface {
	Sink

	// Lost says what that is, as it was found by Open.
	Lost() []Loss
}

// Found is what a crawl found: as much as it writes down together, each list in the
// order in which it came about.
type Found struct {
	Pages    []*Page
	Rejected []*Rejection // lines of rejected.jsonl

	// Skipped are URLs that are skipped where they are found, such as those out of scope.
	// Another way may lead to them, so that they have their line, in Rejected, when the
	// crawl ends. Withdrawn are those of them that have none, or one for another reason; they
	// come with what is written next.
	Skipped, Withdrawn []*Rejection

	Links     []*Links
	Sitemaps  []*Sitemap
	Entries   []*Entry
	Robots    []*Robots
	Exchanges []*Exchange
}

// Robots is a robots.txt that was asked for, as a sink is given it.
type Robots struct {
	Origin    string    // scheme://host:port, without the port where it is the scheme's own
	URL       string    // that the last answer came from; of redirects the last
	Outcome   string    // rules, allow-all or unreachable
	Status    int       // of the last answer; 0: none came
	Error     string    // why there was no conclusion; empty: there was one
	FetchedAt time.Time // the end of the fetch
	ExpiresAt time.Time // until when it is used; zero when it is unreachable
	RetryAt   time.Time // when it is asked for again; zero unless it is unreachable
	Body      []byte    // decoded, as far as it is read; nil where there is none, or it is not to be kept
}

// Exchange is a request and its answer as they went over the wire, whatever they were
// for: a page, a robots.txt, a sitemap. What is between the crawl and a proxy is left
// out. The fields of an answer are in the order of their names, in their usual spelling;
// heads of HTTP/2 are written as in HTTP/1.1.
type Exchange struct {
	URL      string
	Began    time.Time
	Took     time.Duration // to the end of the body, or to where it was left
	Addr     string        // the IP address that was asked; empty: not known, or it was a proxy's
	Proto    string        // of the answer: HTTP/1.1, HTTP/2.0
	Request  []byte        // its line and fields, with the empty line
	Response []byte        // its line and fields, with the empty line; without Transfer-Encoding
	Status   int
	Body     []byte // as it was sent, Content-Encoding included, but not chunked
	Cut      bool   // the body goes on behind Body
	Withheld string // what Body is left out for, such as noindex or no-store; empty: nothing
}
