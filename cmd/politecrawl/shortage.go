package main

import (
	"errors"
	"strings"
	"syscall"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/crawler/output/sqlite"
)

// shortages are what a machine, or a process on it, may have run out of, and what to do
// then. Nothing of a crawl is lost by it.
var shortages = []struct {
	is     []error
	remedy string
}{
	{[]error{syscall.ENOSPC, syscall.EDQUOT, sqlite.ErrFull}, "make room on that disk"},
	{[]error{syscall.EFBIG}, "let this process write larger files (ulimit -f)"},
	{[]error{sqlite.ErrIO}, "let this process write larger files (ulimit -f), or see what is wrong with that disk"},
	{[]error{syscall.EMFILE}, "let this process have more files and connections open (ulimit -n), or give fewer --workers"},
	{[]error{syscall.ENFILE}, "have fewer files open on this machine, or raise its limit"},
	{[]error{syscall.ENOMEM, syscall.ENOBUFS}, "give this process more memory, or fewer --workers"},
	{[]error{syscall.EROFS}, "mount that file system so that it can be written"},
	{[]error{syscall.EIO}, "see what is wrong with that disk"},
}

// short tells what to do about an error that says that something has run out; empty: it
// does not say so. Some of these errors say it in words alone.
func short(err error) (remedy string) {
	for _, s := range shortages {
		for _, is := range s.is {
			if errors.Is(err, is) || strings.HasSuffix(err.Error(), ": "+is.Error()) {
				return s.remedy
			}
		}
	}
	return ""
}

// shortError is the error of a crawl in dir that has run out of something; nil: it has
// not, or there is nothing to go on with.
func shortError(dir string, err error) error {
	if err == nil || !holdsCrawl(dir) {
		return nil
	}
	remedy := short(err)
	if remedy == "" {
		return nil
	}
	return cli.Failed("%w; %s, and go on with: politecrawl crawl --resume %s", cli.WithoutPrefix(err), remedy, cli.ShellWord(dir))
}
