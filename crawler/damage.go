package crawler

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// readLines calls f for each line of a file of the crawl that can be read, with where it
// begins. A file that is missing has no lines.
func readLines[T any](c *Crawler, name string, f func(at int64, v *T) error) error {
	if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) { // which f may fail with, too
		return nil
	}
	return c.passOver(output.Each(name, f))
}

// checkLines reads all files of lines, to find out which of them are damaged.
func (c *Crawler) checkLines() error {
	for _, name := range slices.Sorted(maps.Keys(c.counted.Files())) {
		err := readLines(c, filepath.Join(c.cfg.Output, name), func(int64, *struct{}) error { return nil })
		if err != nil {
			return err
		}
	}
	return nil
}

// passOver returns err, unless it names damaged lines: the crawl goes on with the others,
// and says so once.
func (c *Crawler) passOver(err error) error {
	damage, ok := errors.AsType[*output.DamagedError](err)
	if !ok {
		return err
	}
	if _, told := c.damaged.LoadOrStore(damage.File, true); !told {
		loss := damage.Loss()
		c.log.Warn("file is damaged", "file", loss.File, "lines", len(damage.Lines), "error", damage.Err)
		c.notice(loss.String() + "; " + lossText(loss.File))
		c.tally.count(func(s *Summary) { s.Lost = append(s.Lost, loss) })
	}
	return nil
}

// tellRollback says that files of a crawl that came to an end are longer than the frontier
// knows: it has lost its last changes. What it does not know of is cut off the files next,
// as after a kill, and is requested again.
func (c *Crawler) tellRollback() {
	for _, file := range []struct {
		name    string
		counted int64
	}{
		{output.PagesFile, c.counted.Pages}, {output.SitemapsFile, c.counted.Sitemaps},
	} {
		info, err := os.Stat(filepath.Join(c.cfg.Output, file.name))
		if err != nil || info.Size() <= file.counted {
			continue
		}
		beyond := info.Size() - file.counted
		c.log.Warn("frontier has lost changes", "file", file.name, "bytes", beyond)
		c.notice(fmt.Sprintf("the frontier has lost its last changes: the last %d bytes of %s are cut off, and their URLs are requested again", beyond, file.name))
	}
}
