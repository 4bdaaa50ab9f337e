// Package logging writes the log of a crawl, without secrets.
package logging

import (
	"fmt"
	"log/slog"
	"os"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/crawldir"
	"github.com/politecrawl/politecrawl/crawler/output/safejson"
	"github.com/politecrawl/politecrawl/robotsext/secret"
)

// Config has the level, format and file of a log. Its keys apply to one run, and are not
// stored with the crawl.
type Config struct {
	Format string // one of these; empty means Off
	Level  string // in the words of slog
	File   string // empty means standard error
}

// The formats.
const (
	Text = "text"
	JSON = "json"
	Off  = "off"
)

// Default returns the default configuration, which writes no log.
func Default() Config { return Config{Format: Off, Level: "info"} }

// Open returns the logger, nil if there is no log, and a function that closes it. Without a
// file the log goes to standard error, in whole lines.
func (l *Config) Open(streams *cli.Streams) (log *slog.Logger, end func(), err error) {
	end = func() {}
	switch {
	case l.Format == Off && l.File != "":
		return nil, end, cli.Misuse("log-file is %q, but log is off; add --log text or --log json", l.File)
	case l.Format == Off, l.Format == "":
		return nil, end, nil
	}
	opts := &slog.HandlerOptions{ReplaceAttr: discreet}
	var level slog.Level
	if err := level.UnmarshalText([]byte(l.Level)); err != nil {
		return nil, end, cli.Misuse("log-level: %w", err)
	}
	opts.Level = level
	out := streams.Err
	if l.File != "" {
		file, err := os.OpenFile(l.File, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
		if err != nil {
			return nil, end, cli.Misuse("log-file: %w; name a file that you can write to", cli.QuotePath(err))
		}
		to := &logFile{file: file, tell: streams.Complain}
		out, end = to, to.end
	}
	if l.Format == JSON {
		opts.ReplaceAttr = forJSON
		return slog.New(slog.NewJSONHandler(safejson.NewWriter(out), opts)), end, nil
	}
	return slog.New(slog.NewTextHandler(out, opts)), end, nil
}

// forJSON removes secrets, and writes durations as in all JSON of the program: in
// milliseconds, with _ms after the name.
func forJSON(groups []string, a slog.Attr) slog.Attr {
	if a.Value.Kind() == slog.KindDuration {
		return slog.Int64(a.Key+"_ms", a.Value.Duration().Milliseconds())
	}
	return discreet(groups, a)
}

// discreet removes secrets from an attribute or a message, because people share logs.
// It is not enough that the program logs no secrets, since URLs and errors come from
// others.
func discreet(_ []string, a slog.Attr) slog.Attr {
	if secret.IsSecret(a.Key) {
		return slog.String(a.Key, secret.Mask)
	}
	switch a.Value.Kind() {
	case slog.KindTime:
		if a.Value.Time().IsZero() {
			return slog.Attr{} // do not log a time that is not set
		}
	case slog.KindString:
		if text := a.Value.String(); text != "" {
			return slog.String(a.Key, secret.RedactLog(text))
		}
	case slog.KindAny:
		switch value := a.Value.Any().(type) {
		case nil:
			return slog.Attr{}
		case *slog.Source: // it has no text of others
		case error: // with %+v, as the handler would write it, some errors bring their stack along
			return slog.String(a.Key, secret.RedactLog(value.Error()))
		case fmt.Stringer: // JSON would not call it
			return slog.String(a.Key, secret.RedactLog(value.String()))
		default:
			text := fmt.Sprint(value)
			if clean := secret.RedactLog(text); clean != text {
				return slog.String(a.Key, clean)
			}
		}
	}
	return a
}

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
