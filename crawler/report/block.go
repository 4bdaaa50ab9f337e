package report

import (
	"bufio"
	"compress/flate"
	"encoding/base64"
)

// writeBlock writes a block of data of the page: what write writes, compressed, as base64. No text
// of a site is markup there. A topic may have the same name.
func writeBlock(w *bufio.Writer, id string, write func(*bufio.Writer) error) error {
	_, _ = w.WriteString(`<script type="text/plain" id="block-` + id + `">`) // Flush returns the error of an earlier call
	text := base64.NewEncoder(base64.StdEncoding, w)
	compressed, err := flate.NewWriter(text, flate.DefaultCompression)
	if err != nil {
		return err
	}
	plain := bufio.NewWriter(compressed)
	if err := write(plain); err != nil {
		return err
	}
	for _, end := range []func() error{plain.Flush, compressed.Close, text.Close} {
		if err := end(); err != nil {
			return err
		}
	}
	_, err = w.WriteString("</script>\n")
	return err
}
