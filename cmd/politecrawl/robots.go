package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// stdinName is how a command line names standard input.
const stdinName = "-"

func (p *program) robotsCommand() *cobra.Command {
	cmd := group(&cobra.Command{Use: "robots", Short: "Explain robots.txt files"})
	cmd.AddCommand(p.robotsCheckCommand(), p.robotsShowCommand())
	return cmd
}

// parseOptions is how this program reads robots.txt: as the specification says,
// and so that crawlers whose name is no product token can be asked about too.
func parseOptions() *robotstxt.Options { return &robotstxt.Options{WideTokens: true} }

// A ruling is the robots.txt that decides about a URL, and where it is from.
type ruling struct {
	from   string            // URL or name of the file
	file   *robotstxt.File   // nil: there are no rules
	record *robotsext.Record // nil: the file was given by the user
}

// later reports whether nobody knows yet what is allowed.
func (r ruling) later() bool {
	return r.record != nil && r.record.Outcome == robotsext.Unreachable
}

// A robotsSource finds the ruling of an origin.
type robotsSource func(ctx context.Context, origin *url.URL) (ruling, error)

// fromFile lets one robots.txt, read from a file or standard input, decide about
// every origin.
func fromFile(name string, stdin io.Reader) (robotsSource, error) {
	body, err := readInput(name, stdin)
	if err != nil {
		return nil, err
	}
	r := ruling{from: name, file: robotstxt.Parse(body, parseOptions())}
	return func(context.Context, *url.URL) (ruling, error) { return r, nil }, nil
}

// fromSites fetches the robots.txt of each origin, once.
func fromSites(userAgent string, timeout time.Duration) (robotsSource, error) {
	robots, err := robotsext.New(userAgent, &robotsext.Options{Timeout: timeout, Parse: parseOptions()})
	if err != nil {
		return nil, misuse("--user-agent: %w", err)
	}
	return func(ctx context.Context, origin *url.URL) (ruling, error) {
		rec, err := robots.Record(ctx, origin)
		if err != nil {
			return ruling{}, err
		}
		return ruling{from: rec.Origin.RobotsURL(), file: rec.File, record: rec}, nil
	}, nil
}

// readInput returns the content of a file or of standard input.
func readInput(name string, stdin io.Reader) ([]byte, error) {
	if name == stdinName {
		body, err := io.ReadAll(stdin)
		if err != nil {
			return nil, failed("standard input: %w", err)
		}
		return body, nil
	}
	body, err := os.ReadFile(name)
	if err != nil {
		return nil, misuse("%w; %s", err, readable)
	}
	return body, nil
}

// readable is what to do about a file that cannot be opened.
const readable = "name a file that can be read"

// originURL returns scheme, host and port of an absolute http or https URL. The
// rest of it is no business of url.Parse: rules are matched with URLs as they are
// found in pages, and those hold stray % signs and worse.
func originURL(raw string) (*url.URL, error) {
	scheme, rest, ok := strings.Cut(raw, "://")
	if !ok {
		return nil, fmt.Errorf("%q has no scheme; write it as https://%s", raw, strings.TrimLeft(raw, "/"))
	}
	if s := strings.ToLower(scheme); s != "http" && s != "https" {
		return nil, fmt.Errorf("%q: scheme %q cannot be checked; use http or https", raw, scheme)
	}
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		rest = rest[:i]
	}
	u, err := url.Parse(scheme + "://" + rest)
	if err != nil {
		if parse, ok := errors.AsType[*url.Error](err); ok {
			err = parse.Err
		}
		return nil, fmt.Errorf("%q is not a URL: %w", raw, err)
	}
	if u.Host == "" {
		return nil, fmt.Errorf("%q has no host", raw)
	}
	if _, err := robotsext.OriginOf(u); err != nil {
		return nil, fmt.Errorf("%q: %s", raw, strings.TrimPrefix(err.Error(), "robotsext: "))
	}
	return u, nil
}
