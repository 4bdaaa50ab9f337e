package crawldir

import (
	"errors"
	"strings"
	"syscall"

	"github.com/politecrawl/politecrawl/crawler/output/sqlite"
)

// exhaustions are the resources that a machine or a process may run out of, and what to do
// then. The crawl loses nothing.
var exhaustions = []struct {
	is     []error
	remedy string
}{
	{[]error{syscall.ENOSPC, syscall.EDQUOT, sqlite.ErrFull}, "free space on that disk"},
	{[]error{syscall.EFBIG}, "allow larger files (ulimit -f)"},
	{[]error{sqlite.ErrIO}, "allow larger files (ulimit -f), or check that disk"},
	{[]error{syscall.EMFILE}, "allow more open files (ulimit -n), or use a smaller --concurrency"},
	{[]error{syscall.ENFILE}, "close files on this machine, or raise its limit"},
	{[]error{syscall.ENOMEM, syscall.ENOBUFS}, "give this process more memory, or use a smaller --concurrency"},
	{[]error{syscall.EROFS}, "mount that file system with write access"},
	{[]error{syscall.EIO}, "check that disk"},
}

// Remedy says what to do about an error of resource exhaustion. It returns an empty string for
// any other error. It recognizes some of these errors only by their text.
func Remedy(err error) (remedy string) {
	for _, s := range exhaustions {
		for _, is := range s.is {
			if errors.Is(err, is) || strings.HasSuffix(err.Error(), ": "+is.Error()) {
				return s.remedy
			}
		}
	}
	return ""
}
