package sitemap

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"
)

func encodeUTF16(order binary.AppendByteOrder, s string) (out []byte) {
	for _, c := range utf16.Encode([]rune(s)) {
		out = order.AppendUint16(out, c)
	}
	return out
}

func TestCharsets(t *testing.T) {
	doc := func(charset, path string) string {
		return `<?xml version='1.0' encoding='` + charset + `'?><urlset><url><loc>http://h.example/` + path + `</loc></url></urlset>`
	}
	tests := []struct {
		name    string
		in      string
		charset string
		want    string // behind the host; "" if the entry is lost
		tell    []Kind
	}{
		{"none declared", "<urlset><url><loc>http://h.example/ä</loc></url></urlset>", "utf-8", "%C3%A4", nil},
		{"UTF-8", doc("UTF-8", "ä"), "utf-8", "%C3%A4", nil},
		{"UTF-8 that is not", doc("UTF-8", "\xe4"), "utf-8", "", []Kind{BadLoc}},
		{"ISO-8859-1", doc("ISO-8859-1", "\xe4"), "iso-8859-1", "%C3%A4", nil},
		{"windows-1252", doc("Windows-1252", "\x80\x9f\xff"), "windows-1252", "%E2%82%AC%C5%B8%C3%BF", nil},
		{"windows-1252, no character", doc("Windows-1252", "\x81\x9d"), "windows-1252", "%C2%81%C2%9D", nil},
		{"ISO-8859-15, no character", doc("iso-8859-15", "\x80\x9f"), "iso-8859-15", "%C2%80%C2%9F", nil},
		{"ISO-8859-15", doc("iso-8859-15", "\xa4\xa6\xa8\xb4\xb8\xbc\xbd\xbe\xe4"), "iso-8859-15", "%E2%82%AC%C5%A0%C5%A1%C5%BD%C5%BE%C5%92%C5%93%C5%B8%C3%A4", nil},
		{"UTF-16, big end first", "\xfe\xff" + string(encodeUTF16(binary.BigEndian, doc("UTF-16", "ä😀"))), "utf-16be", "%C3%A4%F0%9F%98%80", nil},
		{"UTF-16, little end first", "\xff\xfe" + string(encodeUTF16(binary.LittleEndian, doc("utf-16", "ä😀"))), "utf-16le", "%C3%A4%F0%9F%98%80", nil},
		{"UTF-16 without a mark", string(encodeUTF16(binary.LittleEndian, doc("utf-16", "ä"))), "utf-16le", "%C3%A4", nil},
		{"UTF-16 without a mark, big end first", string(encodeUTF16(binary.BigEndian, doc("utf-16", "ä"))), "utf-16be", "%C3%A4", nil},
		{"half a character", "\xff\xfe" + string(encodeUTF16(binary.LittleEndian, "<urlset><url><loc>http://h.example/\x00")) + "\x00\xd8a\x00", "utf-16le", "", []Kind{Truncated}},
		{"UTF-16 declared in ASCII", doc("UTF-16", "a"), "utf-8", "a", []Kind{BadCharset}},
		{"UTF-16 declared in UTF-8", doc("utf-16le", "ä"), "utf-8", "%C3%A4", []Kind{BadCharset}},
		{"a mark and ISO-8859-1", "\uFEFF" + doc("ISO-8859-1", "ä"), "utf-8", "%C3%A4", nil},
		{"a mark and what is not known", "\uFEFF" + doc("windows-1251", "ä"), "utf-8", "%C3%A4", nil},
		{"not known, nothing lost", doc("koi8-r", "a"), "koi8-r", "a", []Kind{BadCharset}},
		{"not known", doc("koi8-r", "\xc1"), "koi8-r", "", []Kind{BadCharset, BadLoc}},
		{"white space before the declaration", " \n" + doc("ISO-8859-1", "\xe4"), "iso-8859-1", "%C3%A4", nil},
		{"a long declaration", doc("ISO-8859-1' standalone='"+strings.Repeat(" ", 800), "\xe4"), "iso-8859-1", "%C3%A4", nil},
		{"a declaration of nearly 4 KiB", doc("ISO-8859-1' standalone='"+strings.Repeat(" ", 4000), "\xe4"), "iso-8859-1", "%C3%A4", nil},
		{"a declaration of more than 4 KiB", doc("ISO-8859-1' standalone='"+strings.Repeat(" ", 4096), "\xe4"), "utf-8", "", []Kind{BadLoc}},
		{"a declaration without end", "<?xml encoding='latin1'" + strings.Repeat(" ", 2000), "utf-8", "", []Kind{Truncated}},
	}
	for _, tt := range tests {
		t.Run("ROB-SMP-13/"+tt.name, func(t *testing.T) {
			for _, r := range []io.Reader{strings.NewReader(tt.in), iotest.OneByteReader(strings.NewReader(tt.in)), bytes.NewReader(packed(t, tt.in))} {
				var s Summary
				entries, findings, _ := readAll(r, Options{OnEnd: func(end Summary) { s = end }})
				var want []string
				if tt.want != "" {
					want = []string{"http://h.example/" + tt.want}
				}
				if got := locs(entries); !slices.Equal(got, want) {
					t.Errorf("got %q, want %q", got, want)
				}
				if s.Charset != tt.charset {
					t.Errorf("charset %q, want %q", s.Charset, tt.charset)
				}
				if got := kinds(findings); !slices.Equal(got, tt.tell) {
					t.Errorf("findings %q, want %q", got, tt.tell)
				}
			}
		})
	}
}

// A reader that returns neither bytes nor an error is given up, whatever its charset.
func TestReaderWithoutProgress(t *testing.T) {
	for name, head := range map[string]string{"UTF-8": "<urlset>", "latin-1": "<?xml version='1.0' encoding='latin1'?><urlset>"} {
		t.Run(name, func(t *testing.T) {
			r := io.MultiReader(strings.NewReader(head+strings.Repeat(" ", 100_000)), stuck{})
			if _, _, err := readAll(r, Options{}); !errors.Is(err, io.ErrNoProgress) || !errors.Is(err, Unreadable) {
				t.Errorf("error %v", err)
			}
		})
	}
}
