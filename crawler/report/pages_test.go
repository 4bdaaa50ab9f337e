package report

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var pages = flag.String("pages", "", "write the pages that crawler/browsertest/report opens into this directory")

// TestWritePages writes the pages of reports for the tests in a browser, which are in a
// module of their own, and else holds that there are such pages.
func TestWritePages(t *testing.T) {
	to := *pages
	if to == "" {
		to = t.TempDir()
	}
	for name, workers := range map[string][]*crawl{
		"big": {bigCrawl()}, "long": {longCrawl()}, "hostile": {hostileCrawl()}, "workers": bigWorkers(),
	} {
		var dirs []string
		for _, c := range workers {
			dirs = append(dirs, c.write(t))
		}
		r, err := Make(dirs, nil)
		if err == nil {
			err = r.WriteFiles(dirs[0])
		}
		if err == nil {
			err = os.Rename(filepath.Join(dirs[0], HTMLFile), filepath.Join(to, name+".html"))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// bigCrawl is everything, with more rows in some tables.
func bigCrawl() *crawl {
	c := everything()
	for i := range 20 {
		host := fmt.Sprintf("https://host-%02d.example", i)
		for page := range i + 1 {
			p := c.pages[0]
			p.Hash = ""
			p.URL = fmt.Sprintf("%s/%d/%s", host, page, strings.Repeat("long", 60))
			c.pages = append(c.pages, p)
		}
	}
	return c
}

// longCrawl has a table with more rows than are shown at first.
func longCrawl() *crawl {
	c := bigCrawl()
	for i := range 60 {
		p := c.pages[0]
		p.Hash = ""
		p.URL, p.Status = fmt.Sprintf("%s/broken/%02d", example, i), 404
		c.pages = append(c.pages, p)
	}
	return c
}

// bigWorkers are workers of one crawl, each of which ended in another way.
func bigWorkers() []*crawl {
	workers := []*crawl{bigCrawl(), hostileCrawl(), bigCrawl(), worker(func(*crawl) {})}
	workers[1].state["ended"] = Ending{hostile[0], 12}
	workers[2].state["ended"] = Ending{End: EndRunning}
	delete(workers[3].state, "ended")
	return workers
}
