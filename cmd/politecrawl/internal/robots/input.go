package robots

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"strings"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/site"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// A robotsInput reads the robots.txt files that a command is given.
type robotsInput struct {
	*cli.Streams
	command string
	site    site.Flags
	options *robotstxt.Options
	robots  *robotsext.Robots // nil until the first request
}

// newInput returns the input of a command.
func newInput(streams *cli.Streams, command string) robotsInput {
	return robotsInput{Streams: streams, command: command, options: &robotstxt.Options{}}
}

// read returns the robots.txt that an argument names. The file is empty if the site has
// none. An unreachable or blocked robots.txt is an error.
func (in *robotsInput) read(ctx context.Context, name string) (ruling, error) {
	r, err := in.open(ctx, name)
	switch {
	case err != nil:
		return r, err
	case r.later():
		why, code := r.unread()
		return r, cli.WithCode(code, fmt.Errorf("%s: %s %s", in.command, r.from, why))
	case r.file == nil:
		r.file = robotstxt.Parse(nil, in.options)
	}
	return r, nil
}

// open is like read, but returns an unreachable robots.txt without an error. An argument
// with a scheme is a URL and means the robots.txt of its origin; any other is a file.
func (in *robotsInput) open(ctx context.Context, name string) (ruling, error) {
	if !strings.Contains(name, "://") {
		r, err := in.file(name)
		if err != nil {
			return ruling{}, fmt.Errorf("%s: %w", in.command, err)
		}
		return r, nil
	}
	origin, err := site.ParseOrigin(name)
	if err != nil {
		return ruling{}, cli.Misuse("%s: %w", in.command, err)
	}
	return in.fetch(ctx, origin)
}

// file reads a robots.txt from a file or standard input.
func (in *robotsInput) file(name string) (ruling, error) {
	body, err := cli.ReadInput(name, in.In)
	switch {
	case err == nil:
		return ruling{from: name, body: body, file: robotstxt.Parse(body, in.options)}, nil
	case errors.Is(err, fs.ErrNotExist) && looksLikeSite(name):
		return ruling{}, cli.Misuse("%w; for the robots.txt of a site, write https://%s", err, name)
	}
	return ruling{}, err
}

// looksLikeSite reports whether the name of a missing file may be a URL without its scheme.
func looksLikeSite(name string) bool {
	host, _, _ := strings.Cut(name, "/")
	return strings.Contains(host, ".") && host[0] != '.' && !strings.HasSuffix(name, ".txt") || site.IsLocal(host)
}

// fetch requests the robots.txt of an origin, once.
func (in *robotsInput) fetch(ctx context.Context, origin *url.URL) (ruling, error) {
	if in.robots == nil {
		g, err := site.NewGuard(in.site.Allowed)
		if err != nil {
			return ruling{}, err
		}
		in.robots, err = robotsext.New(in.site.UserAgent, &robotsext.Options{
			Fetch: robotsext.FetchOptions{Timeout: in.site.Timeout}, Guard: g, Parse: in.options,
		})
		if err != nil {
			return ruling{}, cli.Misuse("--user-agent: %w", err)
		}
	}
	rec, err := in.robots.Record(ctx, origin)
	if err != nil {
		return ruling{}, err
	}
	return ruling{from: rec.Origin.RobotsURL(), body: rec.Body, file: rec.File, record: rec}, nil
}
