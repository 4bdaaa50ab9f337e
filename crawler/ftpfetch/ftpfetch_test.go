package ftpfetch_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	"goftp.io/server/v2"

	"github.com/politecrawl/politecrawl/crawler/ftpfetch"
	"github.com/politecrawl/politecrawl/robotsext"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// anonymous accepts anonymous logins and records them.
type anonymous struct {
	mu    sync.Mutex
	users []string
}

func (a *anonymous) CheckPasswd(_ *server.Context, user, password string) (bool, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.users = append(a.users, user+" "+password)
	return user == "anonymous", nil
}

// serve serves a directory with these files with a real FTP server.
func serve(t *testing.T, files map[string]string) (origin string, auth *anonymous) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	auth = &anonymous{}
	origin, stop, err := serveDir(dir, auth)
	must(t, err)
	t.Cleanup(stop)
	return origin, auth
}

func newRobots(t *testing.T, timeout time.Duration) *robotsext.Robots {
	t.Helper()
	r, err := robotsext.New("testbot/1.0", &robotsext.Options{
		Fetch: robotsext.FetchOptions{
			Timeout: timeout,
			Schemes: map[string]robotsext.Fetcher{"ftp": ftpfetch.New(nil)},
		},
	})
	must(t, err)
	return r
}

func parse(t *testing.T, s string) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	must(t, err)
	return u
}

const rules = "User-agent: *\nDisallow: /private\n"

func TestServer(t *testing.T) {
	t.Run("ROB-LOC-10/rules", func(t *testing.T) {
		origin, auth := serve(t, map[string]string{"robots.txt": rules})
		u := parse(t, origin+"/private/x")
		u.User = url.UserPassword("user", "secret")
		r := newRobots(t, 0)
		err := r.Check(t.Context(), u)
		if b, ok := errors.AsType[*robotsext.BlockedError](err); !ok || b.Reason != robotsext.Disallowed || b.Rule.Line != 2 {
			t.Errorf("error %v, want disallowed by line 2", err)
		}
		if err := r.Check(t.Context(), parse(t, origin+"/a")); err != nil {
			t.Error(err)
		}
		if !slices.Equal(auth.users, []string{"anonymous anonymous@"}) {
			t.Errorf("logged in as %q", auth.users)
		}
	})
	t.Run("ROB-LOC-10/not found", func(t *testing.T) {
		origin, _ := serve(t, nil)
		rec, err := newRobots(t, 0).Record(t.Context(), parse(t, origin))
		if err != nil || rec.Outcome != robotsext.OutcomeAllowAll {
			t.Errorf("got %+v, %v; want allow-all", rec, err)
		}
	})
	t.Run("ROB-FET-14/large", func(t *testing.T) {
		origin, _ := serve(t, map[string]string{"robots.txt": rules + strings.Repeat("# a comment\n", 100_000)})
		rec, err := newRobots(t, 0).Record(t.Context(), parse(t, origin))
		if err != nil || rec.Outcome != robotsext.OutcomeRules || !rec.Truncated || len(rec.Body) > 512_000 {
			t.Errorf("outcome %v, %d bytes, %v", rec.Outcome, len(rec.Body), err)
		}
	})
	t.Run("ROB-LOC-10/for ftp only", func(t *testing.T) {
		r, err := robotsext.New("testbot/1.0", nil)
		must(t, err)
		if err := r.Check(t.Context(), parse(t, "ftp://127.0.0.1/")); !errors.Is(err, robotsext.ErrUnsupportedScheme) {
			t.Errorf("without a fetcher: error %v, want ErrUnsupportedScheme", err)
		}
	})
	t.Run("whole file", func(t *testing.T) {
		text := strings.Repeat("line of text\n", 50_000)
		origin, _ := serve(t, map[string]string{"f": text})
		f, err := ftpfetch.New(nil)(t.Context(), parse(t, origin+"/f"))
		must(t, err)
		defer f.Close()
		got, err := io.ReadAll(f)
		if err != nil || string(got) != text {
			t.Errorf("got %d bytes, %v", len(got), err)
		}
	})
}

// speak simulates an FTP server. It replies to each command by its first word; a reply "-" is
// none. Data is sent in transfers.
func speak(t *testing.T, greeting, data string, replies map[string]string) (origin string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	passive, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	_, port, err := net.SplitHostPort(passive.Addr().String())
	must(t, err)
	all := map[string]string{
		"USER": "331 password", "PASS": "230 in", "FEAT": "211 none", "TYPE": "200 ok", "QUIT": "221 bye",
		"EPSV": fmt.Sprintf("229 passive (|||%s|)", port), "RETR": "150 here", "done": "226 done",
	}
	maps.Copy(all, replies)
	var wg sync.WaitGroup
	wg.Go(func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		fmt.Fprintf(conn, "%s\r\n", greeting)
		for in := bufio.NewScanner(conn); in.Scan(); {
			command, _, _ := strings.Cut(in.Text(), " ")
			if all[command] != "-" {
				fmt.Fprintf(conn, "%s\r\n", all[command])
			}
			if command == "RETR" && strings.HasPrefix(all[command], "150") {
				if transfer, err := passive.Accept(); err == nil {
					fmt.Fprint(transfer, data)
					_ = transfer.Close()
				}
				fmt.Fprintf(conn, "%s\r\n", all["done"])
			}
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		_ = passive.Close()
		wg.Wait()
	})
	return "ftp://" + l.Addr().String()
}

func TestReplies(t *testing.T) {
	for _, test := range []struct {
		name     string
		greeting string
		replies  map[string]string
		want     robotsext.Outcome
		waits    bool // until Options.Timeout
	}{
		{"ok", "220 hello", nil, robotsext.OutcomeRules, false},
		{"no file", "220 hello", map[string]string{"RETR": "550 none"}, robotsext.OutcomeAllowAll, false},
		{"no file, as goftp says it", "220 hello", map[string]string{"RETR": "551 none"}, robotsext.OutcomeAllowAll, false},
		{"name refused", "220 hello", map[string]string{"RETR": "553 bad name"}, robotsext.OutcomeUnreachable, false},
		{"550 to EPSV", "220 hello", map[string]string{"EPSV": "550 no", "PASV": "227 (1,2)"}, robotsext.OutcomeUnreachable, false},
		{"550 to EPSV and PASV", "220 hello", map[string]string{"EPSV": "550 no", "PASV": "550 no"}, robotsext.OutcomeUnreachable, false},
		{"550 to TYPE", "220 hello", map[string]string{"TYPE": "550 no"}, robotsext.OutcomeUnreachable, false},
		{"busy", "220 hello", map[string]string{"RETR": "450 busy"}, robotsext.OutcomeUnreachable, false},
		{"no data connection", "220 hello", map[string]string{"RETR": "425 cannot"}, robotsext.OutcomeUnreachable, false},
		{"cut", "220 hello", map[string]string{"done": "426 aborted"}, robotsext.OutcomeUnreachable, false},
		{"no anonymous login", "220 hello", map[string]string{"USER": "530 who are you"}, robotsext.OutcomeUnreachable, false},
		{"closing", "421 too many users", nil, robotsext.OutcomeUnreachable, false},
		{"no reply", "220 hello", map[string]string{"RETR": "-"}, robotsext.OutcomeUnreachable, true},
		{"never confirmed", "220 hello", map[string]string{"done": "110 wait"}, robotsext.OutcomeUnreachable, true},
	} {
		t.Run("ROB-LOC-10/"+test.name, func(t *testing.T) {
			var timeout time.Duration
			if test.waits {
				timeout = 200 * time.Millisecond
			}
			rec, err := newRobots(t, timeout).Record(t.Context(), parse(t, speak(t, test.greeting, rules, test.replies)))
			must(t, err)
			if rec.Outcome != test.want {
				t.Errorf("outcome %v (%v), want %v", rec.Outcome, rec.Err, test.want)
			}
		})
	}
	t.Run("ROB-LOC-10/refused", func(t *testing.T) {
		rec, err := newRobots(t, 0).Record(t.Context(), parse(t, "ftp://127.0.0.1:1"))
		if err != nil || rec.Outcome != robotsext.OutcomeUnreachable {
			t.Errorf("got %+v, %v; want unreachable", rec, err)
		}
	})
}

func TestOpen(t *testing.T) {
	open := ftpfetch.New(nil)
	t.Run("not found", func(t *testing.T) {
		_, err := open(t.Context(), parse(t, speak(t, "220 hello", "", map[string]string{"RETR": "550 none"})+"/f"))
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("error %v", err)
		}
	})
	t.Run("context ends", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		_, err := open(ctx, parse(t, speak(t, "220 hello", "", map[string]string{"USER": "-"})+"/f"))
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
	})
	t.Run("two commands in one path", func(t *testing.T) {
		_, err := open(t.Context(), parse(t, speak(t, "220 hello", "", nil)+"/f%0D%0ADELE%20f"))
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("error %v", err)
		}
	})
}

// must ends a test with an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
