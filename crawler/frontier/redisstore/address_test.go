package redisstore

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestAddress(t *testing.T) {
	for _, c := range []struct {
		text string
		want address
		show string
	}{
		{"redis://localhost", address{servers: []string{"localhost:6379"}}, "redis://localhost:6379"},
		{"redis://a:1,b:2,[::1]:3/4", address{servers: []string{"a:1", "b:2", "[::1]:3"}, db: 4}, "redis://a:1,b:2,[::1]:3/4"},
		{"rediss://crawler:s%3Acret@h:7000", address{servers: []string{"h:7000"}, secure: true, user: "crawler", password: "s:cret"}, "rediss://crawler@h:7000"},
		{"redis://:p@w@h", address{servers: []string{"h:6379"}, password: "p@w"}, "redis://h:6379"},
		{"redis://s1:26379,s2:26379?master=my+master", address{servers: []string{"s1:26379", "s2:26379"}, sentinel: "my master"}, "redis://s1:26379,s2:26379?master=my+master"},
		{"rediss://h?ca=/ca.pem&cert=c&key=k", address{servers: []string{"h:6379"}, secure: true, ca: "/ca.pem", cert: "c", key: "k"}, "rediss://h:6379"},
	} {
		got, err := parseAddress(c.text)
		if err != nil || !slices.Equal(got.servers, c.want.servers) || got.secure != c.want.secure || got.db != c.want.db ||
			got.user != c.want.user || got.password != c.want.password || got.sentinel != c.want.sentinel ||
			got.ca != c.want.ca || got.cert != c.want.cert || got.key != c.want.key || got.String() != c.show {
			t.Errorf("parseAddress(%q) = %+v, %v, shown as %v", c.text, got, err, got)
		}
	}
}

func TestBadAddress(t *testing.T) {
	for _, text := range []string{
		"", "localhost:6379", "http://secret@h", "redis://", "redis://:secret@", "redis://u:secret@h:0", "redis://u:secret@h:99999",
		"redis://u:secret@h/x", "redis://u:secret@h/-1", "redis://u:secret%zz@h", "redis://u:secret@[::1", "redis://u:secret@[x]:1",
		"redis://u:secret@h?password=secret", "redis://u:secret@h?master=", "redis://u:secret@h?master=a&master=b",
		"redis://u:secret@h?ca=x", "rediss://u:secret@h?cert=x", "rediss://u:secret@h?key=x", "rediss://u:secret@h?ca=x&ca=y",
		"redis://u:secret@a,,b", "redis://u:secret@h?%zz", "redis://u:secret@[::1]x", "redis://u:secret@a b",
	} {
		_, err := Open(t.Context(), text, nil)
		if !errors.Is(err, ErrAddress) {
			t.Errorf("Open(%q) = %v, want %v", text, err, ErrAddress)
		} else if strings.Contains(err.Error(), "secret") {
			t.Errorf("Open(%q) tells the password: %v", text, err)
		}
	}
}

func TestPassword(t *testing.T) {
	file := filepath.Join(t.TempDir(), "password")
	must(t, os.WriteFile(file, []byte("from file\r\n"), 0o600))
	t.Setenv(PasswordVariable, "from environment")
	for _, c := range []struct {
		text string
		opts Options
		want string
	}{
		{"redis://h", Options{}, "from environment"},
		{"redis://h", Options{PasswordFile: file}, "from file"},
		{"redis://:url@h", Options{PasswordFile: file}, "url"},
		{"redis://:url@h", Options{Password: "options", PasswordFile: file}, "options"},
	} {
		a, err := parseAddress(c.text)
		if err == nil {
			err = a.credentials(&c.opts)
		}
		if err != nil || a.password != c.want {
			t.Errorf("password of %s with %+v is %q, %v, want %q", c.text, c.opts, a.password, err, c.want)
		}
	}
	if _, err := Open(context.Background(), "redis://h", &Options{PasswordFile: file + "x"}); !errors.Is(err, os.ErrNotExist) || !errors.Is(err, ErrCredentials) {
		t.Errorf("a password file that is missing: %v", err)
	}
}

func TestNames(t *testing.T) {
	for _, o := range []Options{{CrawlName: "a{b}"}, {Prefix: "a b"}, {WorkerName: "a/b"}, {CrawlName: strings.Repeat("x", 101)}, {Shards: -1}, {Shards: maxShards + 1}} {
		if _, err := o.withDefaults(); err == nil {
			t.Errorf("taken: %+v", o)
		}
	}
}

func FuzzAddress(f *testing.F) {
	for _, s := range []string{"redis://localhost", "rediss://u:p@a:1,[::1]:2/3?master=m", "redis://u:p%40@h", "redis://@[", "://", "redis://h?master"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := parseAddress(text)
		if err != nil {
			if !errors.Is(err, ErrAddress) {
				t.Fatalf("%v", err)
			}
			return
		}
		// String returns the address without the password.
		again, err := parseAddress(a.String())
		if err != nil {
			t.Fatalf("%q is shown as %q: %v", text, a, err)
		}
		a.password = ""
		if again.String() != a.String() || !slices.Equal(again.servers, a.servers) || again.user != a.user || again.sentinel != a.sentinel {
			t.Fatalf("%q is shown as %q, which is %+v", text, a, again)
		}
	})
}
