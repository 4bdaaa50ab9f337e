package output_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// titles is a sink that writes the titles of pages to a file, one per line.
type titles struct{ file *os.File }

// titlesFormat is its format, for crawler.Options.Formats.
var titlesFormat = output.Format{Name: "titles", Files: []string{"titles.txt"}, Open: openTitles}

func openTitles(dir string, checkpoint []byte) (output.Sink, error) {
	file, err := os.OpenFile(filepath.Join(dir, "titles.txt"), os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	committed := int64(0) // without a checkpoint, the file starts empty
	if checkpoint != nil {
		if committed, err = strconv.ParseInt(string(checkpoint), 10, 64); err != nil {
			return nil, err
		}
	}
	return &titles{file}, file.Truncate(committed)
}

func (t *titles) Write(r *output.Results) error {
	for _, page := range r.Pages {
		if _, err := fmt.Fprintln(t.file, page.Title); err != nil {
			return err
		}
	}
	return nil
}

// Commit syncs only for a power cut: after a kill the operating system still has the data.
func (t *titles) Commit(power bool) (checkpoint []byte, err error) {
	if power {
		if err := t.file.Sync(); err != nil {
			return nil, err
		}
	}
	info, err := t.file.Stat()
	if err != nil {
		return nil, err
	}
	return strconv.AppendInt(nil, info.Size(), 10), nil
}

func (t *titles) Close() error { return t.file.Close() }

// How do I write a sink that survives kill -9?
func ExampleSink() {
	dir, err := os.MkdirTemp("", "sink")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	page := func(title string) *output.Results { return &output.Results{Pages: []*output.Page{{Title: title}}} }

	sink, err := titlesFormat.Open(dir, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(sink.Write(page("Home")))
	checkpoint, err := sink.Commit(false)
	fmt.Println(string(checkpoint), err)
	fmt.Println(sink.Write(page("About"))) // then the process is killed

	sink, err = titlesFormat.Open(dir, checkpoint)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(sink.Write(page("About us")), sink.Close()) // the resumed crawl requests the page again
	text, err := os.ReadFile(filepath.Join(dir, "titles.txt"))
	fmt.Printf("%s%v\n", text, err)
	// Output:
	// <nil>
	// 5 <nil>
	// <nil>
	// <nil> <nil>
	// Home
	// About us
	// <nil>
}
