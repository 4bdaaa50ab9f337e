package runner

import (
	"errors"
	"io/fs"
	"syscall"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/crawldir"
	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/frontier/pebblestore"
	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore"
	"github.com/politecrawl/politecrawl/crawler/output"
)

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
	if short := crawldir.ExhaustedError(dir, err); short != nil {
		return short
	}
	switch {
	case crawldir.IsDamagedFrontier(dir, err):
		return crawldir.DamagedFrontier(dir, err)
	case errors.Is(err, pebblestore.ErrInUse) && isNew:
		return cli.Failed("%w; wait for its end, or name another directory with --output", err)
	case errors.Is(err, pebblestore.ErrInUse):
		return cli.Failed("%w; wait for its end", err)
	case errors.Is(err, output.ErrExists) && crawldir.HoldsCrawl(dir):
		return cli.Misuse("--output: %w, or go on with it by --resume %s", err, cli.ShellWord(dir))
	case errors.Is(err, output.ErrExists) && crawldir.HoldsFrontier(dir):
		return cli.Misuse("--output: %w; crawl.json is missing there, and --resume %s says how to go on without it", err, cli.ShellWord(dir))
	case errors.Is(err, output.ErrExists):
		return cli.Misuse("--output: %w; without crawl.json that crawl cannot go on", err)
	case errors.Is(err, redisstore.ErrNone):
		return cli.Failed("%w. What this worker has written stays as it is; crawl again under another name (--crawl-name), with another --output", err)
	case IsRedisError(err):
		return RedisError(err)
	case onDisk && isNew && crawldir.Remedy(err) != "" && !errors.Is(err, syscall.EROFS):
		return cli.Failed("--output: %w; %s, or name another directory", cli.QuotePath(err), crawldir.Remedy(err))
	case onDisk && isNew:
		return cli.Misuse("--output: %w; name a directory that can be written", cli.QuotePath(err))
	case onDisk:
		return cli.Misuse("--%s: %w; a crawl goes on in its own directory, which must be one that can be written", flag, cli.QuotePath(err))
	}
	return cli.Failed("%w", err)
}

// endedBy says what to do about the error that ended the crawl in dir.
func endedBy(dir string, err error) error {
	if IsRedisError(err) {
		return RedisError(err)
	}
	if short := crawldir.ExhaustedError(dir, err); short != nil {
		return short
	}
	if crawldir.IsDamagedFrontier(dir, err) {
		return crawldir.DamagedFrontier(dir, err)
	}
	return cli.Failed("%w", err)
}

// redisRemedies are the errors of Redis that a user can do something about, and what. Those
// of the settings are misuse.
var redisRemedies = []struct {
	class  error
	misuse bool
	remedy string
}{
	{redisstore.ErrUnavailable, false, "; is it running, and is --frontier its address?"},
	{redisstore.ErrRefused, false, "; give the password in the variable " + redisstore.PasswordVariable + " or with --frontier-password-file, and the user in the address"},
	{redisstore.ErrPermission, false, "; the password is right: run ACL SETUSER on the server with the permissions that crawler/SHARED.md lists, for keys and channels that begin with --frontier-prefix"},
	{redisstore.ErrFull, false, ": its maxmemory is used up; give it more, then go on with --resume. Nothing is lost"},
	{redisstore.ErrEvicts, false, ", or parts of the crawl would be lost without a word: CONFIG SET maxmemory-policy noeviction, or another server"},
	{redisstore.ErrReadOnly, false, ": name its master, or see why it cannot write to its disk; then go on with --resume. Nothing is lost"},
	{redisstore.ErrTaken, false, ": another process goes on in its place. Each needs a name (--worker-name) and an --output of its own"},
	{redisstore.ErrGone, false, ": it was deleted, or Redis came back without its data (appendonly is off?)"},
	{redisstore.ErrCredentials, true, "; " + cli.FileHint},
	{redisstore.ErrAddress, true, ""},
	{redisstore.ErrTLS, false, ""},
}

// IsRedisError tells whether RedisError knows what to do about err.
func IsRedisError(err error) bool {
	for _, r := range redisRemedies {
		if errors.Is(err, r.class) {
			return true
		}
	}
	return false
}

// RedisError returns err with what to do about Redis.
func RedisError(err error) error {
	for _, r := range redisRemedies {
		switch {
		case !errors.Is(err, r.class):
		case r.misuse:
			return cli.Misuse("--frontier: %w%s", err, r.remedy)
		default:
			return cli.Failed("%w%s", err, r.remedy)
		}
	}
	return cli.Failed("%w", err)
}
