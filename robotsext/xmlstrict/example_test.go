package xmlstrict_test

import (
	"fmt"
	"io"

	"github.com/politecrawl/politecrawl/robotsext/xmlstrict"
)

// Is a document well-formed, and if not, where is the fault? encoding/xml accepts this one.
func ExampleNewDecoder() {
	d := xmlstrict.NewDecoder([]byte("<feed>\n<entry id='1'lang='de'/></feed>"))
	for {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			fmt.Println(d.Position().Line, d.Position().Column, err)
			return
		}
	}
	fmt.Println("well-formed")
	// Output:
	// 2 1 XML syntax error on line 2: no white space between the attributes of <entry>
}
