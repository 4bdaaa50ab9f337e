package runner

import (
	"cmp"
	"errors"
	"io/fs"
	"syscall"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/crawldir"
	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/frontier/logstore"
	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// notStarted returns the error of a crawl that could not be started or resumed, with what
// to do.
func (r *Runner) notStarted(dir string, opts crawler.Options, err error) error {
	flag := "output"
	switch {
	case opts.Resume:
		flag = "resume"
	case opts.Recrawl:
		flag = "recrawl"
	}
	isNew, redis := flag == "output", RedisError(err)
	_, onDisk := errors.AsType[*fs.PathError](err)
	if short := r.exhausted(dir, err); short != nil {
		return short
	}
	switch {
	case errors.Is(err, crawler.ErrConfig):
		return cli.WithCode(cli.ExitMisuse, err)
	case crawldir.IsDamagedFrontier(dir, err):
		return crawldir.DamagedFrontier(dir, err)
	case errors.Is(err, logstore.ErrInUse) && isNew:
		return cli.Failed("%w; wait until it ends, or choose another directory with --output", err)
	case errors.Is(err, logstore.ErrInUse):
		return cli.Failed("%w; wait until it ends", err)
	case errors.Is(err, output.ErrExists) && r.NoResume:
		return cli.Misuse("--output: %w", err)
	case errors.Is(err, output.ErrExists) && crawldir.HoldsCrawl(dir):
		if _, unread := crawler.LoadConfig(dir); unread != nil && !crawldir.IsBadJSON(unread) {
			return cli.Misuse("--output: %w. That crawl cannot be resumed: %w", err, unread)
		}
		return cli.Misuse("--output: %w, or resume it: politecrawl crawl --resume %s", err, cli.ShellWord(dir))
	case errors.Is(err, output.ErrExists) && crawldir.HoldsFrontier(dir):
		return cli.Misuse("--output: %w; crawl.json is missing there; politecrawl crawl --resume %s says what to do", err, cli.ShellWord(dir))
	case errors.Is(err, output.ErrExists):
		return cli.Misuse("--output: %w; that crawl cannot be resumed without crawl.json", err)
	case errors.Is(err, redisstore.ErrNotFound):
		return cli.Failed("%w. The files of this worker are unchanged; crawl again with another --crawl-name and another --output", err)
	case redis != nil:
		return redis
	case onDisk && isNew && crawldir.Remedy(err) != "" && !errors.Is(err, syscall.EROFS):
		return cli.Failed("--output: %w; %s, or choose another directory", cli.QuotePath(err), crawldir.Remedy(err))
	case onDisk && isNew:
		return cli.Misuse("--output: %w; choose a directory that you can write to", cli.QuotePath(err))
	case onDisk:
		return cli.Misuse("--%s: %w; a crawl resumes in its own directory; make it writable", flag, cli.QuotePath(err))
	}
	return cli.Failed("%w", err)
}

// endedBy returns the error that ended the crawl in dir, with what to do.
func (r *Runner) endedBy(dir string, err error) error {
	if known := cmp.Or(RedisError(err), r.exhausted(dir, err)); known != nil {
		return known
	}
	if crawldir.IsDamagedFrontier(dir, err) {
		return crawldir.DamagedFrontier(dir, err)
	}
	return cli.Failed("%w", err)
}

// exhausted returns the error of a crawl that ran out of a resource, or nil for any other error.
func (r *Runner) exhausted(dir string, err error) error {
	remedy := crawldir.Remedy(err)
	switch {
	case remedy == "" || !crawldir.HoldsCrawl(dir):
		return nil
	case r.NoResume:
		return cli.Failed("%w; %s, and run the command again with another --output", err, remedy)
	}
	return cli.Failed("%w; %s, and resume with: politecrawl crawl --resume %s", err, remedy, cli.ShellWord(dir))
}

// redisRemedies lists errors of Redis with their remedies. Errors of settings are usage
// errors.
var redisRemedies = []struct {
	class  error
	misuse bool
	remedy string
}{
	{redisstore.ErrNoReplicas, false, "; start a replica of it, and run the command again when it is connected"},
	{redisstore.ErrUnavailable, false, "; check that the server runs and that --frontier is its address"},
	{redisstore.ErrAuthentication, false, "; set the password in " + redisstore.PasswordVariable + " or --frontier-password-file, and the user in the address"},
	{redisstore.ErrPermission, false, "; the password is correct: grant the permissions that crawler/SHARED.md lists with ACL SETUSER, for keys and channels that start with --frontier-prefix"},
	{redisstore.ErrFull, false, ": its maxmemory is used up; raise it, then resume with --resume. Nothing is lost"},
	{redisstore.ErrEviction, false, "; another policy would silently lose parts of the crawl: run CONFIG SET maxmemory-policy noeviction, or use another server"},
	{redisstore.ErrReadOnly, false, ": use the address of its master, or check its disk; then resume with --resume. Nothing is lost"},
	{redisstore.ErrNameTaken, false, ": another process has replaced it. Each worker needs its own --worker-name and --output"},
	{redisstore.ErrDeleted, false, ": it was deleted, or Redis restarted without its data (is appendonly off?)"},
	{redisstore.ErrCredentials, true, "; " + cli.FileHint},
	{redisstore.ErrAddress, true, ""},
	{redisstore.ErrTLS, false, ""},
}

// RedisError returns an error of Redis with what to do about it, or nil for any other error.
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
	return nil
}
