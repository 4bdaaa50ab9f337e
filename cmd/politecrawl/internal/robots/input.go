package robots

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/site"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// A robotsInput reads the robots.txt files that arguments name: a URL has a
// scheme, and means the file of its origin; all else is a file.
type robotsInput struct {
	command string
	stdin   io.Reader
	site    site.Flags
	options *robotstxt.Options
}

// readRobots returns the content of a robots.txt in a file or on standard input.
func readRobots(name string, stdin io.Reader) ([]byte, error) {
	body, err := cli.ReadInput(name, stdin)
	switch {
	case err == nil:
		return body, nil
	case errors.Is(err, fs.ErrNotExist) && looksLikeSite(name):
		return nil, cli.Misuse("%w; for that of a site, write https://%s", err, name)
	}
	return nil, err
}

// looksLikeSite reports whether the name of a file that is not there may be a URL
// without its scheme.
func looksLikeSite(name string) bool {
	host, _, _ := strings.Cut(name, "/")
	return strings.Contains(host, ".") && host[0] != '.' && !strings.HasSuffix(name, ".txt") || site.IsLocal(host)
}

// read returns the ruling of an argument, always with a file: where there is no
// robots.txt, an empty one. That it cannot be reached is an error.
func (in *robotsInput) read(ctx context.Context, name string) (ruling, error) {
	if in.site.Timeout <= 0 {
		return ruling{}, cli.Misuse("%s: --timeout: %v is not a time to wait", in.command, in.site.Timeout)
	}
	if !strings.Contains(name, "://") {
		body, err := readRobots(name, in.stdin)
		if err != nil {
			return ruling{}, fmt.Errorf("%s: %w", in.command, err)
		}
		return ruling{from: name, file: robotstxt.Parse(body, in.options)}, nil
	}
	origin, err := site.ParseOrigin(name)
	if err != nil {
		return ruling{}, cli.Misuse("%s: %w", in.command, err)
	}
	source, err := fromSites(&in.site)
	if err != nil {
		return ruling{}, err
	}
	r, err := source(ctx, origin)
	switch {
	case err != nil:
		return ruling{}, err
	case r.later():
		why, code := r.unread()
		return ruling{}, cli.WithCode(code, fmt.Errorf("%s: %s %s", in.command, r.from, why))
	}
	r.file = robotstxt.Parse(r.record.Body, in.options)
	return r, nil
}
