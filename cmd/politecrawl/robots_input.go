package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// A robotsInput reads the robots.txt files that arguments name: a URL has a
// scheme, and means the file of its origin; all else is a file.
type robotsInput struct {
	command   string
	stdin     io.Reader
	userAgent string
	timeout   time.Duration
	options   *robotstxt.Options
}

func (in *robotsInput) flags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&in.userAgent, "user-agent", crawler.DefaultUserAgent, "sent when robots.txt is fetched")
	flags.DurationVar(&in.timeout, "timeout", 30*time.Second, "longest time for one robots.txt with its redirects")
}

// read returns the ruling of an argument, always with a file: where there is no
// robots.txt, an empty one. That it cannot be reached is an error.
func (in *robotsInput) read(ctx context.Context, name string) (ruling, error) {
	if in.timeout <= 0 {
		return ruling{}, misuse("%s: --timeout: %v is not a time to wait", in.command, in.timeout)
	}
	if !strings.Contains(name, "://") {
		body, err := readInput(name, in.stdin)
		if err != nil {
			return ruling{}, fmt.Errorf("%s: %w", in.command, err)
		}
		return ruling{from: name, file: robotstxt.Parse(body, in.options)}, nil
	}
	origin, err := originURL(name)
	if err != nil {
		return ruling{}, misuse("%s: %w", in.command, err)
	}
	source, err := fromSites(in.userAgent, in.timeout)
	if err != nil {
		return ruling{}, err
	}
	r, err := source(ctx, origin)
	switch {
	case err != nil:
		return ruling{}, err
	case r.later():
		return ruling{}, &exit{exitLater, fmt.Errorf("%s: %s is unreachable: %s; ask again after %s", in.command, r.from, r.reason(), moment(r.record.RetryAt))}
	}
	r.file = robotstxt.Parse(r.record.Body, in.options)
	return r, nil
}
