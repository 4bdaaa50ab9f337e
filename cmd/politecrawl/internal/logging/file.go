package logging

import (
	"fmt"
	"os"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/crawldir"
)

// A logFile is the file of --log-file. A log that cannot be written ends no crawl, and slog
// tells nobody of it: so the first time that is told here. Like the handler's, its calls
// come one after the other.
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

// end closes the file, which may be when a disk far away says that it had no room.
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
