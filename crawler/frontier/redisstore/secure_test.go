//go:build unix

package redisstore

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore/redistest"
)

func TestTLS(t *testing.T) {
	t.Parallel() // it waits for a handshake
	const local = "127.0.0.1"
	trusted, stranger := redistest.NewAuthority(t), redistest.NewAuthority(t)
	open := trusted.StartTLS(t, local, "--tls-auth-clients", "no").URL()
	// It requires a client certificate. In TLS 1.3 the error would come too late to be
	// received for certain.
	closed := trusted.StartTLS(t, local, "--tls-protocols", "TLSv1.2").URL()
	other := trusted.StartTLS(t, "redis.test", "--tls-auth-clients", "no").URL()
	plain := redistest.Start(t)
	cert, key := trusted.Certificate(t, "client")
	strangerCert, strangerKey := stranger.Certificate(t, "client")
	ca := "?ca=" + trusted.CAFile
	for _, url := range []string{open + ca, closed + ca + "&cert=" + cert + "&key=" + key} {
		s := openTest(t, url, Options{})
		if added, err := s.Add(t.Context(), testItems("a", 1)); err != nil || !added[0] {
			t.Errorf("Add: %v, %v", added, err)
		}
	}
	for _, c := range []struct {
		name, url string
		want      error
		says      string
	}{
		{"unknown authority", open, ErrTLS, "unknown authority"},
		{"another authority", open + "?ca=" + stranger.CAFile, ErrTLS, "unknown authority"},
		{"another name", other + ca, ErrTLS, local},
		{"without a certificate of ours", closed + ca, ErrTLS, "remote error"},
		{"with a stranger's", closed + ca + "&cert=" + strangerCert + "&key=" + strangerKey, ErrTLS, "remote error"},
		{"server without TLS", strings.Replace(plain.URL(), "redis:", "rediss:", 1), ErrTLS, "does the server use TLS?"},
		{"client without TLS", strings.Replace(open, "rediss:", "redis:", 1), ErrUnavailable, ""},
		{"no such file", open + "?ca=/no/such/file", os.ErrNotExist, "certificate authority"},
		{"no certificate in it", open + "?ca=" + key, ErrCredentials, strconv.Quote(key) + " has no certificate"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Open(t.Context(), c.url, &Options{RetryTimeout: -1})
			if err == nil || c.want != nil && !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("Open: %v, want %v and %q", err, c.want, c.says)
			}
		})
	}
}

// leastLine returns the line of the package comment with the permissions that a user needs.
func leastLine(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("doc.go")
	must(t, err)
	words := aclLine(string(text))
	if len(words) < 10 {
		t.Fatalf("the package comment has no line for ACL: %q", words)
	}
	return words
}

// aclLine returns the words of the command that gives the user its permissions.
func aclLine(text string) []string {
	line := regexp.MustCompile(`ACL SETUSER crawler(?:\\\n(?://)?|[^\n])*`).FindString(text)
	return strings.Fields(regexp.MustCompile(`\\\n(?://)?`).ReplaceAllString(line, ""))
}

// SHARED.md gives the user the same permissions as the package comment.
func TestSharedPageHasThePermissions(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "SHARED.md"))
	must(t, err)
	if got, want := aclLine(string(text)), leastLine(t); !slices.Equal(got, want) {
		t.Errorf("SHARED.md: %q\nwant %q", got, want)
	}
}

// restrict creates the user crawler with the password secret and the permissions of the package
// comment.
func restrict(t *testing.T, servers ...*redistest.Server) {
	t.Helper()
	line := leastLine(t)
	line[slices.Index(line, ">PASSWORD")] = ">secret"
	for _, s := range servers {
		if answer := s.Do(t, line...); answer != "+OK" {
			t.Fatalf("%s: %s", strings.Join(line, " "), answer)
		}
	}
}

// restricted returns a URL with that user.
func restricted(url string) string {
	return strings.Replace(url, "redis://", "redis://crawler:secret@", 1)
}

// Each permission of the line is needed, and errors name the missing one.
func TestLeastPermissions(t *testing.T) {
	server := redistest.Start(t)
	ctx := t.Context()
	restrict(t, server)
	url := restricted(server.URL())
	s := openTest(t, url, Options{})
	for _, word := range leastLine(t) {
		command, ok := strings.CutPrefix(word, "+")
		// Some are only for connecting, a Cluster, Delete and Waiting.
		if !ok || slices.Contains([]string{"cluster|slots", "ping", "unsubscribe", "unlink", "scan", "role"}, command) {
			continue
		}
		server.Do(t, "ACL", "SETUSER", "crawler", "-"+command)
		_, err := Open(ctx, url, &Options{CrawlName: "other", RetryTimeout: -1})
		if !errors.Is(err, ErrPermission) || !strings.Contains(strings.ToLower(err.Error()), command) {
			t.Errorf("Open without +%s: %v", command, err)
		}
		server.Do(t, "ACL", "SETUSER", "crawler", "+"+command)
	}
	for _, command := range []string{"scan", "unlink"} {
		server.Do(t, "ACL", "SETUSER", "crawler", "-"+command)
		err := Delete(ctx, url, &Options{CrawlName: "other"})
		if errors.Is(err, ErrNotFound) {
			_ = openTest(t, url, Options{CrawlName: "other"}).Close()
			err = Delete(ctx, url, &Options{CrawlName: "other"})
		}
		if !errors.Is(err, ErrPermission) || !strings.Contains(err.Error(), command) {
			t.Errorf("Delete without +%s: %v", command, err)
		}
		server.Do(t, "ACL", "SETUSER", "crawler", "+"+command)
	}
	if _, err := Open(ctx, url, &Options{Prefix: "other"}); !errors.Is(err, ErrPermission) {
		t.Errorf("Open under a prefix that is not the user's: %v", err)
	}
	server.Do(t, "ACL", "SETUSER", "crawler", "resetchannels")
	if _, err := Open(ctx, url, &Options{CrawlName: "other", RetryTimeout: -1}); !errors.Is(err, ErrPermission) || !strings.HasSuffix(err.Error(), ": &politecrawl:*") {
		t.Errorf("Open without the channels: %v", err)
	}
	server.Do(t, "ACL", "SETUSER", "crawler", "&politecrawl:*")
	// Permissions that are removed during a crawl.
	server.Do(t, "ACL", "SETUSER", "crawler", "-evalsha")
	if _, err := s.Add(ctx, testItems("a", 1)); !errors.Is(err, ErrPermission) || !strings.Contains(err.Error(), "evalsha") {
		t.Errorf("Add without +evalsha: %v", err)
	}
	server.Do(t, "ACL", "SETUSER", "crawler", "+evalsha")
	if added, err := s.Add(ctx, testItems("a", 1)); err != nil || !added[0] {
		t.Errorf("Add with it again: %v, %v", added, err)
	}
}

// check.lua checks all commands that scripts use.
func TestPermitted(t *testing.T) {
	files, err := filepath.Glob("script/*.lua")
	if err != nil || len(files) < 10 {
		t.Fatalf("scripts: %v, %v", files, err)
	}
	line := strings.Join(leastLine(t), " ") + " "
	for _, file := range files {
		text, err := os.ReadFile(file)
		must(t, err)
		for _, m := range regexp.MustCompile(`call\('([A-Z]+)'`).FindAllSubmatch(text, -1) {
			command := strings.ToLower(string(m[1]))
			if !slices.Contains(keyCommands, command) && !strings.Contains(scriptText("check"), "try('"+command+"'") {
				t.Errorf("%s uses %s, which check.lua does not know", file, command)
			}
			if !strings.Contains(line, " +"+command+" ") {
				t.Errorf("%s uses %s, which is not in the line for ACL", file, command)
			}
		}
	}
}

// The password is in no error, log or text.
func TestPasswordIsNotTold(t *testing.T) {
	const secret = "s3cr3t"
	server := redistest.Start(t, "--requirepass", secret)
	url := strings.Replace(server.URL(), "://", "://:"+secret+"@", 1)
	var opts Options
	var log bytes.Buffer
	var told []string
	opts.RetryTimeout = 50 * time.Millisecond
	opts.Logger = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	opts.OnOutage = func(err error) {
		if err != nil {
			told = append(told, err.Error())
		}
	}
	s := openTest(t, url, opts)
	told = append(told, s.String(), s.WorkerName())
	fails := func(what string, err error) {
		t.Helper()
		if err == nil {
			t.Errorf("%s worked", what)
			return
		}
		told = append(told, err.Error())
	}
	server.Do(t, "CONFIG", "SET", "requirepass", secret) // would be rejected, since this connection has no password
	wrong := opts
	wrong.CrawlName = "x"
	_, err := Open(t.Context(), strings.Replace(url, "://", "://nobody", 1), &wrong)
	fails("a wrong user", err)
	none := opts
	none.CrawlName, none.MustExist = "none", true
	_, err = Open(t.Context(), url, &none)
	fails("joining nothing", err)
	fails("deleting nothing", Delete(t.Context(), url, &none))
	server.Kill()
	_, err = s.Add(t.Context(), testItems("a", 1))
	fails("Add to nothing", err)
	_, err = s.Lease(t.Context(), frontier.LeaseRequest{})
	fails("Lease from nothing", err)
	_, err = Open(t.Context(), url, &opts)
	fails("Open of nothing", err)
	_ = s.Close()
	for _, text := range append(told, log.String()) {
		if strings.Contains(text, secret) {
			t.Errorf("the password is told: %s", text)
		}
	}
	if !strings.Contains(log.String(), "not available") {
		t.Errorf("nothing was logged: %s", &log)
	}
}
