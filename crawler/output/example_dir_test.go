package output_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// How are files and frontier of a crawl brought to agree after it was killed?
func ExampleOpen() {
	dir, remove, err := exampleCrawl()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer remove()
	var counted output.Lengths // all that the frontier knows of: nothing
	lost, err := output.Lost(dir, counted.Files())
	if err != nil {
		fmt.Println(err)
		return
	}
	d, err := output.Open(dir, counted)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("lost:", len(lost), d.Close())
	for page, err := range output.Pages(dir) {
		fmt.Println("a page that does not count:", page, err)
	}
	_, err = output.Open(filepath.Dir(dir), output.Lengths{})
	fmt.Println(errors.Is(err, output.ErrNone))
	// Output:
	// lost: 0 <nil>
	// true
}

// May a crawl be begun here?
func ExampleVacant() {
	dir, remove, err := exampleCrawl()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer remove()
	fmt.Println(output.Vacant(dir + "-2"))
	fmt.Println(errors.Is(output.Vacant(dir), output.ErrExists), "for it has", output.Written(dir))
	// Output:
	// <nil>
	// true for it has pages.jsonl
}

// Where does a crawl keep what it was told to do?
func ExampleState() {
	dir, remove, err := exampleCrawl()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer remove()
	var state struct{ Began, Ended string }
	fmt.Println(output.State(dir, &state), state.Began)
	state.Ended = "tomorrow"
	fmt.Println(output.SaveState(dir, state))
	info, err := os.Stat(filepath.Join(dir, output.StateFile))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(info.Mode().Perm() == fs.FileMode(0o600)) // a proxy may have a password
	// Output:
	// <nil> today
	// <nil>
	// true
}

// How is a file of lines kept that any of its lines may be the last of?
func ExampleOpenLog() {
	dir, err := os.MkdirTemp("", "log")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	name := filepath.Join(dir, "visits.jsonl")
	if err := os.WriteFile(name, []byte("{\"url\":\"/a\"}\n{\"url\":\"/tor"), 0o600); err != nil { // killed here
		fmt.Println(err)
		return
	}
	type visit struct {
		URL string `json:"url"`
	}
	log, err := output.OpenLog(name)
	if err != nil {
		fmt.Println(err)
		return
	}
	line, err := output.Line(nil, visit{"/b"})
	if err != nil {
		fmt.Println(err)
		return
	}
	at, err := log.Append(line)
	fmt.Println(at, err, log.Close())
	err = output.Each(name, func(at int64, v *visit) error {
		fmt.Println(at, v.URL)
		if v.URL == "/b" {
			return output.BadLine(errors.New("nobody visits /b"))
		}
		return nil
	})
	fmt.Println(strings.ReplaceAll(err.Error(), dir, "."))
	// Output:
	// 13 <nil> <nil>
	// 0 /a
	// 13 /b
	// "./visits.jsonl" is damaged: line 2 cannot be read (nobody visits /b)
}

// How are rejections taken back that a new configuration would not make?
func ExampleDropRejections() {
	dir, remove, err := exampleCrawl()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer remove()
	info, err := os.Stat(filepath.Join(dir, output.RejectedFile))
	if err != nil {
		fmt.Println(err)
		return
	}
	length, err := output.DropRejections(dir, info.Size(), func(r *output.Rejection) bool { return r.Reason == output.Disallowed })
	fmt.Println(length, err)
	// Output: 0 <nil>
}

// Which files has a format of mine written in the directory of a crawl?
func ExampleFilesOf() {
	dir, err := os.MkdirTemp("", "crawl")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	for _, name := range []string{"titles.txt", "titles.1.txt", "pages.jsonl"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			fmt.Println(err)
			return
		}
	}
	fmt.Println(output.FilesOf(dir, output.Format{Name: "titles", Files: []string{"titles.txt"}}))
	// Output: [titles.txt] <nil>
}

// How are the files of a format of mine written anew, without taking away what is left of them?
func ExampleKeepLost() {
	dir, err := os.MkdirTemp("", "crawl")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	titles := output.Format{Name: "titles", Files: []string{"titles.txt"}}
	for range 2 {
		if err := os.WriteFile(filepath.Join(dir, "titles.txt"), nil, 0o600); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(output.KeepLost(dir, titles))
	}
	// Output:
	// [titles.lost-1.txt] <nil>
	// [titles.lost-2.txt] <nil>
}

// Where are the pages of the second crawl of a directory, after the third has begun?
func ExampleRotatedName() {
	fmt.Println(output.RotatedName(output.PagesFile, 2))
	// Output: pages.2.jsonl
}
