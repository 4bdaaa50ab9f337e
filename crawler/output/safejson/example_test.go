package safejson_test

import (
	"fmt"
	"os"

	"github.com/politecrawl/politecrawl/crawler/output/safejson"
)

// How do I print JSON safely on a terminal?
func ExampleEscape() {
	fmt.Printf("%q\n", safejson.Escape([]byte("{\"title\":\"\u009b2J\"}")))
	w := safejson.NewWriter(os.Stdout)
	if _, err := w.Write([]byte("{\"title\":\"\x7f\"}\n")); err != nil {
		fmt.Println(err)
	}
	// Output:
	// "{\"title\":\"\\u009b2J\"}"
	// {"title":"\u007f"}
}
