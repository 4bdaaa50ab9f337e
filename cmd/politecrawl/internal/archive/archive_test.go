package archive

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
	"github.com/politecrawl/politecrawl/crawler/archive"
)

var (
	program = clitest.Only(Command)
	run     = program.Run
)

func TestMain(m *testing.M) { program.Main(m) }

// record is a record without a problem.
const record = "WARC/1.1\r\nWARC-Type: warcinfo\r\nWARC-Record-ID: <urn:uuid:1>\r\nWARC-Date: 2026-03-01T12:00:00Z\r\nContent-Length: 4\r\n\r\na: b\r\n\r\n"

// writeWARC writes a WARC file with records.
func writeWARC(t *testing.T, name string, records ...string) string {
	t.Helper()
	var b bytes.Buffer
	for _, text := range records {
		z := gzip.NewWriter(&b)
		_, _ = z.Write([]byte(text))
		_ = z.Close()
	}
	return clitest.WriteFile(t, name, b.String())
}

func TestCheck(t *testing.T) {
	good := writeWARC(t, "good.warc.gz", record, record)
	bad := writeWARC(t, "bad.warc.gz", strings.Replace(record, "4", "3", 1), strings.Replace(record, "<urn:uuid:1>", "<\x1b[31m>", 1), record[:len(record)-2])
	const problems = `: byte 0: <urn:uuid:1>: "b\r\n\r\n" follows the block instead of two empty lines; Content-Length 3 may be wrong` + "\n"
	for name, tt := range map[string]struct {
		args   []string
		code   int
		out    string
		stderr string
	}{
		"good":    {[]string{good}, cli.ExitDone, "", "2 records in 1 file, 0 problems\n"},
		"bad":     {[]string{good, bad}, cli.ExitFindings, bad + problems, "5 records in 2 files, 3 problems\n"},
		"json":    {[]string{bad, "--format", "json"}, cli.ExitFindings, `{"file":"` + bad + `","offset":0,"record_id":"<urn:uuid:1>","error":"`, ""},
		"no file": {[]string{good, good + "x"}, cli.ExitMisuse, "", "archive check: open \"" + good + "x\": no such file or directory\n2 records in 1 file, 0 problems\n"},
		"no WARC": {[]string{clitest.WriteFile(t, "text", "text")}, cli.ExitMisuse, "", "neither .wacz nor .warc.gz\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got := run(t, append([]string{"archive", "check"}, tt.args...)...)
			if got.Code != tt.code || !strings.HasPrefix(got.Out, tt.out) || tt.out == "" && got.Out != "" || !strings.Contains(got.Stderr, tt.stderr) || strings.Contains(got.Out, "\x1b") {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestWACZ(t *testing.T) {
	dir, other := filepath.Dir(writeWARC(t, "a.warc.gz", record)), filepath.Dir(writeWARC(t, "b.warc.gz", record))
	got := run(t, "archive", "wacz", dir)
	if want := dir + ".wacz: 1 WARC file, 0 indexed records, 0 pages\n"; got.Code != cli.ExitDone || got.Out != want {
		t.Errorf("%+v", got)
	}
	to := filepath.Join(t.TempDir(), "all.wacz")
	got = run(t, "archive", "wacz", dir, other, "--output", to, "--format", "json")
	if p := clitest.JSON[archive.Packed](t, got.Out); got.Code != cli.ExitDone || p != (archive.Packed{File: to, Files: 2}) {
		t.Errorf("%+v", got)
	}
	if got := run(t, "archive", "check", dir+".wacz", to); got.Code != cli.ExitDone || got.Out != "" {
		t.Errorf("%+v", got)
	}
}

func TestRefusals(t *testing.T) {
	dir, same := filepath.Dir(writeWARC(t, "a.warc.gz", record)), filepath.Dir(writeWARC(t, "a.warc.gz", record))
	cut := writeWARC(t, "b.warc.gz", record)
	clitest.OK(t, os.Truncate(cut, 50))
	for name, tt := range map[string]struct {
		args  []string
		code  int
		words []string
	}{
		"several directories": {[]string{dir, same}, cli.ExitMisuse, []string{"name the file with --output FILE.wacz"}},
		"no directory":        {[]string{dir + "x"}, cli.ExitMisuse, []string{"no directory", "name the output directory of a crawl"}},
		"no WARC files":       {[]string{t.TempDir()}, cli.ExitMisuse, []string{"no WARC files; crawl with --also-write warc"}},
		"same names":          {[]string{dir, same, "--output", filepath.Join(t.TempDir(), "a.wacz")}, cli.ExitFailed, []string{"have the same name; package each directory alone"}},
		"no name":             {[]string{".."}, cli.ExitMisuse, []string{"name the file with --output FILE.wacz"}},
		"no WACZ":             {[]string{dir, "--output", filepath.Join(dir, "a.warc.gz")}, cli.ExitMisuse, []string{"name the file with --output FILE.wacz"}},
		"cut":                 {[]string{filepath.Dir(cut)}, cli.ExitFailed, []string{"record at byte 0: unexpected EOF", "politecrawl crawl --resume DIR"}},
		"output":              {[]string{dir, "--output", filepath.Join(dir, "missing", "a.wacz")}, cli.ExitMisuse, []string{"a.wacz", "no such file or directory"}},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, append([]string{"archive", "wacz"}, tt.args...)...).WantRefusal(t, tt.code, tt.words...)
		})
	}
}
