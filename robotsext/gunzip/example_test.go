package gunzip_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"

	"github.com/politecrawl/politecrawl/robotsext/gunzip"
)

// How do I read a body that a line end follows?
func ExampleNewReader() {
	var body bytes.Buffer
	w := gzip.NewWriter(&body)
	fmt.Fprint(w, "User-agent: *")
	w.Close()
	body.WriteString("\r\n")

	r, err := gunzip.NewReader(&body)
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := io.ReadAll(r)
	fmt.Printf("%s %v\n", text, err)
	// Output: User-agent: * <nil>
}

// Is the data wrong, or has the connection failed?
func ExampleFault() {
	_, err := gunzip.NewReader(bytes.NewReader([]byte("User-agent: *")))
	fmt.Println(gunzip.Fault(err))
	fmt.Println(gunzip.Fault(io.ErrClosedPipe))
	// Output:
	// gzip: invalid header
	// <nil>
}
