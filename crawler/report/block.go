package report

import (
	"bufio"
	"cmp"
	"compress/flate"
	"encoding/base64"
	"io"
)

// writeBlock writes a block of data of the page: what write writes, compressed, as base64. No text
// of a site is markup there. A topic may have the same name.
func writeBlock(w io.Writer, id string, write func(io.Writer) error) error {
	_, begun := io.WriteString(w, `<script type="text/plain" id="block-`+id+`">`)
	text := base64.NewEncoder(base64.StdEncoding, w)
	compressed, err := flate.NewWriter(text, flate.DefaultCompression)
	if err != nil {
		return err
	}
	plain := bufio.NewWriter(compressed)
	err = cmp.Or(begun, write(plain), plain.Flush(), compressed.Close(), text.Close())
	_, ended := io.WriteString(w, "</script>\n")
	return cmp.Or(err, ended)
}
