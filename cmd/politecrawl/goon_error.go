package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/frontier/pebblestore"
	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// savedError says what to do when there is no crawl to be had in dir. The flag is
// the one that names dir.
func savedError(flag, dir string, err error) error {
	above := filepath.Join(dir, "..")
	none := errors.Is(err, output.ErrNone)
	switch {
	case (none || errors.Is(err, syscall.ENOTDIR)) && exists(dir) && holdsCrawl(above):
		return cli.Misuse("--%s: %q is a part of the crawl in %q; name that directory: --%s %s", flag, dir, above, flag, cli.ShellWord(above))
	case isBadJSON(err), none && holdsFrontier(dir):
		return damagedState("--"+flag, dir, resumeCommand(flag, dir), err)
	case none:
		return cli.Misuse("--%s: %w; begin one with: politecrawl crawl URL… --output %s", flag, cli.WithoutPrefix(err), cli.ShellWord(dir))
	}
	return cli.Misuse("--%s: %w", flag, cli.WithoutPrefix(cli.QuotePath(err)))
}

// isBadJSON tells whether a file is not the JSON that it should be.
func isBadJSON(err error) bool {
	_, syntax := errors.AsType[*json.SyntaxError](err)
	_, kind := errors.AsType[*json.UnmarshalTypeError](err)
	_, moment := errors.AsType[*time.ParseError](err)
	return syntax || kind || moment || errors.Is(err, output.ErrNotUTF8)
}

// notBegun says what to do when a crawl could not be begun, or not gone on with.
func notBegun(dir string, opts crawler.Options, err error) error {
	flag := "output"
	switch {
	case opts.Resume:
		flag = "resume"
	case opts.Recrawl:
		flag = "recrawl"
	}
	isNew := flag == "output"
	_, onDisk := errors.AsType[*fs.PathError](err)
	if short := shortError(dir, err); short != nil {
		return short
	}
	switch {
	case isDamagedFrontier(dir, err):
		return damagedFrontier(dir, err)
	case errors.Is(err, pebblestore.ErrInUse) && isNew:
		return cli.Failed("%w; wait for its end, or name another directory with --output", cli.WithoutPrefix(err))
	case errors.Is(err, pebblestore.ErrInUse):
		return cli.Failed("%w; wait for its end", cli.WithoutPrefix(err))
	case errors.Is(err, output.ErrExists) && holdsCrawl(dir):
		return cli.Misuse("--output: %w, or go on with it by --resume %s", cli.WithoutPrefix(err), cli.ShellWord(dir))
	case errors.Is(err, output.ErrExists) && holdsFrontier(dir):
		return cli.Misuse("--output: %w; %s is missing there, and --resume %s says how to go on without it", cli.WithoutPrefix(err), output.StateFile, cli.ShellWord(dir))
	case errors.Is(err, output.ErrExists):
		return cli.Misuse("--output: %w; without %s that crawl cannot go on", cli.WithoutPrefix(err), output.StateFile)
	case errors.Is(err, redisstore.ErrNone):
		return cli.Failed("%w. What this worker has written stays as it is; crawl again under another name (--join), with another --output", cli.WithoutPrefix(err))
	case isOfRedis(err):
		return redisError(err)
	case onDisk && isNew && short(err) != "" && !errors.Is(err, syscall.EROFS):
		return cli.Failed("--output: %w; %s, or name another directory", cli.QuotePath(err), short(err))
	case onDisk && isNew:
		return cli.Misuse("--output: %w; name a directory that can be written", cli.QuotePath(err))
	case onDisk:
		return cli.Misuse("--%s: %w; a crawl goes on in its own directory, which must be one that can be written", flag, cli.QuotePath(err))
	}
	return cli.Failed("%w", cli.WithoutPrefix(err))
}

// holdsCrawl tells whether a crawl was begun in dir.
func holdsCrawl(dir string) bool { return exists(filepath.Join(dir, output.StateFile)) }

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}
