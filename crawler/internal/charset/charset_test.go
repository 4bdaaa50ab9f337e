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

func TestDetermine(t *testing.T) {
	const meta = "<meta charset=koi8-r>"
	long := strings.Repeat("x", 1100)
	for _, test := range []struct{ label, body, want string }{
		// A byte order mark comes first, then the label of the header.
		{"koi8-r", "\xef\xbb\xbf" + meta, "utf-8"},
		{"koi8-r", "\xff\xfe<\x00", "utf-16le"},
		{"koi8-r", "\xfe\xff\x00<", "utf-16be"},
		{"windows-1251", meta, "windows-1251"},
		{" GB2312\n", meta, "gbk"},
		{"Latin1", meta, "windows-1252"},
		{"utf-16", meta, "utf-16le"},
		{"x-user-defined", meta, "x-user-defined"},
		{"iso-2022-kr", meta, "replacement"},
		{"gb2312x", meta, "koi8-r"},
		{"utf8mb4", meta, "koi8-r"},
		{"\vutf-8", meta, "koi8-r"},
		{"\u00a0utf-8", meta, "koi8-r"},
		{"big\u212a5", meta, "koi8-r"},
		{"\u212aoi8-r", "", "windows-1252"}, // the sign for Kelvin is no k

		// Then a meta element.
		{"", meta, "koi8-r"},
		{"", "<META/CHARSET=' KOI8-R '>", "koi8-r"},
		{"", "<meta charset=gbk>\xc3\xa9", "gbk"}, // also valid UTF-8
		{"", "<meta charset=hz-gb-2312>", "replacement"},
		{"", "<meta charset=utf-16>", "utf-8"},
		{"", "<meta charset=utf-16be>", "utf-8"},
		{"", "<meta charset=x-user-defined>", "windows-1252"},
		{"", "<meta charset=klingon>" + meta, "koi8-r"},
		{"", "<meta charset=''>" + meta, "koi8-r"},
		{"", "<meta charset=\xa0utf-8>" + meta, "koi8-r"},
		{"", "<meta charset=koi8-r charset=gbk>", "koi8-r"},
		{"", "<meta charset=koi8-r", "windows-1252"},
		{"", "<meta charset=koi8-r/>", "windows-1252"},
		{"", "<metacharset=koi8-r>", "windows-1252"},
		{"", "</meta charset=koi8-r>", "windows-1252"},
		{"", "<meta http-equiv=Content-Type content='text/html; Charset=koi8-r'>", "koi8-r"},
		{"", "<meta content='text/html; charset = \"koi8-r\"x' http-equiv=content-type>", "koi8-r"},
		{"", "<meta http-equiv=content-type content='charset charset=koi8-r;x'>", "koi8-r"},
		{"", "<meta http-equiv=content-type content='charset=\"koi8-r'>", "windows-1252"},
		{"", "<meta http-equiv=content-type content='charset='>", "windows-1252"},
		{"", "<meta http-equiv=content-type content='charset=koi8-r,x'>", "windows-1252"},
		{"", "<meta http-equiv=refresh content='charset=koi8-r'>", "windows-1252"},
		{"", "<meta content='text/html; charset=koi8-r'>", "windows-1252"},
		{"", "<meta http-equiv=content-type content='charset=gbk' charset=koi8-r>", "koi8-r"},
		{"", "<meta http-equiv=content-type content='charset=gbk' charset=x>", "windows-1252"},

		// What only looks like one does not count.
		{"", "<!-- <meta charset=gbk> -->" + meta, "koi8-r"},
		{"", "<!--><meta charset=koi8-r>-->", "koi8-r"},
		{"", "<script>'<meta charset=gbk>'</script>" + meta, "koi8-r"},
		{"", "<script><!--<script></script><meta charset=gbk>--></script>" + meta, "koi8-r"},
		{"", "<style><meta charset=gbk></style>" + meta, "koi8-r"},
		{"", "<title><meta charset=gbk></title>" + meta, "koi8-r"},
		{"", "<textarea><meta charset=gbk></textarea>" + meta, "koi8-r"},
		{"", "<iframe><meta charset=gbk></iframe>" + meta, "koi8-r"},
		{"", "<plaintext>" + meta, "windows-1252"},
		{"", "<![CDATA[<meta charset=gbk>]]>" + meta, "koi8-r"},
		{"", "<?x '<meta charset=gbk>' ?>" + meta, "koi8-r"},
		{"", "<a title='<meta charset=gbk>'>" + meta, "koi8-r"},
		{"", "</a title='<meta charset=gbk>'>" + meta, "koi8-r"},
		{"", "<noscript>" + meta + "</noscript>", "koi8-r"},
		{"", "<svg>" + meta + "</svg>", "koi8-r"},
		{"", "<template>" + meta + "</template>", "koi8-r"},

		// After 1,024 bytes, the head is searched.
		{"", "<html><head><script>/*" + long + "*/</script>" + meta, "koi8-r"},
		{"", "<title>" + long + "</title><meta name=x><link><base><object></object><style></style>" + meta, "koi8-r"},
		{"", long + "<html>" + meta, "koi8-r"},
		{"", "<!--" + long + "-->" + meta, "koi8-r"},
		{"", "<noscript><!--" + long + "--></noscript>" + meta, "koi8-r"},
		{"", "<head></head><!--" + long + "-->" + meta, "windows-1252"},
		{"", "<body><!--" + long + "-->" + meta, "windows-1252"},
		{"", "<br><!--" + long + "-->" + meta, "windows-1252"},
		{"", "</p><!--" + long + "-->" + meta, "windows-1252"},
		{"", "<p>" + long[:1010] + meta, "koi8-r"}, // begins in time
		{"", "<p>" + long[:1021] + meta, "windows-1252"},
		{"", "<!--" + strings.Repeat("x", maxHead) + "-->" + meta, "windows-1252"},

		// Then the XML declaration.
		{"", "<?xml version='1.0' encoding='windows-1251'?>", "windows-1251"},
		{"", "<?xml version='1.0' encoding='windows-1251'?>" + meta, "koi8-r"},
		{"", "<?xml encoding\n=\t\"koi8-r\">", "koi8-r"},
		{"", "<?xml encoding='utf-16'?>", "utf-8"},
		{"", "<?xml encoding='koi8-r '?>", "windows-1252"},
		{"", "<?xml encoding=koi8-r?>", "windows-1252"},
		{"", "<?xml encoding='koi8-r?>'", "windows-1252"},
		{"", "<?xml version='1.0'?><x encoding='koi8-r'>", "windows-1252"},
		{"", " <?xml encoding='koi8-r'?>", "windows-1252"},
		{"", "<\x00?\x00x\x00m\x00l\x00", "utf-16le"},
		{"", "\x00<\x00?\x00x\x00m\x00l", "utf-16be"},

		// Nothing is declared.
		{"", "", "windows-1252"},
		{"", "<title>x", "windows-1252"},
		{"", "<title>é", "utf-8"},
		{"", "<title>é\xe9x", "windows-1252"},
		{"", "<title>é\xe2\x82", "utf-8"}, // cut by a limit
		{"", "é" + long + "\xe9x", "utf-8"},
		{"", long + "é", "utf-8"},
		{"", long + "é\xe9x", "windows-1252"},
		{"", strings.Repeat("é", 600)[1:] + "\xe9x", "windows-1252"},
		{"", "x" + strings.Repeat("é", 600) + "\xe9x", "utf-8"}, // the 1,024th byte is in a character
	} {
		if got := Determine([]byte(test.body), test.label, false); got.Name() != test.want {
			t.Errorf("%q, %.60q: %s, want %s", test.label, test.body, got.Name(), test.want)
		}
	}
}

func TestDetermineXML(t *testing.T) {
	const declaration = "<?xml version='1.0' encoding='windows-1251'?>"
	for _, test := range []struct{ label, body, want string }{
		{"", "<html><head><meta charset='koi8-r'/>", "utf-8"},
		{"", "<html>\xe9", "utf-8"},
		{"", declaration, "windows-1251"},
		{"koi8-r", declaration, "koi8-r"},
		{"koi8-r", "\xef\xbb\xbf" + declaration, "utf-8"},
		{"klingon", declaration, "windows-1251"},
		{"", "<?xml version='1.0' encoding='UTF-16'?>", "utf-8"},
		{"", "<?xml version='1.0' encoding='klingon'?>", "utf-8"},
		{"", "<?xml version='1.0' encoding='x-user-defined'?>", "x-user-defined"},
		{"", "\x00<\x00?\x00x\x00m\x00l", "utf-16be"},
	} {
		if got := Determine([]byte(test.body), test.label, true); got.Name() != test.want {
			t.Errorf("%q, %q: %s, want %s", test.label, test.body, got.Name(), test.want)
		}
	}
}

func TestDecode(t *testing.T) {
	for _, test := range []struct{ label, body, want string }{
		{"utf-8", "\xef\xbb\xbfé\x00", "é\x00"},
		{"utf-8", "é\xff\xe2\x82x\xf0\x9f\x98\xe2\xed\xa0\x80", "é��x�����"},
		{"utf-16le", "\xff\xfeé\x00", "\ua9c3\ufffd"},
		{"utf-16be", "\xfe\xff\xd8\x3d\xde\x00\xd8\x00\x00x", "\U0001f600\ufffdx"},
		{"iso-8859-1", "\x80\x81\xe9\x00", "€\u0081é\x00"},
		{"iso-8859-2", "\x80\xb1", "\u0080ą"},
		{"iso-8859-8-i", "\x80\xe0", "\u0080א"},
		{"windows-1253", "\x81\xaa", "\u0081\ufffd"},
		{"windows-1251", "\xcf\xf0\xe8", "При"},
		{"shift_jis", "\x93\xfa\x96{\xff", "日本\ufffd"},
		{"euc-jp", "\xc6\xfc", "日"},
		{"iso-2022-jp", "\x1b$BF|K\\\x1b(B", "日本"},
		{"euc-kr", "\xc7\xd1", "한"},
		{"big5", "\xa4\xe9", "日"},
		{"gbk", "\xd6\xd0\x80\x81\x30\x81\x30", "中€\u0080"},
		{"gb18030", "\x94\x39\xda\x33", "💩"},
		{"x-user-defined", "\xe9", "\uf7e9"},
		{"hz-gb-2312", "<p>text", "\ufffd"},
		{"hz-gb-2312", "", ""},
	} {
		e, _ := Lookup(test.label)
		if got := e.Decode([]byte(test.body)); string(got) != test.want {
			t.Errorf("%s, %q: %q, want %q", test.label, test.body, got, test.want)
		}
	}
}

func TestValidUTF8IsNotCopied(t *testing.T) {
	body := []byte("\xef\xbb\xbf<title>é</title>")
	if n := testing.AllocsPerRun(10, func() { UTF8.Decode(body) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestEncodingOfQueries(t *testing.T) {
	for label, want := range map[string]string{"utf-16": "utf-8", "unicodefffe": "utf-8", "iso-2022-kr": "utf-8", "gb2312": "gbk", "latin1": "windows-1252", "sjis": "shift_jis"} {
		e, ok := Lookup(label)
		if got := e.Output(); !ok || got.Name() != want {
			t.Errorf("%s: %s, want %s", label, got.Name(), want)
		}
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
