package logging

import (
	"fmt"
	"os"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/crawldir"
)

// A logFile is the file of --log-file. A write error does not end the crawl, and slog
// ignores it, so the file reports the first one. The handler serializes its calls, so it
// needs no lock.
type logFile struct {
	file *os.File
	tell func(err error)
	told bool
}

// Write implements io.Writer.
func (l *logFile) Write(text []byte) (int, error) {
	n, err := l.file.Write(text)
	l.check(err)
	return n, err
}

// end closes the file. A network disk may report only then that it is full.
func (l *logFile) end() { l.check(l.file.Close()) }

func (l *logFile) check(err error) {
	if err == nil || l.told {
		return
	}
	l.told = true
	remedy := ""
	if r := crawldir.Remedy(err); r != "" {
		remedy = "; " + r
	}
	l.tell(fmt.Errorf("log-file: %w; later lines are missing from the log; the crawl continues%s", cli.QuotePath(err), remedy))
}
