package runner

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/output/sqlite"
)

// The exhausted resource is known from the type of the error or, for a DNS lookup, from its
// text.
func TestExhausted(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "crawl.json"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	lookup := func(err error) error {
		return &net.DNSError{Err: "dial udp 127.0.0.1:53: socket: " + err.Error(), Name: "a.test"}
	}
	for _, tt := range []struct {
		err    error
		remedy string // empty if no resource is exhausted
	}{
		{lookup(syscall.EMFILE), "ulimit -n"},
		{fmt.Errorf("crawler: dial tcp: %w", lookup(syscall.ENFILE)), "on this machine"},
		{&net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("socket", syscall.EMFILE)}, "ulimit -n"},
		{fmt.Errorf("output: %w", &os.PathError{Op: "write", Path: "pages.jsonl", Err: syscall.ENOSPC}), "free space"},
		{fmt.Errorf("%w: insert", sqlite.ErrFull), "free space"},
		{lookup(syscall.ECONNREFUSED), ""},
		{errors.New(syscall.EMFILE.Error() + " on the other side"), ""},
	} {
		got := (&Runner{}).exhausted(dir, tt.err)
		if tt.remedy == "" && got != nil || tt.remedy != "" && (got == nil || !strings.Contains(got.Error(), tt.remedy) || !strings.Contains(got.Error(), "--resume "+dir)) {
			t.Errorf("%v: %v, want %q", tt.err, got, tt.remedy)
		}
	}
}
