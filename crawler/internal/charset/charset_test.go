package charset

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// readTests reads the public tests of the prescan, which lie beside the repository.
func readTests(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("../../../../shared/web-suites/html5lib/encoding/*.dat")
	if err != nil {
		t.Fatal(err)
	}
	tests := make(map[string]string)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for test := range strings.SplitSeq("\n"+string(text), "\n#data\n") {
			if data, name, ok := strings.Cut(test, "\n#encoding\n"); ok {
				tests[data] = strings.TrimSpace(name)
			}
		}
	}
	if len(tests) == 0 {
		if os.Getenv("CI") != "" {
			t.Fatal("the tests of html5lib are missing: ../shared/web-suites/html5lib")
		}
		t.Skip("the tests of html5lib are not here: ../shared/web-suites/html5lib")
	}
	return tests
}

// TestPublicSuite has three exceptions. They want the standard's prescan, which takes a <meta> in a
// script or a style for one. Browsers do not.
func TestPublicSuite(t *testing.T) {
	exceptions := map[string]bool{
		"<!DOCTYPE HTML>\n<script type=\"text/plain\"><meta charset=\"iso8859-2\"></script>": true,
		"<!DOCTYPE HTML>\n<style type=\"text/plain\"><meta charset=\"iso8859-2\"></style>":   true,
		"<!DOCTYPE HTML>\n<script>document.write('<meta charset=\"iso8859-2\">')</script>":   true,
	}
	for data, want := range readTests(t) {
		body := []byte(data)
		got := Determine(body, "", false)
		if _, ok := metaEncoding(body); got == UTF8 && !ok && !strings.HasPrefix(data, "\ufeff") {
			got = windows1252 // the suite does not detect UTF-8
		}
		switch equal := strings.EqualFold(got.Name(), want); {
		case exceptions[data]:
			if equal {
				t.Errorf("%q is no exception", data)
			}
			delete(exceptions, data)
		case !equal:
			t.Errorf("%q: %s, want %s", data, got.Name(), want)
		}
	}
	for data := range exceptions {
		t.Errorf("no test %q", data)
	}
}

func FuzzDecode(f *testing.F) {
	for _, name := range []string{"", "gbk", "iso-2022-jp", "utf-16le", "utf-16be", "replacement", "x-user-defined", "big5", "euc-jp"} {
		f.Add([]byte("<meta charset=shift_jis>\x81\x1b$B\xff\x00"), name, false)
		f.Add([]byte("<?xml version='1.0' encoding='euc-kr'?>\xb0\xa1"), name, true)
	}
	f.Fuzz(func(t *testing.T, body []byte, label string, xml bool) {
		before := bytes.Clone(body)
		e := Determine(body, label, xml)
		if again, ok := Lookup(e.Name()); !ok || again != e {
			t.Errorf("no encoding %q", e.Name())
		}
		if text := e.Decode(body); !utf8.Valid(text) || !bytes.Equal(before, body) {
			t.Errorf("%s decodes %q to %q", e.Name(), body, text)
		}
	})
}
